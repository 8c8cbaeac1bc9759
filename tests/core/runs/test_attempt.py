"""What every fix loop counts, and what an agent that could not work changes."""

import pytest

from reknit.core.agents.call import Aborted, AgentCall, Done, Outcome, RateLimited, Unusable
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import AttemptResult, RunProgress

NOT_NOW, NO_KEY = RateLimited("rate_limited"), Unusable("login", "no key")
BUSY = RunProgress(AgentRotation(("claude", "gemini")), worked_s=5.0, spent_usd=0.5)


def made(outcome: Outcome, spent_usd: float = 0.9) -> AttemptResult:
    return AttemptResult(AgentCall(outcome, seconds=7.0), "after", (), 1.0, spent_usd)


@pytest.mark.parametrize(("told", "expected"), [(0.2, 0.5), (0.9, 0.9)])
def test_what_was_spent_never_becomes_less(told: float, expected: float) -> None:
    assert BUSY.add_work(0.0, told).spent_usd == expected


def test_a_limit_is_a_wait_of_the_rotation_and_its_time_was_worked() -> None:
    after = BUSY.without_work("claude", made(NOT_NOW))
    assert after == RunProgress(BUSY.rotation.after_limit(NOT_NOW), worked_s=12.0, spent_usd=0.9)


def test_after_a_limit_without_a_wait_the_next_agent_works() -> None:
    after = BUSY.with_wait(NOT_NOW, 0.0, 0.0).after_wait("claude", NOT_NOW, 0.0)
    assert (after.rotation.next, after.rotation.waits) == ("gemini", 1)


def test_an_agent_that_needs_a_person_is_out_and_its_time_does_not_count() -> None:
    after = BUSY.without_work("claude", made(NO_KEY))
    assert after == RunProgress(BUSY.rotation.after_refusal("claude", NO_KEY), worked_s=5.0, spent_usd=0.9)


@pytest.mark.parametrize("outcome", [Done(), Aborted("timeout")])
def test_all_others_have_worked(outcome: Outcome) -> None:
    assert BUSY.without_work("claude", made(outcome)) is None
