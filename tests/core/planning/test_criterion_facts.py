"""Criteria about files, judged by their texts, and commands, judged by how they end."""

from typing import Any

import pytest

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import FactCheck, parse_criterion
from reknit.core.planning.criterion_facts import CriterionResult, find_file, judge_command, judge_fact

NO_REGEX = "its pattern is not a regular expression: missing ), unterminated subpattern at position 0"


def parsed(criterion: str) -> FactCheck:
    check = parse_criterion(criterion)
    assert isinstance(check, FactCheck)
    return check


@pytest.mark.parametrize(
    ("criterion", "text", "state", "why"),
    [
        ("file: a.md exists", "", "passed", "seen in: a.md"),
        ("file: a.md exists", None, "failed", "not there: a.md"),
        ("file: a.md absent", None, "passed", "not there: a.md"),
        ("file: a.md absent", "", "failed", "still there: a.md"),
        ("file: a.md contains x y", "a x y", "passed", "seen in: a.md"),
        ("file: a.md contains x y", "x  y", "failed", "a.md: `x y` is not in it"),
        ("file: a.md contains x", None, "failed", "not there: a.md"),
        ("file: a.md lacks x", "y", "passed", "seen in: a.md"),
        ("file: a.md lacks x", "x", "failed", "a.md: `x` is in it"),
        ("file: a.md lacks x", None, "failed", "not there: a.md"),
        ("file: a.md matches ^b+$", "a\nbb\n", "passed", "seen in: a.md"),
        ("file: a.md matches ^b+$", "abb", "failed", "a.md: nothing in it matches `^b+$`"),
        ("file: a.md matches [[a]", "[", "passed", "seen in: a.md"),
        ("file: a.md matches (", "(", "unverified", NO_REGEX),
    ],
)
def test_a_criterion_is_judged_by_the_text(criterion: str, text: str | None, state: str, why: str) -> None:
    assert judge_fact(parsed(criterion), "a.md", text) == CriterionResult(state, why)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("criterion", "tracked", "expected"),
    [
        ("file: a.md exists", [], "a.md"),
        ("file: a.md contains x", ["a.md", "a.md.bak"], "a.md"),
        ("file: docs/ exists", ["docs/b.md", "docs/a.md"], "docs/a.md"),
        ("file: docs exists", ["docs2/a.md"], "docs"),
        ("file: docs absent", ["docs/a.md"], "docs/a.md"),
        ("file: src lacks TODO", ["src/a.py"], "src/"),
    ],
)
def test_the_file_that_a_criterion_is_about(criterion: str, tracked: list[str], expected: str) -> None:
    assert find_file(parsed(criterion), tracked) == expected


@pytest.mark.parametrize("criterion", ["file: src/ lacks TODO", "file: src contains ok", "file: src/ matches ok"])
def test_one_file_of_a_folder_tells_nothing_about_the_others(criterion: str) -> None:
    check = parsed(criterion)
    seen = judge_fact(check, find_file(check, ("src/a.py", "src/deep/b.py")), None)
    assert (seen.state, seen.text.startswith("a folder, and only the text of a file")) == ("unverified", True)


def ended(exit_code: int = 0, out: str = "", err: str = "", **more: Any) -> CommandResult:
    given: dict[str, Any] = {"reason": "exit", "seconds": 1.0, **more}
    return CommandResult(exit_code=exit_code, stdout=out.encode(), stderr=err.encode(), **given)


@pytest.mark.parametrize(
    ("result", "state", "text"),
    [
        pytest.param(ended(), "passed", "exit code 0", id="passes"),
        pytest.param(ended(1, "out", "no\nway"), "failed", "exit code 1: no way", id="fails"),
        pytest.param(ended(1, "out"), "failed", "exit code 1: out", id="prints"),
        pytest.param(ended(1), "failed", "exit code 1", id="silent"),
        pytest.param(ended(127), "unverified", "the command could not start (exit code 127)", id="no-such-program"),
        pytest.param(ended(-9), "unverified", "the command was killed by signal 9", id="killed"),
        pytest.param(
            ended(137), "unverified", "the command was killed, which a lack of memory may do (exit code 137)",
            id="killed-in-a-box",
        ),
        pytest.param(ended(reason="wall"), "unverified", "the command took too long", id="long"),
        pytest.param(
            ended(1, services="unknown"), "unverified",
            "the command was not started: a service beside it was not ready", id="services",
        ),
    ],
)  # fmt: skip
def test_commands(result: CommandResult, state: str, text: str) -> None:
    seen = judge_command(result)
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
def test_what_the_shell_could_not_run_is_no_evidence(stderr: str) -> None:
    """`! rg TODO src` ends with 0 if there is no `rg`."""
    assert judge_command(ended(0, err=stderr)).state == "unverified"
    assert judge_command(ended(2, err=stderr)).state == "unverified"


@pytest.mark.parametrize("stderr", ["page: not found", "a.py: Syntax error", "sh: all is well"])
def test_what_a_program_says_is_evidence(stderr: str) -> None:
    assert judge_command(ended(0, err=stderr)).state == "passed"
