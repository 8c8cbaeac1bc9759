"""Criteria about files, judged by their texts: passed, failed, or not to be told."""

from collections.abc import Mapping

import pytest

from reknit.core.planning.criteria import FactCheck, parse_criterion
from reknit.core.planning.criterion_facts import CriterionResult, files_needed, judge_fact


def parsed(criterion: str) -> FactCheck:
    check = parse_criterion(criterion)
    assert isinstance(check, FactCheck)
    return check


LOG = """# Changelog

## [Unreleased]
Since v1.9 it is faster.
## [1.6.0] - 2026-01-02
### v1.5
**1.4.1**
- **v1.3**: text
1.2.0 (2025-01-01)
"""


@pytest.mark.parametrize(
    ("criterion", "files", "state", "text"),
    [
        ("a.md exists", {"a.md": ""}, "passed", "seen in: a.md"),
        ("a.md exists", {"a.md": None}, "failed", "not there: a.md"),
        ("a.md exists", {}, "unverified", "not read: a.md"),
        ("a.md and b.md exist", {"a.md": "", "b.md": None}, "failed", "not there: b.md"),
        ("docs/ exists", {"docs/a.md": ""}, "passed", "seen in: docs/a.md"),
        ("docs/ exists", {"docs": None}, "failed", "not there: docs"),
        ("a.md does not exist", {"a.md": None}, "passed", "not there: a.md"),
        ("a.md does not exist", {"a.md": ""}, "failed", "still there: a.md"),
        ("a.md does not exist", {}, "unverified", "not read: a.md"),
        ("CODEOWNERS exists", {"docs/CODEOWNERS": "x"}, "passed", "seen in: docs/CODEOWNERS"),
        ("CODEOWNERS exists", {".github/CODEOWNERS": None}, "failed", "not there: .github/CODEOWNERS"),
        ("a.md contains `x y`", {"a.md": "a x y"}, "passed", "seen in: a.md"),
        ("a.md contains `x y`", {"a.md": "x  y"}, "failed", "a.md: `x y` is not in it"),
        ("a.md contains `x`", {"a.md": None}, "failed", "not there: a.md"),
        ("a.md contains `x`", {"b.md": "x"}, "unverified", "not read: a.md"),
        ("a.md does not contain `x`", {"a.md": "y"}, "passed", "seen in: a.md"),
        ("a.md does not contain `x`", {"a.md": "x"}, "failed", "a.md: `x` is in it"),
        ("a.md does not contain `x`", {"a.md": None}, "failed", "not there: a.md"),
        ("a.md matches `^b+$`", {"a.md": "a\nbb\n"}, "passed", "seen in: a.md"),
        ("a.md matches `^b+$`", {"a.md": "abb"}, "failed", "a.md: nothing in it matches `^b+$`"),
        ("a.md matches `[[a]`", {"a.md": "["}, "passed", "seen in: a.md"),
        (
            "a.md matches `(`",
            {"a.md": "("},
            "unverified",
            "its pattern is not a regular expression: missing ), unterminated subpattern at position 0",
        ),
        ("a.md has at least 2 lines", {"a.md": "1\n2\n"}, "passed", "seen in: a.md"),
        ("a.md has at least 3 lines", {"a.md": "1\n2\n"}, "failed", "a.md: it has 2 lines"),
        ("a.md has at most 2 lines", {"a.md": "1\n2"}, "passed", "seen in: a.md"),
        ("a.md has at most 1 line", {"a.md": "1\n2"}, "failed", "a.md: it has 2 lines"),
        ("CHANGELOG.md has entries for v1.2 through v1.6", {"CHANGELOG.md": LOG}, "passed", "seen in: CHANGELOG.md"),
        ("CHANGELOG has an entry for v1.6", {"CHANGELOG.md": LOG}, "passed", "seen in: CHANGELOG.md"),
        (
            "CHANGELOG.md has entries for v1.1 through v1.2",
            {"CHANGELOG.md": LOG},
            "failed",
            "CHANGELOG.md: it has no entry for v1.1",
        ),
        (
            "CHANGELOG.md has an entry for v1.9",
            {"CHANGELOG.md": LOG},
            "failed",
            "CHANGELOG.md: it has no entry for v1.9",
        ),
        (
            "CHANGELOG.md has an entry for v1.6.1",
            {"CHANGELOG.md": LOG},
            "failed",
            "CHANGELOG.md: it has no entry for v1.6.1",
        ),
        (
            "CHANGELOG.md has an entry for v1",
            {"CHANGELOG.md": "## 10.0"},
            "failed",
            "CHANGELOG.md: it has no entry for v1",
        ),
        (
            "All docs have status: current frontmatter",
            {
                "docs/a.md": "---\nstatus: current\n---\n",
                "docs/b/C.MD": "---\nx: y\nstatus: 'current'\n---",
                "a.md": "",
            },
            "passed",
            "seen in: docs/a.md, docs/b/C.MD",
        ),
        (
            "All docs have status: current frontmatter",
            {
                "docs/a.md": "---\nstatus: stale\n---\n",
                "docs/b.md": "# No",
                "docs/c.md": "x\n---\nstatus: current\n---",
            },
            "failed",
            "docs/a.md: its `status` is `stale`; docs/b.md: its frontmatter has no `status`; docs/c.md: its frontmatter"
            " has no `status`",
        ),
        (
            "All docs have status: current frontmatter",
            {},
            "unverified",
            "there is no Markdown file in docs, and none with frontmatter beside it",
        ),
        (
            "All docs have status: current frontmatter",
            {"README.md": "# No", "STATE.md": "---\nstatus: stale\n---", "docs/a.md": "---\nstatus: current\n---"},
            "failed",
            "STATE.md: its `status` is `stale`",
        ),
        (
            "All docs have status: current frontmatter",
            {"README.md": "# No", "docs/a.md": None},
            "failed",
            "not there: docs/a.md",
        ),
        (
            "docs/a.md has status: current frontmatter",
            {"docs/a.md": "---\nstatus: current\n"},
            "failed",
            "docs/a.md: its frontmatter is not closed by a line `---`",
        ),
    ],
)
def test_a_criterion_is_judged_by_texts(criterion: str, files: Mapping[str, str | None], state: str, text: str) -> None:
    check = parsed(criterion)
    assert judge_fact(check, files, files_needed(check, files)) == CriterionResult(state, text)  # type: ignore[arg-type]


def test_a_doc_that_could_not_be_read_is_not_passed_over() -> None:
    check, good = parsed("All docs have status: current frontmatter"), "---\nstatus: current\n---"
    needed = files_needed(check, ("docs/a.md", "docs/large.md"))
    assert judge_fact(check, {"docs/a.md": good}, needed) == CriterionResult("unverified", "not read: docs/large.md")
    assert judge_fact(check, {"docs/a.md": good, "docs/large.md": good}, needed).state == "passed"


@pytest.mark.parametrize(
    ("criterion", "tracked", "expected"),
    [
        ("a.md exists", [], ("a.md",)),
        ("a.md and a.md exist", ["a.md"], ("a.md",)),
        ("docs/ exists", ["docs/b.md", "docs/a.md"], ("docs/a.md",)),
        ("docs/ exists", ["docs2/a.md"], ("docs",)),
        ("CHANGELOG has an entry for v1", ["HISTORY.rst"], ("HISTORY.rst",)),
        ("CHANGELOG has an entry for v1", [], ("CHANGELOG.md",)),
        ("README exists", ["README"], ("README",)),
        (
            "All docs have status: current frontmatter",
            ["docs/b.md", "docs/a.md", "docs/x.py", "a.md"],
            ("a.md", "docs/a.md", "docs/b.md"),
        ),
        ("All docs have status: current frontmatter", [], ()),
    ],
)
def test_the_files_that_a_criterion_is_about(criterion: str, tracked: list[str], expected: tuple[str, ...]) -> None:
    assert files_needed(parsed(criterion), tracked) == expected


@pytest.mark.parametrize(
    "text",
    [
        "src/ does not contain `TODO`",
        "the folder src/deep does not contain `TODO`",
        "src/ contains `ok`",
        "src/ matches `ok`",
        "src/ has at most 3 lines",
        "src/ has `status: current` in its frontmatter",
    ],
)
def test_one_file_of_a_folder_tells_nothing_about_the_others(text: str) -> None:
    check, tracked = parse_criterion(text), ("src/a.py", "src/deep/b.py", "src/deep/c.py")
    assert isinstance(check, FactCheck)
    needed = files_needed(check, tracked)
    seen = judge_fact(check, dict.fromkeys(needed), needed)
    assert (seen.state, seen.text.startswith("a folder, and only the text of a file")) == ("unverified", True)
