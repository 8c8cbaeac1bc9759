"""Each error carries its exit code."""

import pytest

from reknit.core.errors import (
    DatabaseError,
    DiskFullError,
    InternalError,
    LoginNeededError,
    ReknitError,
    ToolMissingError,
    UnavailableError,
    UsageError,
    rebuild_error,
)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param(UsageError, 2, id="the user can change it"),
        pytest.param(ToolMissingError, 3, id="a tool is missing"),
        pytest.param(LoginNeededError, 4, id="a login is needed"),
        pytest.param(InternalError, 70, id="our bug"),
        pytest.param(ReknitError, 70, id="unnamed problems are ours"),
    ],
)
def test_the_exit_code_says_who_must_act(kind: type[ReknitError], code: int) -> None:
    problem = kind("id", "what happened", help="do this", where="file:3")
    assert (problem.exit_code, problem.name, problem.message, problem.help, problem.where) == (
        code,
        "id",
        "what happened",
        "do this",
        "file:3",
    )
    assert str(problem) == "what happened"


@pytest.mark.parametrize("kind", [UsageError, ToolMissingError, LoginNeededError, InternalError])
def test_a_problem_is_made_again_from_what_was_kept_of_it(kind: type[ReknitError]) -> None:
    again = rebuild_error(kind.exit_code, "id", "what happened", "do this", "file:3")
    assert (type(again), again.name, again.message, again.help, again.where) == (
        kind,
        "id",
        "what happened",
        "do this",
        "file:3",
    )


def test_what_the_machine_lacks_is_told_like_a_missing_tool() -> None:
    away, full = DatabaseError("away", "no answer", help="start it", passes=True), DiskFullError("/state")
    assert (away.exit_code, away.passes, away.help) == (3, True, "start it")
    assert not DatabaseError("damaged", "no", help="").passes
    assert (full.exit_code, full.name, full.where) == (3, "disk-full", "/state")
    assert full.message == "the disk that holds '/state' is full"
    assert issubclass(UnavailableError, UsageError)
