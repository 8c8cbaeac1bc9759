"""How a run that makes a plan ends. A plan that no variant may run on is no success."""

from reknit.core.agents.call import Aborted, RateLimited, Unusable
from reknit.core.plan.result import PlanResult
from reknit.core.runs.ending import Ending, EndingWord
from reknit.core.text.format import counted, one_line

KEPT = "edited"
"""Cause of a DEFERRED run whose plan was not written, because a person edited the file meanwhile."""


def ending_of_plan(result: PlanResult, file: str, *, is_kept: bool = False) -> Ending:
    """`is_kept`: the file has a person's text, and was left alone."""
    proposal = result.proposal
    if is_kept:
        return Ending("DEFERRED", f"{file} was edited meanwhile and was not overwritten; --replace does", KEPT)
    if result.status == "current" and proposal:
        return Ending("CLEAN", f"{file} is current: {proposal.primary}, confidence {proposal.confidence_0_100}")
    if result.status == "provisional":
        what = f"{file} is provisional: {counted(len(result.failures), 'rule')} did not hold"
        return Ending("DEFERRED", f"{what}, first {one_line(result.errors[0])}", "provisional")
    why = f"{file} is a fallback: {result.failed_stage} failed: {one_line(result.errors[0])}"
    return Ending(_word(result), why, "fallback")


def _word(result: PlanResult) -> EndingWord:
    outcome = result.call.outcome
    if isinstance(outcome, Aborted) and outcome.why == "budget":
        return "OVER_BUDGET"
    return "BLOCKED" if isinstance(outcome, Unusable | RateLimited) else "DEFERRED"
