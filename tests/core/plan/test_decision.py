from dataclasses import replace

import pytest

from reknit.core.agents.call import Aborted, AgentCall, Outcome, RateLimited, Unusable
from reknit.core.plan.decision import PlanResult, decide_ending
from tests.tools.plan_samples import CURRENT, PROPOSAL, PROVISIONAL, REJECTED, UNANSWERED


def test_only_a_current_plan_is_a_success() -> None:
    ends = [decide_ending(made, "plan.md") for made in (CURRENT, PROVISIONAL, REJECTED, UNANSWERED)]
    assert [end.exit_code for end in ends] == [0, 1, 1, 1]
    assert [end.word for end in ends] == ["CLEAN", "DEFERRED", "DEFERRED", "DEFERRED"]
    assert ends[0].reason == "plan.md is current: grey, confidence 78"
    assert ends[1].reason == ("plan.md is provisional: 1 problem, first RuleConfidenceFloor: its confidence is 40")
    assert "validation failed" in ends[2].reason
    assert "analysis failed: answer 1" in ends[3].reason


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (Aborted("budget"), "OVER_BUDGET"),
        (Aborted("timeout"), "DEFERRED"),
        (Unusable("login", "no key"), "BLOCKED"),
        (RateLimited("rate_limited"), "BLOCKED"),
    ],
)
def test_an_agent_that_could_not_work_is_exit_code_1(outcome: Outcome, word: str) -> None:
    end = decide_ending(PlanResult(AgentCall(outcome), None), "plan.md")
    assert (end.word, end.exit_code, end.cause) == (word, 1, "fallback")


def test_a_text_of_a_person_is_left_alone() -> None:
    end = decide_ending(replace(CURRENT), "plan.md", is_edited=True)
    assert (end.word, end.exit_code) == ("DEFERRED", 1)
    assert "--replace" in end.reason


def test_a_plan_that_holds() -> None:
    assert (CURRENT.proposal, CURRENT.status, CURRENT.failed_stage, CURRENT.errors) == (PROPOSAL, "current", None, ())


def test_soft_failures_are_no_failed_stage() -> None:
    assert (PROVISIONAL.status, PROVISIONAL.failed_stage) == ("provisional", None)
    assert PROVISIONAL.errors == ("RuleConfidenceFloor: its confidence is 40",)


def test_hard_failures_name_their_stage_and_all_errors() -> None:
    assert (REJECTED.status, REJECTED.failed_stage) == ("fallback", "validation")
    assert len(REJECTED.errors) == 2


def test_refused_answers_are_all_told() -> None:
    assert (UNANSWERED.status, UNANSWERED.failed_stage, UNANSWERED.failures) == ("fallback", "analysis", ())
    assert UNANSWERED.errors == ("answer 1: confidence: expected less", "answer 2: no call")


def test_an_agent_that_never_answered_is_told_by_its_outcome() -> None:
    made = PlanResult(AgentCall(Aborted("timeout")), None)
    assert made.errors == ("the agent gave no answer: timeout",)
