"""The story of a scripted agent, as it is read."""

import json

import pytest

from reknit.adapters.agents.scripted.story import Move, move_for, read_story, report_of
from reknit.core.agent_reports.values import FixReport, ReportedFinding, Review
from reknit.core.errors import UsageProblem

FINDING = {"category": "style", "severity": "warning", "file": "a.py", "line": 1, "issue": "x"}


@pytest.mark.parametrize(
    ("story", "word"),
    [
        pytest.param("{", "cannot be read", id="no JSON"),
        pytest.param('[{"wirte": {}}]', "wirte", id="an unknown key"),
        pytest.param("[3]", "cannot be read", id="a move that is none"),
        pytest.param("[]", "no moves", id="no moves"),
        pytest.param('[{"outcome": "great"}]', "'great' is not an outcome", id="an unknown outcome"),
        pytest.param('[{"report": {"stauts": "fixed"}}]', "stauts", id="a report that is none"),
    ],
)
def test_a_story_that_cannot_be_played_says_why(story: str, word: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        read_story(story)
    assert word in problem.value.what
    assert "JSON list" in problem.value.help


def test_an_empty_story_is_one_move_that_does_nothing() -> None:
    assert read_story("") == (Move(),)


def test_reports() -> None:
    review = {"verdict": "needs_work", "score_0_100": 40, "summary": "s", "findings": [FINDING]}
    story = json.dumps([{}, {"report": {"status": "gave_up", "summary": "s"}}, {"report": review}])
    assert [report_of(move) for move in read_story(story)] == [
        None,
        FixReport("gave_up", "s"),
        Review("needs_work", 40, "s", (ReportedFinding("style", "warning", "a.py", 1, "x"),)),
    ]


FIRST, SECOND, TOLD, OTHER = Move(say="1"), Move(say="2"), Move(say="a", when="correctness"), Move(say="b", when="fix")


@pytest.mark.parametrize(
    ("moves", "attempt", "prompt", "move"),
    [
        pytest.param((FIRST, SECOND), 1, "correctness", FIRST, id="the first attempt"),
        pytest.param((FIRST, SECOND), 5, "", SECOND, id="the last move repeats"),
        pytest.param((FIRST, TOLD, SECOND), 2, "tests", SECOND, id="a move for other prompts is no attempt"),
        pytest.param((FIRST, TOLD, OTHER), 1, "as correctness", TOLD, id="the prompt decides"),
        pytest.param((OTHER, TOLD), 1, "fix correctness", OTHER, id="the first that is for it"),
        pytest.param((TOLD,), 1, "tests", Move(), id="none is for it"),
    ],
)
def test_which_move_is_played(moves: tuple[Move, ...], attempt: int, prompt: str, move: Move) -> None:
    assert move_for(moves, attempt, prompt) == move
