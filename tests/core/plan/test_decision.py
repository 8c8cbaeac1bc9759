from dataclasses import replace

import pytest

from reknit.core.agents.call import Aborted, AgentCall, Outcome, RateLimited, Unusable
from reknit.core.plan.decision import ending_of_plan
from reknit.core.plan.result import PlanResult
from tests.tools.plan_samples import CURRENT, PROVISIONAL, REJECTED, UNANSWERED


def test_only_a_current_plan_is_a_success() -> None:
    ends = [ending_of_plan(made, "plan.md") for made in (CURRENT, PROVISIONAL, REJECTED, UNANSWERED)]
    assert [end.exit_code for end in ends] == [0, 1, 1, 1]
    assert [end.word for end in ends] == ["CLEAN", "DEFERRED", "DEFERRED", "DEFERRED"]
    assert ends[0].reason == "plan.md is current: grey, confidence 78"
    assert ends[1].reason == (
        "plan.md is provisional: 1 rule did not hold, first RuleConfidenceFloor: its confidence is 40"
    )
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
    end = ending_of_plan(PlanResult(AgentCall(outcome), None), "plan.md")
    assert (end.word, end.exit_code, end.cause) == (word, 1, "fallback")


def test_a_text_of_a_person_is_left_alone() -> None:
    end = ending_of_plan(replace(CURRENT), "plan.md", is_kept=True)
    assert (end.word, end.exit_code) == ("DEFERRED", 1)
    assert "--replace" in end.reason
