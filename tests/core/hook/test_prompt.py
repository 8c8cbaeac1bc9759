from dataclasses import replace

import pytest

from reknit.core.errors import ReknitError, UsageError
from reknit.core.hook.mode import Armed, FixMode, start_bug
from reknit.core.hook.prompt import (
    PULL_USAGE,
    PullRequestPrompt,
    answer_armed,
    answer_parked,
    answer_refused,
    answer_started,
    is_test_package,
    lacks_test,
    parse_bug_and_test,
    parse_pull_request,
    to_inner_repository_problem,
)

MODE = FixMode("m-1", "/shop", "a" * 40, start_bug("BUG-001", "tests/test_x.py", 3), 1.0, "w1")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        pytest.param("BUG-001 tests/test_x.py", ("BUG-001", "tests/test_x.py"), id="a bug and a file"),
        pytest.param("  B  tests/test_x.py::test_a ", ("B", "tests/test_x.py::test_a"), id="a test in a file"),
        pytest.param("B 'my tests/test_x.py'", ("B", "my tests/test_x.py"), id="a path with a space"),
    ],
)
def test_a_bug_and_its_test_are_read_as_in_a_shell(typed: str, found: tuple[str, str]) -> None:
    assert parse_bug_and_test(typed) == found


@pytest.mark.parametrize("typed", ["", "BUG-001", "BUG-001 a b", "BUG-001 'a"])
def test_anything_else_is_told_how_it_is_typed(typed: str) -> None:
    with pytest.raises(UsageError) as told:
        parse_bug_and_test(typed)
    assert "BUG-001 path/of/the/test" in told.value.help


def test_the_model_learns_what_to_fix_and_that_it_is_checked_and_the_person_that_it_is_armed() -> None:
    answer = answer_armed(Armed(MODE), "BeforeAgent")
    assert answer["systemMessage"] == "reknit: BUG-001 is armed: tests/test_x.py, at most 3 attempts"
    output = answer["hookSpecificOutput"]
    assert isinstance(output, dict)
    assert output["hookEventName"] == "BeforeAgent"
    assert "Fix the code so that tests/test_x.py passes. Whenever you stop" in output["additionalContext"]


def test_both_learn_that_another_bug_is_no_longer_checked() -> None:
    earlier = replace(MODE, bug=start_bug("BUG-000", "tests/test_y.py", 3))
    answer = answer_armed(Armed(MODE, (earlier,)), "BeforeAgent")
    told = "BUG-000 is no longer checked in this window."
    assert str(answer["systemMessage"]).splitlines()[1:] == [told]
    assert f" {told} Fix the code" in answer["hookSpecificOutput"]["additionalContext"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        pytest.param("", PullRequestPrompt(), id="of the current branch"),
        pytest.param("12", PullRequestPrompt(12), id="a number"),
        pytest.param("#12 --max-iterations=3", PullRequestPrompt(12, 3), id="a number and a limit"),
        pytest.param("--max-iterations 100", PullRequestPrompt(None, 100), id="a limit"),
        pytest.param(" stop ", PullRequestPrompt(stop=True), id="stop"),
    ],
)
def test_a_pull_request_is_named_by_its_number_or_not_at_all(typed: str, asked: PullRequestPrompt) -> None:
    assert parse_pull_request(typed) == asked


@pytest.mark.parametrize(
    "typed", ["now", "1 2", "0", "--max-iterations=0", "--max-iterations=101", "stop 1", "--budget=9", "٣"]
)
def test_what_cannot_be_understood_starts_nothing(typed: str) -> None:
    with pytest.raises(UsageError) as told:
        parse_pull_request(typed)
    assert PULL_USAGE in told.value.help


def test_both_learn_that_the_work_is_done_elsewhere() -> None:
    answer = answer_started("r-1 repairs PR #7", "UserPromptSubmit")
    output = answer["hookSpecificOutput"]
    assert answer["systemMessage"] == "reknit: r-1 repairs PR #7"
    assert isinstance(output, dict)
    assert output["additionalContext"].startswith("reknit: r-1 repairs PR #7\nThe work is done in the background")


@pytest.mark.parametrize(("help_", "told"), [("do this", "why\ndo this"), ("", "why")])
def test_a_problem_takes_the_prompt_away_so_that_no_model_is_asked(help_: str, told: str) -> None:
    answer = answer_refused(ReknitError("name", "why", help=help_), "UserPromptSubmit")
    assert (answer["decision"], answer["reason"]) == ("block", told)


def test_what_is_parked_is_not_said_to_be_worked_on() -> None:
    answer = answer_parked("r-1 is stopped.", "UserPromptSubmit")
    model = answer["hookSpecificOutput"]["additionalContext"]  # type: ignore[index]
    assert (answer["systemMessage"], model.splitlines()[0]) == ("reknit: r-1 is stopped.", "reknit: r-1 is stopped.")
    assert "background" not in model


@pytest.mark.parametrize(
    "answer",
    [
        answer_started("main\u202e\x1b[31m", "BeforeAgent"),
        answer_parked("main\u202e\x1b[31m", "BeforeAgent"),
        answer_refused(ReknitError("name", "main\u202e\x1b[31m"), "BeforeAgent"),
    ],
)
def test_no_text_controls_the_terminal_of_the_agent(answer: dict[str, object]) -> None:
    """A branch may have such a name, and a forge may say anything."""
    output = answer["hookSpecificOutput"]
    assert isinstance(output, dict)
    said = "".join(str(text) for text in (answer.get("systemMessage"), answer.get("reason"), *output.values()))
    assert "main\\u202e\\x1b[31m" in said
    assert not {"\x1b", "\u202e"} & {*said}


TEXT = """
import unittest
from elsewhere import test_imported

def test_one(): ...

class First(unittest.TestCase):
    def test_two(self): ...

class Second(Shared, unittest.TestCase): ...

class Third:
    def test_four(self): ...
"""


@pytest.mark.parametrize(
    ("test", "missing"),
    [
        ("test_one", False),
        ("test_one[a::b]", False),
        ("test_imported", False),
        ("test_on", True),
        ("First", False),
        ("First::test_two", False),
        ("First::test_none", True),
        ("Fourth::test_two", True),
        ("Second::test_inherited", False),
        ("Third::test_none", True),
        ("", True),
        ("First::", True),
        ("a.doctest", False),
    ],
)
def test_a_test_that_a_python_file_does_not_mention_is_missing(test: str, missing: bool) -> None:
    assert lacks_test(TEXT, "tests/test_a.py", test) is missing


@pytest.mark.parametrize("line", ["from shared import *", "globals()['test_x'] = f", "setattr(First, name, f)"])
def test_names_that_are_built_cannot_be_looked_for(line: str) -> None:
    assert not lacks_test(TEXT + line, "test_a.py", "test_none")


def test_only_python_names_its_tests_by_identifiers() -> None:
    assert not lacks_test("test('adds', ...)", "a.test.ts", "adds")
    assert not lacks_test("", "a.spec.ts", "it > adds")


@pytest.mark.parametrize(
    ("names", "is_one"), [(["cart.go", "cart_test.go"], True), (["test_cart.py", "cart.go"], False), ([], False)]
)
def test_only_go_names_its_tests_by_their_folder(names: list[str], is_one: bool) -> None:
    assert is_test_package(names) is is_one


def test_a_test_of_another_repository_is_told_where_the_window_must_be() -> None:
    problem = to_inner_repository_problem("lib/test_a.py", "/my shop/lib")
    assert (problem.message.startswith("'lib/test_a.py' is in a submodule"), "'/my shop/lib'" in problem.message) == (
        True,
        True,
    )
    assert problem.help == "open the window in '/my shop/lib', and name the test from there"
