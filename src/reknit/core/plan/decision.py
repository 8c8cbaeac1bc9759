"""How a run that makes a plan ends. A plan that no variant may run on is no success."""

from reknit.core.agents.call import Aborted, RateLimited, Unusable
from reknit.core.plan.made import MadePlan
from reknit.core.runs.ending import Ending, EndingWord
from reknit.core.text.format import counted, one_line

KEPT = "edited"
"""Cause of a DEFERRED run whose plan was not written, because a person edited the file meanwhile."""


def ending_of_plan(made: MadePlan, file: str, *, is_kept: bool = False) -> Ending:
    """`is_kept`: the file has a person's text, and was left alone."""
    proposal = made.proposal
    if is_kept:
        return Ending("DEFERRED", f"{file} was edited meanwhile and was not overwritten; --replace does", KEPT)
    if made.status == "current" and proposal:
        return Ending("CLEAN", f"{file} is current: {proposal.primary}, confidence {proposal.confidence_0_100}")
    if made.status == "provisional":
        what = f"{file} is provisional: {counted(len(made.failures), 'rule')} did not hold"
        return Ending("DEFERRED", f"{what}, first {one_line(made.errors[0])}", "provisional")
    why = f"{file} is a fallback: {made.failed_stage} failed: {one_line(made.errors[0])}"
    return Ending(_word(made), why, "fallback")


def _word(made: MadePlan) -> EndingWord:
    outcome = made.call.outcome
    if isinstance(outcome, Aborted) and outcome.why == "budget":
        return "OVER_BUDGET"
    return "BLOCKED" if isinstance(outcome, Unusable | RateLimited) else "DEFERRED"
