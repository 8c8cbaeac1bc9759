"""The answers of the tamper checks, and what is made of several."""

import pytest

from reknit.core.check_answer import (
    AnswerWord,
    CheckAnswer,
    find_tampering,
    has_held,
    merge_answers,
    render_answer,
    render_answers,
    shows_harmless,
)

HELD = CheckAnswer("canaries", "held", "as they must be")
NONE = CheckAnswer("twins", "no verdict", "there are none")
SEEN = CheckAnswer("second-harness", "tampering", "fails elsewhere")


def test_tampering_is_found_among_others() -> None:
    assert find_tampering([HELD, NONE, SEEN]) == SEEN
    assert find_tampering([HELD, NONE]) is None


@pytest.mark.parametrize(("word", "is_held"), [("held", True), ("tampering", False), ("no verdict", False)])
def test_only_the_second_harness_shows_what_code_does_unseen(word: AnswerWord, *, is_held: bool) -> None:
    answers = [HELD, CheckAnswer("second-harness", word, "")]
    assert has_held("second-harness", answers) is shows_harmless("test-awareness", answers) is is_held
    assert not has_held("second-harness", [HELD])


def test_of_several_projects_the_worst_answer_counts() -> None:
    bad = CheckAnswer("canaries", "tampering", "bad")
    assert merge_answers([[HELD, NONE], [bad]]) == (bad, NONE)
    assert merge_answers([[SEEN, NONE], [HELD]]) == (HELD, NONE, SEEN)
    assert merge_answers([[HELD], [CheckAnswer("canaries", "no verdict", "why")]])[0].word == "no verdict"
    absent = CheckAnswer("twins", "no verdict", "no value is compared", applies=False)
    assert merge_answers([[absent], [NONE]]) == merge_answers([[NONE], [absent]]) == (NONE,)
    assert merge_answers([]) == ()


def test_answers_are_told_with_and_without_their_sentence() -> None:
    assert render_answer(HELD) == "canaries held: as they must be"
    assert render_answers([HELD, NONE]) == "1 tamper check held"
    assert render_answers([HELD, NONE, SEEN]) == "1 tamper check held, second-harness saw tampering"
    assert render_answers([NONE]) == "no tamper check had a verdict"
