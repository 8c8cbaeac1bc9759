import pytest

from reknit.core.agents.reviewer import Reviewer, ReviewerChoice, choose_reviewers, join_instructions, select_by_name
from reknit.core.errors import UsageError


@pytest.mark.parametrize(
    ("languages", "paths", "is_for"),
    [
        pytest.param((), ["a.go"], True, id="no filter"),
        pytest.param(("py", "TS"), ["src/A.PY", "b.go"], True, id="one of the files"),
        pytest.param(("go",), ["a.py", "b.ts"], False, id="none of the files"),
        pytest.param(("go",), ["go", ".go", "a.go/x"], False, id="only an extension counts"),
        pytest.param(("go",), [], False, id="nothing changed"),
    ],
)
def test_the_filter_looks_at_the_changed_files(languages: tuple[str, ...], paths: list[str], is_for: bool) -> None:
    assert Reviewer("r", "blocking", "R", "text", languages).is_for(paths) is is_for


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
    assert choose_reviewers(ALL, names, paths) == choice


def test_an_unknown_name_gets_a_hint_and_the_list() -> None:
    with pytest.raises(UsageError) as caught:
        choose_reviewers(ALL, ["go", "secrity", "zzz"], ["a.py"])
    assert (caught.value.name, caught.value.exit_code) == ("reviewer", 2)
    assert caught.value.message == "--reviewer: no reviewer is called 'secrity' or 'zzz'"
    assert caught.value.help == "did you mean `security`? known: security, go, tests"


def test_where_the_name_was_given_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        select_by_name(ALL, ["zzz"], "checks.review.reviewers")
    assert caught.value.message == "checks.review.reviewers: no reviewer is called 'zzz'"
    assert caught.value.help == "known: security, go, tests"


def test_one_call_gets_the_instructions_that_are_for_its_files() -> None:
    assert (
        join_instructions(ALL, ["a.ts"]) == "Reviewer security:\n\nLook for holes.\n\nReviewer tests:\n\nLook at tests."
    )
    assert join_instructions((GO,), ["a.ts"]) == ""
