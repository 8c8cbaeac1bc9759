"""Each error carries its exit code."""

import pytest

from reknit.core.errors import InternalError, LoginNeeded, ReknitError, ToolMissing, UsageProblem, problem_of


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
