"""What every fix loop keeps: the results of its attempts, the agents that may work, time and money spent."""

from dataclasses import dataclass, field, replace
from typing import Self

from reknit.core.agents.call import AgentCall, RateLimited, Unusable
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.testing.proof import Proof


@dataclass(frozen=True)
class AttemptResult:
    """The result of one agent call that edits."""

    call: AgentCall
    after: str
    """The snapshot commit of the attempt's tree; the start commit if nothing changed."""
    unsafe: tuple[tuple[str, str], ...]
    """Entries the snapshot refused to read: (path, why)."""
    at: float
    """Unix time of the snapshot. Later commits of this work use it too, so a repeated step makes the same commit."""
    spent_usd: float = 0.0
    """The run's total after this call, including calls cut off by a crash."""


@dataclass(frozen=True)
class ProvenAttempt:
    """Work that the gate accepted and the tests proved."""

    attempt: AttemptResult
    gate: GateVerdict
    proof: Proof


@dataclass(frozen=True)
class RunProgress:
    """The counters that every fix loop has."""

    rotation: AgentRotation
    worked_s: float = field(default=0.0, kw_only=True)
    spent_usd: float = field(default=0.0, kw_only=True)

    def add_work(self, seconds: float, spent_usd: float) -> Self:
        """Return the progress with more work. `spent_usd`: the run's total, which never falls."""
        return replace(self, worked_s=self.worked_s + seconds, spent_usd=max(self.spent_usd, spent_usd))

    def with_wait(self, limited: RateLimited, seconds: float, spent_usd: float) -> Self:
        return replace(self.add_work(seconds, spent_usd), rotation=self.rotation.after_limit(limited))

    def after_wait(self, agent: str, limited: RateLimited, wait_s: float) -> Self:
        return replace(self, rotation=self.rotation.after_wait(agent, limited, wait_s))

    def with_block(self, agent: str, refused: Unusable, spent_usd: float) -> Self:
        return replace(self.add_work(0.0, spent_usd), rotation=self.rotation.after_refusal(agent, refused))

    def without_work(self, agent: str, attempt: AttemptResult) -> Self | None:
        """Return the progress after a rate limit, or after an agent that a person must help; None: the agent worked."""
        outcome = attempt.call.outcome
        if isinstance(outcome, RateLimited):
            return self.with_wait(outcome, attempt.call.seconds, attempt.spent_usd)
        return self.with_block(agent, outcome, attempt.spent_usd) if isinstance(outcome, Unusable) else None
