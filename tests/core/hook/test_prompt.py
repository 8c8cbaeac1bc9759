import pytest

from reknit.core.errors import ReknitError, UsageProblem
from reknit.core.hook.mode import begin
from reknit.core.hook.prompt import armed_answer, bug_and_test, refused_answer


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        pytest.param("BUG-001 tests/test_x.py", ("BUG-001", "tests/test_x.py"), id="a bug and a file"),
        pytest.param("  B  tests/test_x.py::test_a ", ("B", "tests/test_x.py::test_a"), id="a test in a file"),
        pytest.param("B 'my tests/test_x.py'", ("B", "my tests/test_x.py"), id="a path with a space"),
    ],
)
def test_a_bug_and_its_test_are_read_as_in_a_shell(typed: str, found: tuple[str, str]) -> None:
    assert bug_and_test(typed) == found


@pytest.mark.parametrize("typed", ["", "BUG-001", "BUG-001 a b", "BUG-001 'a"])
def test_anything_else_is_told_how_it_is_typed(typed: str) -> None:
    with pytest.raises(UsageProblem) as told:
        bug_and_test(typed)
    assert "BUG-001 path/of/the/test" in told.value.help


def test_the_model_learns_what_to_fix_and_that_it_is_checked_and_the_person_that_it_is_armed() -> None:
    answer = armed_answer(begin("BUG-001", "tests/test_x.py", 3), "BeforeAgent")
    assert answer["systemMessage"] == "reknit: BUG-001 is armed: tests/test_x.py, at most 3 attempts"
    output = answer["hookSpecificOutput"]
    assert isinstance(output, dict)
    assert output["hookEventName"] == "BeforeAgent"
    assert "Fix the code so that tests/test_x.py passes. Whenever you stop" in output["additionalContext"]


@pytest.mark.parametrize(
    ("help_", "told"), [("do this", "nothing is armed: why; do this"), ("", "nothing is armed: why")]
)
def test_a_problem_is_told_to_both(help_: str, told: str) -> None:
    answer = refused_answer(ReknitError("name", "why", help=help_), "UserPromptSubmit")
    output = answer["hookSpecificOutput"]
    assert answer["systemMessage"] == f"reknit: {told}"
    assert isinstance(output, dict)
    assert output["additionalContext"].startswith(f"reknit: {told}. Tell this to the person and stop")
