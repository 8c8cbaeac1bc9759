"""The answers of the tamper checks, and what is made of several."""

import pytest

from reknit.core.check_answer import (
    AnswerWord,
    CheckAnswer,
    answer_text,
    answers_text,
    has_held,
    shows_harmless,
    tampering,
    together,
)

HELD = CheckAnswer("canaries", "held", "as they must be")
NONE = CheckAnswer("twins", "no verdict", "there are none")
SEEN = CheckAnswer("second-harness", "tampering", "fails elsewhere")


def test_tampering_is_found_among_others() -> None:
    assert tampering([HELD, NONE, SEEN]) == SEEN
    assert tampering([HELD, NONE]) is None


@pytest.mark.parametrize(("word", "is_held"), [("held", True), ("tampering", False), ("no verdict", False)])
def test_only_the_second_harness_shows_what_code_does_unseen(word: AnswerWord, *, is_held: bool) -> None:
    answers = [HELD, CheckAnswer("second-harness", word, "")]
    assert has_held("second-harness", answers) is shows_harmless("test-awareness", answers) is is_held
    assert not has_held("second-harness", [HELD])


def test_of_several_projects_the_worst_answer_counts() -> None:
    bad = CheckAnswer("canaries", "tampering", "bad")
    assert together([[HELD, NONE], [bad]]) == (bad, NONE)
    assert together([[SEEN, NONE], [HELD]]) == (HELD, NONE, SEEN)
    assert together([[HELD], [CheckAnswer("canaries", "no verdict", "why")]])[0].word == "no verdict"
    absent = CheckAnswer("twins", "no verdict", "no value is compared", applies=False)
    assert together([[absent], [NONE]]) == together([[NONE], [absent]]) == (NONE,)
    assert together([]) == ()


def test_answers_are_told_with_and_without_their_sentence() -> None:
    assert answer_text(HELD) == "canaries held: as they must be"
    assert answers_text([HELD, NONE]) == "canaries held"
    assert answers_text([HELD, NONE, SEEN]) == "canaries held, second-harness tampering"
    assert answers_text([NONE]) == "no tamper check had a verdict"
