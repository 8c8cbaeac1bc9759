"""The result of the attempt step: the call's outcome and where its work is stored."""

from dataclasses import dataclass

from reknit.core.agents.call import AgentCall


@dataclass(frozen=True)
class AttemptResult:
    call: AgentCall
    after: str
    """The snapshot commit of the attempt's tree; the start commit if nothing changed."""
    unsafe: tuple[tuple[str, str], ...]
    """Entries the snapshot refused to read: (path, why)."""
    at: float
    """When the snapshot was taken; later commits of this work use this time, so a repeat makes the same commit."""
    spent_usd: float = 0.0
    """The run's total after this call, including calls cut off by a crash."""
