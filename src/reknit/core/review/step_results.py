"""Results of the steps of a review run."""

from dataclasses import dataclass

from reknit.core.agents.call import RateLimited, Unusable
from reknit.core.review.progress import HeardReview
from reknit.core.testing.proof import Proof, ProofWord


@dataclass(frozen=True)
class ReviewerCall:
    """One call of a reviewer about the whole change."""

    heard: HeardReview
    limited: RateLimited | None
    """It has to be asked again later."""
    may_retry: bool
    """The call failed in a way that another one may not."""
    seconds: float
    spent_usd: float


@dataclass(frozen=True)
class Confirmation:
    """What a reviewer says about one fix of its findings. It can reject the fix, but never make up for a red test."""

    still_there: str
    """Why the problem remains; empty: the reviewer does not say so."""
    unheard: str = ""
    """Why it gave no answer."""
    limited: RateLimited | Unusable | None = None
    seconds: float = 0.0
    spent_usd: float = 0.0


@dataclass(frozen=True)
class FixProof:
    """One attempt's change committed on top of the head, and whether the tests held."""

    commit: str
    why: str
    """Empty: they did."""
    passed: int = 0
    unseen: str = ""
    """Why the tests gave no result."""
    seconds: float = 0.0
    word: ProofWord = "regressed"
    """What they show if they did not hold."""

    def as_proof(self, evidence: str, said: Confirmation | None) -> Proof:
        if self.why:
            word: ProofWord = "unseen" if self.unseen else self.word
            return Proof(word, self.why.splitlines()[0], evidence, output_tail=self.why[-2000:])
        if said and (problem := said.still_there or said.unheard):
            return Proof("unproven" if said.still_there else "unseen", problem.splitlines()[0], evidence)
        return Proof("held", f"{self.passed} passed, no new failures", evidence)
