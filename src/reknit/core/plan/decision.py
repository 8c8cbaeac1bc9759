"""Judges a plan run and decides how it ends. A plan that no variant may run on is no success."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.agent_reports.values import PlanProposal
from reknit.core.agents.call import Aborted, AgentCall, RateLimited, Unusable, to_outcome_word
from reknit.core.planning.plan_file.plan import PlanStatus
from reknit.core.planning.rules import RuleFailure, Validation
from reknit.core.runs.ending import Ending, EndingWord
from reknit.core.text.format import pluralize, to_one_line

Stage = Literal["analysis", "validation"]
EDITED = "edited"
"""Cause of a DEFERRED run whose plan was not written, because a person edited the file meanwhile."""


@dataclass(frozen=True)
class PlanResult:
    """The answer of the agent, and the judgement of the rules."""

    call: AgentCall
    validation: Validation | None
    """None: there was no proposal to judge."""
    needs_grant: tuple[str, ...] = ()
    """Files of its tasks that no fix may change unless a person grants it."""

    @property
    def proposal(self) -> PlanProposal | None:
        return self.call.report if isinstance(self.call.report, PlanProposal) else None

    @property
    def status(self) -> PlanStatus:
        return self.validation.status if self.validation else "fallback"

    @property
    def failures(self) -> tuple[RuleFailure, ...]:
        return self.validation.failures if self.validation else ()

    @property
    def failed_stage(self) -> Stage | None:
        """Return the stage that made it a fallback."""
        if self.validation is None:
            return "analysis"
        return "validation" if self.status == "fallback" else None

    @property
    def errors(self) -> tuple[str, ...]:
        """Return every problem, for people."""
        if self.validation is not None:
            return tuple(f"{failure.rule}: {failure.text}" for failure in self.failures)
        refused = tuple(f"answer {number}: {answer.why}" for number, answer in enumerate(self.call.refused_answers, 1))
        return refused or (f"the agent gave no answer: {self.failure}",)

    @property
    def failure(self) -> str:
        detail = getattr(self.call.outcome, "detail", "")
        return f"{to_outcome_word(self.call.outcome)} {detail}".strip()


def decide_ending(result: PlanResult, file: str, *, is_edited: bool = False) -> Ending:
    """Return the ending. `is_edited`: a person changed the file, so it was left alone."""
    proposal = result.proposal
    if is_edited:
        return Ending("DEFERRED", f"{file} was edited meanwhile and was not overwritten; --replace does", EDITED)
    if result.status == "current" and proposal:
        return Ending("CLEAN", f"{file} is current: {proposal.primary}, confidence {proposal.confidence_0_100}")
    if result.status == "provisional":
        summary = f"{file} is provisional: {pluralize(len(result.failures), 'problem')}"
        return Ending("DEFERRED", f"{summary}, first {to_one_line(result.errors[0])}", "provisional")
    why = f"{file} is a fallback: {result.failed_stage} failed: {to_one_line(result.errors[0])}"
    return Ending(_choose_word(result), why, "fallback")


def _choose_word(result: PlanResult) -> EndingWord:
    outcome = result.call.outcome
    if isinstance(outcome, Aborted) and outcome.why == "budget":
        return "OVER_BUDGET"
    return "BLOCKED" if isinstance(outcome, Unusable | RateLimited) else "DEFERRED"
