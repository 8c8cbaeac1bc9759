"""Entries as people read them in PROGRESS.txt."""

import math
from dataclasses import replace

import pytest

from reknit.core.review.progress_file.entries import Entry, FailedEntry, FixEntry, ListedFinding, ReviewEntry
from reknit.core.review.progress_file.printing import print_entry, to_printable
from tests.tools.progress_entries import AT, EXAMPLES, FAILED, FAILED_TEXT, FIX, FIX_TEXT


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_three_shapes_letter_by_letter(text: str) -> None:
    assert print_entry(EXAMPLES[text]) == text


def test_a_reviewer_that_found_nothing() -> None:
    assert print_entry(ReviewEntry(AT, "tests", "warning", "PASSED")) == (
        "[Review] 2026-11-16 10:24 UTC - tests (warning)\n\n### Verdict: PASSED\n\n### Findings\n\nNone.\n\n---\n"
    )


def test_findings_that_were_fixed_together() -> None:
    together = replace(FIX, findings=("SEC-001", "SEC-003"), files=("src/a.py", "src/b.py"), attempts=2)
    expected = FIX_TEXT.replace("/SEC-001", "/SEC-001, SEC-003").replace("a.py\n", "a.py\n- src/b.py\n")
    assert print_entry(together) == expected.replace("1 of 3", "2 of 3")


def test_attempts_that_were_not_all_used() -> None:
    assert print_entry(replace(FAILED, attempts=2)) == FAILED_TEXT.replace("3 of 3 (exhausted)", "2 of 3")


def test_an_empty_reason() -> None:
    assert print_entry(replace(FAILED, reason="")) == FAILED_TEXT.replace("A test became red.\n", "")


def test_unusual_text() -> None:
    finding = ListedFinding(
        "A*", "Style - x", "a - b", "Makefile", 0, "First.\n\n  indented\n---\n### Verdict: PASSED", "  blank "
    )
    bare = ListedFinding("", "", "a - b\nc", "odd:12", 0, "", "\n")
    text = print_entry(ReviewEntry(AT, "r", "suggestion", "NEEDS_WORK", (finding, bare)))
    assert text.partition("### Findings\n\n")[2] == (
        r"""1. **A*\u{}**: Style -\u{} x - a - b
   - File: Makefile
   - Issue: First.

       indented
     ---
     ### Verdict: PASSED
   - Suggestion: \u{}  blank \u{}

2. **\u{}**: \u{} - a - b\u{a}c
   - File: odd:\u{}12
   - Issue:
   - Suggestion: \u{}
     \u{}

---
"""
    )


def test_unusual_words_of_a_fix() -> None:
    text = print_entry(FailedEntry(AT, "a/b", ("x,y", ""), ("one\ntwo", ""), 1, "---\n[Review] 2026-\n\x1b[2K"))
    assert text == (
        r"""[Review Fix Failed] 2026-11-16 10:24 UTC - a\u{2f}b/x\u{2c}y, \u{}

### Issue
- one
  two
-

### Attempts
1 of 3

### Reason
\u{}---
  [Review] 2026-
  \u{1b}[2K

---
"""
    )


@pytest.mark.parametrize(
    ("at", "date"),
    [
        (AT + 59.9, "2026-11-16 10:24"),
        (-1.0, "1969-12-31 23:59"),
        (math.nan, "1970-01-01 00:00"),
        (math.inf, "9999-12-31 23:59"),
        (-math.inf, "0001-01-01 00:00"),
    ],
)
def test_the_file_has_minutes(at: float, date: str) -> None:
    entry = ReviewEntry(at, "r", "blocking", "PASSED")
    assert print_entry(entry).startswith(f"[Review] {date} UTC - r (blocking)\n")
    assert to_printable(to_printable(entry)) == to_printable(entry)


def test_numbers_are_bounded() -> None:
    odd: Entry = FixEntry(AT, "r", (), (), (), -1, 10**5000)
    assert to_printable(odd) == FixEntry(AT, "r", (), (), (), 0, 999_999_999)
    finding = ListedFinding("X", "", "", "a", -3, "")
    assert to_printable(ReviewEntry(AT, "r", "blocking", "PASSED", (finding,))) == ReviewEntry(
        AT, "r", "blocking", "PASSED", (replace(finding, line=0),)
    )
    assert to_printable(FIX) == FIX
