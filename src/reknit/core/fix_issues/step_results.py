"""What the steps of a run on the backlog hand on."""

from dataclasses import dataclass

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import RateLimited, Unusable
from reknit.core.testing.proof import ProofWord


@dataclass(frozen=True)
class BatchProof:
    """The change of one attempt on top of the head, and whether the tests held."""

    commit: str
    why: str
    """Empty: they did."""
    seconds: float
    passed: int = 0
    word: ProofWord = "held"


@dataclass(frozen=True)
class ChallengeCall:
    """One call of the challenger."""

    agent: str
    answer: RateLimited | Unusable | None
    """None: it was heard, or broke."""
    review: Review | None
    why: str
    """Without a review: why there is none."""
    seconds: float
    spent_usd: float


@dataclass(frozen=True)
class BacklogCommit:
    commit: str
    paths: tuple[str, ...]
