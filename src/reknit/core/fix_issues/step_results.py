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
    """Reason why the tests did not hold; empty: they did."""
    seconds: float
    passed: int = 0
    word: ProofWord = "held"
    still_reported: tuple[int, ...] = ()
    """Issues that their tools still report, if the change is kept."""
    checked_issues: tuple[int, ...] = ()
    """Issues that a check of their own showed to be resolved: their tool, their test, or the plan's criteria."""

    def to_proof(self, evidence: str) -> Proof:
        sentence = self.why.splitlines()[0] if self.why else f"{self.passed} passed, no new failures"
        return Proof(self.word, sentence, evidence, output_tail=self.why[-2000:])


@dataclass(frozen=True)
class ToolChange:
    """The tree after tools have applied their fixes."""

    after: str
    """The commit of the change; the head if nothing changed."""
    at: float
    seconds: float
    why: str = ""
    """Reason why there is no change to judge; empty: there is one."""


@dataclass(frozen=True)
class ToolProof:
    """The tests on the fixes of tools, and the tools' new reports."""

    why: str
    """Reason why the fixes are not kept; empty: the tests held, and tools are silent about some issues."""
    seconds: float
    fixes: tuple[ToolFix, ...] = ()


@dataclass(frozen=True)
class ChallengeCall:
    """One call of the challenger."""

    agent: str
    answer: RateLimited | Unusable | None
    """Reason why it could not work; None: it answered, or its call was aborted."""
    review: Review | None
    why: str
    """Reason if there is no review."""
    seconds: float
    spent_usd: float


@dataclass(frozen=True)
class BacklogCommit:
    """The commit of a run, and the paths in it."""

    commit: str
    paths: tuple[str, ...]
