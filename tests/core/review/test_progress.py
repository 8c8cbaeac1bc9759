"""What a review counts: who was heard, what was tried, and which commit has every fix."""

from reknit.core.review.progress import FixAttempt, ReviewProgress
from reknit.core.runs.agent_rotation import AgentRotation
from tests.tools.review_samples import NEEDS_WORK, ONE, PASSED, TWO

START = ReviewProgress(AgentRotation(("claude", "codex"), tired=(("claude", None),)), "base")


def test_answers_are_kept_in_order_and_counted() -> None:
    heard = START.with_answer(NEEDS_WORK, 2.0, 0.5).with_answer(PASSED, 3.0, 0.4)
    assert (heard.heard, heard.worked_s, heard.spent_usd, heard.head) == ((NEEDS_WORK, PASSED), 5.0, 0.5, "base")
    assert heard.rotation == START.rotation


def test_only_a_kept_fix_moves_the_head() -> None:
    refused = START.with_try(FixAttempt(1, 2, kept=False, why="red"), "bad", 2.0, 0.5)
    assert (refused.head, refused.fixed, refused.worked_s, refused.rotation.tired) == ("base", frozenset(), 2.0, ())
    kept = refused.with_try(FixAttempt(2, 2, kept=True, why=""), "new", 1.0, 0.7)
    assert (kept.head, kept.fixed, kept.worked_s, kept.spent_usd) == ("new", frozenset({2}), 3.0, 0.7)
    assert [tried.number for tried in kept.tries_on(2)] == [1, 2]
    assert kept.tries_on(1) == ()


def test_a_batch_is_named_by_its_findings() -> None:
    assert (ONE.ids, ONE.name) == (("COR-001",), "COR-001")
    assert TWO.name == "COR-002, COR-003"
