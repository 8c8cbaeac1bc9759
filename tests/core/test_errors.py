"""Each error carries its exit code."""

import pytest

from reknit.core.errors import (
    DatabaseProblem,
    DiskFull,
    InternalError,
    LoginNeeded,
    ReknitError,
    ToolMissing,
    Unavailable,
    UsageProblem,
    problem_of,
)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param(UsageProblem, 2, id="the user can change it"),
        pytest.param(ToolMissing, 3, id="a tool is missing"),
        pytest.param(LoginNeeded, 4, id="a login is needed"),
        pytest.param(InternalError, 70, id="our bug"),
        pytest.param(ReknitError, 70, id="unnamed problems are ours"),
    ],
)
def test_the_exit_code_says_who_must_act(kind: type[ReknitError], code: int) -> None:
    problem = kind("id", "what happened", help="do this", where="file:3")
    assert (problem.exit_code, problem.name, problem.what, problem.help, problem.where) == (
        code,
        "id",
        "what happened",
        "do this",
        "file:3",
    )
    assert str(problem) == "what happened"


@pytest.mark.parametrize("kind", [UsageProblem, ToolMissing, LoginNeeded, InternalError])
def test_a_problem_is_made_again_from_what_was_kept_of_it(kind: type[ReknitError]) -> None:
    again = problem_of(kind.exit_code, "id", "what happened", "do this", "file:3")
    assert (type(again), again.name, again.what, again.help, again.where) == (
        kind,
        "id",
        "what happened",
        "do this",
        "file:3",
    )


def test_what_the_machine_lacks_is_told_like_a_missing_tool() -> None:
    away, full = DatabaseProblem("away", "no answer", help="start it", passes=True), DiskFull("/state")
    assert (away.exit_code, away.passes, away.help) == (3, True, "start it")
    assert not DatabaseProblem("damaged", "no", help="").passes
    assert (full.exit_code, full.name, full.where) == (3, "disk-full", "/state")
    assert full.what == "the disk that holds '/state' is full"
    assert issubclass(Unavailable, UsageProblem)
