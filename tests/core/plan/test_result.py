from reknit.core.agents.call import Aborted, AgentCall
from reknit.core.plan.result import PlanResult
from tests.tools.plan_samples import CURRENT, PROPOSAL, PROVISIONAL, REJECTED, UNANSWERED


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
