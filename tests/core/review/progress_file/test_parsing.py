"""What is read from PROGRESS.txt: all that was printed, what a person made of it, and never an exception."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reknit.core.review.progress_file.entries import Entry, FailedEntry, FixEntry, ListedFinding, ReviewEntry
from reknit.core.review.progress_file.parsing import parse_entries, read_findings
from reknit.core.review.progress_file.printing import print_entry, to_printable
from tests.tools.progress_entries import (
    AT,
    ENTRIES,
    EXAMPLES,
    FAILED,
    FAILED_TEXT,
    FIX,
    FIX_TEXT,
    REVIEW,
    REVIEW_TEXT,
    TEXT,
    THREE,
)
from tests.tools.work import quickly

OWN = (
    "# Progress\n\n[2026-01-02] US-001 done\n### What was fixed\n- all\n---\n[Review] went well\nSee [Review Fix].\n\n"
)
"""As a repository may have it already."""


def entries_of(text: str) -> list[Entry]:
    return [found.entry for found in parse_entries(text).entries]


def problems_of(text: str) -> list[str]:
    parsed = parse_entries(text)
    assert not parsed.entries
    return [str(problem) for problem in parsed.problems]


def check_round_trip(entries: Sequence[Entry]) -> None:
    text = OWN + "\n".join(print_entry(entry) for entry in entries)
    parsed = parse_entries(text)
    assert [found.entry for found in parsed.entries] == list(entries), text
    assert not parsed.problems
    lines = enumerate(text.split("\n"), 1)
    starts = [number for number, line in lines if re.match(r"\[Review( Fix( Failed)?)?\] [0-9]{4}-", line)]
    assert {found.line for found in parsed.entries} >= set(starts)
    text.encode("utf-8")


@pytest.mark.slow
def test_every_entry_is_read_as_it_was_printed() -> None:
    _in_examples(1_000)


@pytest.mark.long
@pytest.mark.usefixtures("without_coverage")
def test_ten_thousand_entries_are_read_as_they_were_printed() -> None:
    assert _in_examples(10_000) >= 10_000


def _in_examples(count: int) -> int:
    seen = []

    @settings(max_examples=count, database=None)
    @given(ENTRIES)
    def check(entry: Entry) -> None:
        seen.append(entry)
        check_round_trip([entry])

    check()
    return len(seen)


@given(st.lists(ENTRIES, max_size=3))
def test_entries_below_one_another_do_not_mix(entries: list[Entry]) -> None:
    check_round_trip(entries)


@given(ENTRIES, st.floats(), st.integers())
def test_what_the_file_cannot_hold_is_rounded_before(entry: Entry, at: float, number: int) -> None:
    if isinstance(entry, ReviewEntry):
        finding = ListedFinding("X", "", "", "", number, "")
        odd: Entry = ReviewEntry(at, "x", "warning", "PASSED", (*entry.findings, finding))
    else:
        odd = FixEntry(at, entry.reviewer, entry.findings, (), (), number, number)
    once = to_printable(odd)
    assert to_printable(once) == once
    assert entries_of(print_entry(odd)) == entries_of(print_entry(once)) == [once]


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_three_shapes(text: str) -> None:
    assert entries_of(text) == [EXAMPLES[text]]
    assert "".join(print_entry(entry) for entry in entries_of(text)) == text


def test_a_file_cut_at_every_byte() -> None:
    whole = THREE.encode()
    ends = [THREE.encode().index(b"---") + 3]
    ends += [whole.index(b"---", end) + 3 for end in (ends[0], whole.index(b"[Review Fix Failed]"))]
    silent = 0
    for size in range(len(whole) + 1):
        parsed = parse_entries(whole[:size].decode())
        finished = sum(size >= end for end in ends)
        assert [found.entry for found in parsed.entries] == [REVIEW, FIX, FAILED][:finished]
        begun = whole[:size].decode().rpartition("---")[2].lstrip("\n")
        if parsed.problems:
            assert [problem.message for problem in parsed.problems] == ["this entry has no `---` at its end"]
        else:
            assert len(begun) < len("[Review Fix Failed] 2026-")
            silent += 1
    assert silent < 80


def test_an_entry_that_was_cut_off_hides_none_of_those_below() -> None:
    parsed = parse_entries(REVIEW_TEXT[:120] + "\n\n" + FIX_TEXT)
    assert [found.entry for found in parsed.entries] == [FIX]
    assert [str(problem) for problem in parsed.problems] == ["line 1: this entry has no `---` at its end"]


def test_a_stranger_below_an_entry_that_was_cut_off_is_no_part_of_it() -> None:
    cut = REVIEW_TEXT[: REVIEW_TEXT.index("   - Suggestion: Leave")]
    assert problems_of(f"{cut}\n{OWN}")[0] == ("line 19: `### What was fixed` is no section of a `[Review]` entry")
    assert problems_of(f"{cut}\nNotes\n---\n") == [
        "line 16: this line is in no finding: they begin with `1. **ID**: `, and their further lines are indented"
    ]


EDITED = """\
Notes of our own, with a - dash and 1. a number.

[Review] 2026-11-16 10:24 UTC - security (blocking)  \r
\r


### Verdict: NEEDS_WORK   \r
### Findings
7) **SEC-002**: Secrets - Token in a
   log line
   * File: src/log.py:7
   + Issue:
        The token is logged.

       Twice:
     - here
   there


12. **X-1**: no category
 - File: src/new file.py
3. **any id at all!**: Style - a - b
\t- Issue : text \\d and \\u
\t- File: Makefile:0

---   \r
More notes.
"""


def test_what_a_person_typed() -> None:
    (found,) = parse_entries(EDITED).entries
    assert found.line == 3
    assert found.entry == ReviewEntry(
        AT,
        "security",
        "blocking",
        "NEEDS_WORK",
        (
            ListedFinding(
                "SEC-002",
                "Secrets",
                "Token in a log line",
                "src/log.py",
                7,
                "   The token is logged.\n\n  Twice:\n- here\nthere",
            ),
            ListedFinding("X-1", "", "no category", "src/new file.py", 0, ""),
            ListedFinding("any id at all!", "Style", "a - b", "Makefile", 0, "text \\d and \\u"),
        ),
    )
    assert not parse_entries(EDITED).problems


def test_a_file_of_another_editor_is_the_same() -> None:
    assert entries_of("\ufeff" + THREE.replace("\n", "\r\n")) == [REVIEW, FIX, FAILED]
    assert entries_of(THREE.replace("\n\n", "\n\n \n\t\n")) == [REVIEW, FIX, FAILED]
    assert entries_of(
        THREE.replace("- ", "* ").replace("UTC * ", "UTC - ").replace("n * ", "n - ").replace("s * ", "s - ")
    ) == [
        REVIEW,
        FIX,
        FAILED,
    ]


def test_a_reason_may_be_typed_without_indentation() -> None:
    typed = FAILED_TEXT.replace("became red.", "became red.\n\nTwo more:\n  a\n    b")
    (entry,) = entries_of(typed)
    assert isinstance(entry, FailedEntry)
    assert entry.reason == "A test became red.\n\nTwo more:\na\n  b"


@pytest.mark.parametrize(
    ("text", "old", "new", "problem"),
    [
        pytest.param(
            REVIEW_TEXT, "   - File: src/a.py:12\n", "", "line 7: a finding needs `- File: path:line`", id="no-file"
        ),
        pytest.param(REVIEW_TEXT, "src/a.py:12", "", "line 7: a finding needs `- File: path:line`", id="empty-file"),
        pytest.param(REVIEW_TEXT, "src/a.py", "", "line 7: a finding needs `- File: path:line`", id="only-a-line"),
        pytest.param(
            REVIEW_TEXT, "**SEC-001**", "SEC-001", "line 7: a finding begins with `1. **ID**: title`", id="no-id"
        ),
        pytest.param(
            REVIEW_TEXT, "**SEC-001**", "****", "line 7: a finding begins with `1. **ID**: title`", id="empty-id"
        ),
        pytest.param(
            REVIEW_TEXT,
            "- Suggestion: Quote",
            "- Issue: Quote",
            "line 10: this finding has `- Issue:` twice",
            id="twice",
        ),
        pytest.param(
            REVIEW_TEXT,
            "1. **SEC-001**",
            "**SEC-001**",
            "line 7: this line is in no finding: they begin with `1. **ID**: `, and their further lines are indented",
            id="no-number",
        ),
        pytest.param(
            REVIEW_TEXT,
            "NEEDS_WORK",
            "needs work",
            "line 3: the verdict is `### Verdict: PASSED`, `NEEDS_WORK` or `NO_ANSWER`",
            id="verdict",
        ),
        pytest.param(
            REVIEW_TEXT,
            "NEEDS_WORK",
            "PASSED\nwell done",
            "line 3: the verdict is `### Verdict: PASSED`, `NEEDS_WORK` or `NO_ANSWER`",
            id="words-below-the-verdict",
        ),
        pytest.param(
            REVIEW_TEXT,
            "(blocking)",
            "(severe)",
            "line 1: the heading must end in a reviewer and its level: `security (blocking)`",
            id="level",
        ),
        pytest.param(
            REVIEW_TEXT,
            "2026-11-16",
            "2026-13-16",
            "line 1: the heading of an entry is `[Review] YYYY-MM-DD HH:MM UTC - …`",
            id="no-such-month",
        ),
        pytest.param(
            REVIEW_TEXT,
            "2026-11-16 10:24 UTC - ",
            "",
            "line 1: the heading of an entry is `[Review] YYYY-MM-DD HH:MM UTC - …`",
            id="no-date",
        ),
        pytest.param(REVIEW_TEXT, "### Findings", "", "line 1: this entry has no `### Findings`", id="no-section"),
        pytest.param(
            REVIEW_TEXT,
            "### Findings",
            "### Verdict: PASSED\n### Findings",
            "line 5: `### Verdict` is there twice",
            id="section-twice",
        ),
        pytest.param(
            REVIEW_TEXT,
            "### Findings",
            "### Notes\n### Findings",
            "line 5: `### Notes` is no section of a `[Review]` entry",
            id="other-section",
        ),
        pytest.param(
            REVIEW_TEXT,
            "### Verdict",
            "Hello\n### Verdict",
            "line 3: `### Verdict` must come first in this entry",
            id="before",
        ),
        pytest.param(
            FIX_TEXT, "1 of 3", "once", "line 9: below `### Attempts` is one line such as `1 of 3`", id="attempts"
        ),
        pytest.param(
            FIX_TEXT,
            "security/SEC-001",
            "SEC-001",
            "line 1: the heading must end in a reviewer and finding ids: `security/SEC-001, SEC-003`",
            id="no-reviewer",
        ),
        pytest.param(
            FIX_TEXT,
            "- src/a.py",
            "src/a.py",
            "line 7: below `### Files changed` each item begins with `- `, and its further lines are indented",
            id="no-bullet",
        ),
        pytest.param(FAILED_TEXT, "\n---", "", "line 1: this entry has no `---` at its end", id="no-end"),
    ],
)
def test_what_is_broken_is_told_with_its_line(text: str, old: str, new: str, problem: str) -> None:
    assert old in text
    broken = text.replace(old, new, 1)
    assert problem in problems_of(broken)
    assert entries_of(f"{FIX_TEXT}\n{broken}\n{FAILED_TEXT}")[::2] == [FIX, FAILED][::2]


def test_a_code_that_no_character_has_is_left_as_it_is() -> None:
    (entry,) = entries_of(FIX_TEXT.replace("The name", "\\u{110000} \\u{1F600}"))
    assert entry == FixEntry(AT, "security", ("SEC-001",), ("\\u{110000} \U0001f600 is quoted.",), ("src/a.py",), 1)


@given(st.lists(st.sampled_from([*THREE.split("\n"), "  x", "x"]) | TEXT, max_size=30))
@example(["[Review] 2026-", "---"])
def test_no_text_is_an_exception(lines: list[str]) -> None:
    text = "\n".join(lines)
    parsed = parse_entries(text)
    lines_named = [each.line for each in parsed.entries] + [each.line for each in parsed.problems]
    assert all(1 <= line <= text.count("\n") + 1 for line in lines_named)
    check_round_trip([found.entry for found in parsed.entries])


@pytest.mark.slow
@pytest.mark.usefixtures("without_coverage")
@pytest.mark.parametrize(
    "piece",
    [
        *(
            REVIEW_TEXT,
            "[Review]\n\n",
            "[Review] 2026-\n",
            "[Review Fix]\n### What was fixed\n",
            "\n",
            "-",
            "- ",
            "1. **",
        ),
        *("\\u{", "\\u{}", " (blocking)", "/", ",", "[Review] 2026-11-16 10:24 UTC - a", "\r", " ", "### ", "*"),
    ],
)
def test_time_is_linear_in_the_size(piece: str) -> None:
    head = REVIEW_TEXT.partition("1. ")[0]
    for text in (piece, f"{head}{piece}", f"{head}1. **{piece}", f"[Review Fix] {piece}", f"{FAILED_TEXT[:-6]}{piece}"):
        long = text[: -len(piece)] + piece * (200_000 // len(piece)) + "\n---\n"
        with quickly():
            parse_entries(long)


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        pytest.param("None.", [], id="none"),
        pytest.param("", [], id="nothing"),
        pytest.param("9. **A**: b\n- File: c", [ListedFinding("A", "", "b", "c", 0, "")], id="shortest"),
        pytest.param(
            "1. **A**: b - c - d\n   - File: e:f:12\n   - Issue: g\n       - File: h\n\n     i",
            [ListedFinding("A", "b", "c - d", "e:f", 12, "g\n  - File: h\n\ni")],
            id="a-field-inside-a-text",
        ),
        pytest.param(
            "1. **A**:\n   - Issue: x\n   - Severity: high\n   - File: a\n     b:3",
            [ListedFinding("A", "", "", "ab", 3, "x\n- Severity: high")],
            id="other-bullets-are-text",
        ),
    ],
)
def test_findings(text: str, findings: list[ListedFinding]) -> None:
    problems: list[tuple[int, str]] = []
    lines = list(enumerate(text.split("\n"), start=1))
    assert read_findings(lines, lambda *problem: problems.append(problem)) == tuple(findings)
    assert problems == []


def test_problems_have_their_lines() -> None:
    problems: list[int] = []
    text = "prose\n1. **A** b\n2. **B**: x\n   - File: f\n   - File: g\nmore\n3. **C**: x"
    read_findings(list(enumerate(text.split("\n"), start=1)), lambda line, _: problems.append(line))
    assert sorted(problems) == [1, 2, 5, 6, 7]
