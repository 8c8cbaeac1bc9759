import pytest

from reknit.core.agents.reviewer import Reviewer
from reknit.core.agents.reviewer_choice import ReviewerChoice, choose, instructions, named
from reknit.core.errors import UsageProblem

SECURITY = Reviewer("security", "blocking", "SEC", "Look for holes.")
GO = Reviewer("go", "warning", "GO", "Look for races.", ("go",))
TESTS = Reviewer("tests", "warning", "TST", "Look at tests.", ("py", "ts"))
ALL = (SECURITY, GO, TESTS)


@pytest.mark.parametrize(
    ("names", "paths", "choice"),
    [
        pytest.param([], ["a.py"], ReviewerChoice((SECURITY, TESTS), (GO,)), id="all, and one has other languages"),
        pytest.param(["tests", "security"], ["a.py"], ReviewerChoice((SECURITY, TESTS)), id="in their own order"),
        pytest.param(["go"], ["a.py"], ReviewerChoice((), (GO,)), id="a named one is filtered too"),
        pytest.param(["go", "go"], ["a.go"], ReviewerChoice((GO,)), id="named twice"),
        pytest.param([], [], ReviewerChoice((SECURITY,), (GO, TESTS)), id="no files"),
    ],
)
def test_who_is_asked_and_who_is_skipped(names: list[str], paths: list[str], choice: ReviewerChoice) -> None:
    assert choose(ALL, names, paths) == choice


def test_an_unknown_name_gets_a_hint_and_the_list() -> None:
    with pytest.raises(UsageProblem) as caught:
        choose(ALL, ["go", "secrity", "zzz"], ["a.py"])
    assert (caught.value.name, caught.value.exit_code) == ("reviewer", 2)
    assert caught.value.what == "--reviewer: no reviewer is called 'secrity' or 'zzz'"
    assert caught.value.help == "did you mean `security`? known: security, go, tests"


def test_where_the_name_was_given_is_named() -> None:
    with pytest.raises(UsageProblem) as caught:
        named(ALL, ["zzz"], "checks.review.reviewers")
    assert caught.value.what == "checks.review.reviewers: no reviewer is called 'zzz'"
    assert caught.value.help == "known: security, go, tests"


def test_one_call_gets_the_instructions_that_are_for_its_files() -> None:
    assert instructions(ALL, ["a.ts"]) == "Reviewer security:\n\nLook for holes.\n\nReviewer tests:\n\nLook at tests."
    assert instructions((GO,), ["a.ts"]) == ""
