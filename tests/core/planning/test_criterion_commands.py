"""Commands and tests as evidence: what the machine lacks is unverified, never failed."""

from typing import Any

import pytest

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import CommandCheck, ProjectTests
from reknit.core.planning.criterion_commands import judge_command, judge_tests
from reknit.core.planning.criterion_facts import CriterionResult
from reknit.core.testing.report import WHOLE_SUITE, TestReport


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


RED = TestReport("fail", "junit", {"t/a.py::x": "passed", "t/a.py::y": "failed", "t/b.py::z": "passed"})


@pytest.mark.parametrize(
    ("test", "report", "state", "text"),
    [
        pytest.param("", TestReport("pass", "junit", {"a": "passed"}), "passed", "1 test passed", id="all"),
        pytest.param("", RED, "failed", "1 test failed: t/a.py::y", id="red"),
        pytest.param("t/a.py", RED, "failed", "1 test failed: t/a.py::y", id="red-file"),
        pytest.param("t/b.py", RED, "passed", "1 test passed", id="green-file-of-a-red-suite"),
        pytest.param("t/a.py::x", RED, "passed", "1 test passed", id="one-test"),
        pytest.param("t/", RED, "failed", "1 test failed: t/a.py::y", id="folder"),
        pytest.param("t/c.py", RED, "unverified", "no such test was run", id="not-run"),
        pytest.param(
            "c.py", TestReport("pass", "junit", {"C.x": "passed"}, files={"C.x": "c.py"}), "passed", "1 test passed",
            id="by-its-file",
        ),
        pytest.param(
            "t/a.py", TestReport("pass", "exit code", {WHOLE_SUITE: "passed"}), "unverified",
            "the test command does not say which tests it ran", id="exit-code",
        ),
        pytest.param(
            "", TestReport("error", "junit", why="no pytest"), "unverified", "the tests gave no result: no pytest",
            id="no-result",
        ),
        pytest.param(
            "", TestReport("fail", "junit", {"a": "passed"}), "failed", "the tests are red", id="red-beside-tests"
        ),
    ],
)  # fmt: skip
def test_tests(test: str, report: TestReport, state: str, text: str) -> None:
    seen = judge_tests(ProjectTests("", test), report)
    assert isinstance(seen, CriterionResult)
    assert (seen.state, seen.text) == (state, text)
