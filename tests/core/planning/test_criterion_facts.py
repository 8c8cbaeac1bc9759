"""Criteria about files, judged by their texts: passed, failed, or not to be told."""

from collections.abc import Mapping
from typing import Any

import pytest

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import CommandCheck, FactCheck, parse_criterion
from reknit.core.planning.criterion_facts import CriterionResult, judge_command, judge_fact, list_needed_files


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
    assert judge_fact(check, files, list_needed_files(check, files)) == CriterionResult(state, text)  # type: ignore[arg-type]


def test_a_doc_that_could_not_be_read_is_not_passed_over() -> None:
    check, good = parsed("All docs have status: current frontmatter"), "---\nstatus: current\n---"
    needed = list_needed_files(check, ("docs/a.md", "docs/large.md"))
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
    assert list_needed_files(parsed(criterion), tracked) == expected


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
    needed = list_needed_files(check, tracked)
    seen = judge_fact(check, dict.fromkeys(needed), needed)
    assert (seen.state, seen.text.startswith("a folder, and only the text of a file")) == ("unverified", True)


def ended(exit_code: int = 0, out: str = "", err: str = "", **more: Any) -> CommandResult:
    given: dict[str, Any] = {"reason": "exit", "seconds": 1.0, **more}
    return CommandResult(exit_code=exit_code, stdout=out.encode(), stderr=err.encode(), **given)


@pytest.mark.parametrize(
    ("check", "result", "state", "text"),
    [
        pytest.param(CommandCheck("", "x"), ended(), "passed", "exit code 0", id="passes"),
        pytest.param(CommandCheck("", "x"), ended(1, "out", "no\nway"), "failed", "exit code 1: no way", id="fails"),
        pytest.param(CommandCheck("", "x"), ended(1), "failed", "exit code 1", id="silent"),
        pytest.param(CommandCheck("", "x", 3), ended(3), "passed", "exit code 3", id="this-code"),
        pytest.param(CommandCheck("", "x", None), ended(2), "passed", "exit code 2", id="any-but-0"),
        pytest.param(CommandCheck("", "x", None), ended(0), "failed", "exit code 0", id="not-0"),
        pytest.param(CommandCheck("", "x", 0, "ok"), ended(0, "it is ok"), "passed", "exit code 0", id="prints"),
        pytest.param(CommandCheck("", "x", 0, "ok"), ended(0, "no"), "failed", "it did not print `ok`", id="not"),
        pytest.param(
            CommandCheck("", "x", None), ended(127), "unverified", "the command could not start (exit code 127)",
            id="no-such-program-is-no-expected-failure",
        ),
        pytest.param(CommandCheck("", "x"), ended(-9), "unverified", "the command was killed by signal 9", id="killed"),
        pytest.param(
            CommandCheck("", "x", None), ended(137), "unverified",
            "the command was killed, which a lack of memory may do (exit code 137)", id="killed-in-a-box",
        ),
        pytest.param(CommandCheck("", "x", 137), ended(137), "passed", "exit code 137", id="killed-as-expected"),
        pytest.param(CommandCheck("", "x"), ended(reason="wall"), "unverified", "the command took too long", id="long"),
        pytest.param(
            CommandCheck("", "x"), ended(1, services="unknown"), "unverified",
            "the command was not started: a service beside it was not ready", id="services",
        ),
    ],
)  # fmt: skip
def test_commands(check: CommandCheck, result: CommandResult, state: str, text: str) -> None:
    seen = judge_command(check, result)
    assert (seen.state, seen.text) == (state, text)


@pytest.mark.parametrize(
    "stderr",
    [
        "sh: 1: rg: not found",
        "sh: line 1: rg: command not found",
        "first\n/bin/sh: 1: sphinx-build: not found\nmake: *** [docs] Error 127",
        "sh: 1: Syntax error: Unterminated quoted string",
        "sh: -c: line 1: unexpected EOF while looking for matching",
        "sh: -c: line 2: syntax error: unexpected end of file",
    ],
)
@pytest.mark.parametrize("expected", [0, None])
def test_what_the_shell_could_not_run_is_no_evidence(stderr: str, expected: int | None) -> None:
    """`! rg TODO src` ends with 0 if there is no `rg`."""
    assert judge_command(CommandCheck("", "x", expected), ended(0, err=stderr)).state == "unverified"
    assert judge_command(CommandCheck("", "x", expected), ended(2, err=stderr)).state == "unverified"


@pytest.mark.parametrize("stderr", ["page: not found", "a.py: Syntax error", "sh: all is well"])
def test_what_a_program_says_is_evidence(stderr: str) -> None:
    assert judge_command(CommandCheck("", "x"), ended(0, err=stderr)).state == "passed"


@pytest.mark.parametrize(
    ("wanted", "printed", "state"),
    [
        pytest.param("0", "0\n", "passed", id="the-number"),
        pytest.param("0", "10\n", "failed", id="its-last-digit"),
        pytest.param("1", "12", "failed", id="its-first-digit"),
        pytest.param("0", "0.5", "failed", id="whole-part"),
        pytest.param("5", "0.5", "failed", id="fraction"),
        pytest.param("1", "-1", "failed", id="negative"),
        pytest.param("1", "12 and 1.", "passed", id="later"),
        pytest.param("1.2.0", "tool-1.2.0", "passed", id="version"),
        pytest.param("1.2.0", "v1.2.0", "passed", id="version-with-v"),
        pytest.param("0 errors", "10 errors", "failed", id="in-words"),
        pytest.param("errors: 1", "errors: 1,200", "failed", id="thousands"),
        pytest.param("ok", "it is ok", "passed", id="words"),
    ],
)
def test_a_printed_number_is_all_of_it(wanted: str, printed: str, state: str) -> None:
    assert judge_command(CommandCheck("", "x", 0, wanted), ended(0, printed)).state == state
