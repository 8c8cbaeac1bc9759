"""What the attempt step hands on: the call's outcome and where its work is kept."""

from dataclasses import dataclass

from reknit.core.agents.call import AgentCall


@dataclass(frozen=True)
class AttemptResult:
    call: AgentCall
    after: str
    """The snapshot commit of the attempt's tree; the start commit when nothing changed."""
    unsafe: tuple[tuple[str, str], ...]
    """Entries the snapshot would not read: (path, why)."""
    at: float
    """When it was taken; every later commit of this work bears this time, so that it is the same commit again."""
    spent_usd: float = 0.0
    """The run's total after this call, with what calls cost that a crash cut off."""
