"""Commands as evidence: what the machine lacks is unverified, never failed."""

from typing import Any

import pytest

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import CommandCheck
from reknit.core.planning.criterion_commands import judge_command


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
