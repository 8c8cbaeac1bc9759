"""What the agent answered when it was asked for a plan, and how the rules judged it."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.agent_reports.values import PlanProposal
from reknit.core.agents.call import AgentCall, outcome_word
from reknit.core.planning.plan_file.plan import PlanStatus
from reknit.core.planning.validation.rules import RuleFailure, Validation

Stage = Literal["analysis", "validation"]


@dataclass(frozen=True)
class PlanResult:
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
        """If it is a fallback."""
        if self.validation is None:
            return "analysis"
        return "validation" if self.status == "fallback" else None

    @property
    def errors(self) -> tuple[str, ...]:
        """All that was wrong, for people."""
        if self.validation is not None:
            return tuple(f"{failure.rule}: {failure.text}" for failure in self.failures)
        refused = tuple(f"answer {number}: {each.why}" for number, each in enumerate(self.call.refused_answers, 1))
        return refused or (f"the agent gave no answer: {self.hindered}",)

    @property
    def hindered(self) -> str:
        detail = getattr(self.call.outcome, "detail", "")
        return f"{outcome_word(self.call.outcome)} {detail}".strip()
