"""What the steps of a run on the backlog hand on."""

from dataclasses import dataclass

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import Limited, Refused
from reknit.core.testing.proof import ProofWord


@dataclass(frozen=True)
class Held:
    """The change of one attempt on top of the head, and whether the tests held."""

    commit: str
    why: str
    """Empty: they did."""
    seconds: float
    passed: int = 0
    word: ProofWord = "held"


@dataclass(frozen=True)
class Asked:
    """One call of the challenger."""

    agent: str
    answer: Limited | Refused | None
    """None: it was heard, or broke."""
    review: Review | None
    why: str
    """Without a review: why there is none."""
    seconds: float
    spent_usd: float


@dataclass(frozen=True)
class Committed:
    commit: str
    paths: tuple[str, ...]
