"""Results of the steps of a backlog run."""

from dataclasses import dataclass

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import RateLimited, Unusable
from reknit.core.fix_issues.progress import ToolFix
from reknit.core.testing.proof import Proof, ProofWord


@dataclass(frozen=True)
class BatchProof:
    """One attempt's change committed on top of the head, and whether the tests held."""

    commit: str
    why: str
    """Empty: they did."""
    seconds: float
    passed: int = 0
    word: ProofWord = "held"
    still: tuple[int, ...] = ()
    """Issues that their tools report nevertheless, if the change is kept."""
    checked: tuple[int, ...] = ()
    """Issues that a check of their own saw resolved: their tool, the test that they name, the criteria of the plan."""

    def as_proof(self, evidence: str) -> Proof:
        sentence = self.why.splitlines()[0] if self.why else f"{self.passed} passed, no new failures"
        return Proof(self.word, sentence, evidence, output_tail=self.why[-2000:])


@dataclass(frozen=True)
class ToolChange:
    """What tools left in the tree."""

    after: str
    """The commit of the change; the head if nothing changed."""
    at: float
    seconds: float
    why: str = ""
    """Why there is no change to judge; empty: there is one."""


@dataclass(frozen=True)
class ToolProof:
    """The tests on what tools changed, and what the tools say now."""

    why: str
    """Empty: the tests held, and the tools are silent about some issues."""
    seconds: float
    fixes: tuple[ToolFix, ...] = ()


@dataclass(frozen=True)
class ChallengeCall:
    """One call of the challenger."""

    agent: str
    answer: RateLimited | Unusable | None
    """None: it answered, or its call was aborted."""
    review: Review | None
    why: str
    """If there is no review: why."""
    seconds: float
    spent_usd: float


@dataclass(frozen=True)
class BacklogCommit:
    commit: str
    paths: tuple[str, ...]
