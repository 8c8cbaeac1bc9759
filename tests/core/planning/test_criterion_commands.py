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
