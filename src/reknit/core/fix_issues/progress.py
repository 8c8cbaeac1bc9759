"""The state of a backlog run: what it has seen and done so far."""

from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Review
from reknit.core.checks.status import TestsResult
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import RunProgress
from reknit.core.runs.limits import IssueLimits
from reknit.core.runs.spec import Batch


@dataclass(frozen=True)
class BacklogBaseline:
    """What the run found at its start."""

    tests: TestsResult
    taken: tuple[int, ...]
    """Issues this run has claimed; another run or a person has taken the others in the meantime."""


@dataclass(frozen=True)
class BatchAttempt:
    """One agent call on a batch, or on the challenger's objections."""

    number: int
    batch: int
    """0: the whole change, after a challenge."""
    round: int
    kept: bool
    """The gate accepted it, and the tests held."""
    why: str
    """If not kept: why not, for the next call and for people."""
    final: bool = False
    """The agent did not finish its work: it is not asked again in this run."""
    agent: str = ""


@dataclass(frozen=True)
class ChallengeScore:
    """One answer of the challenger on one commit. No review: it gave no valid answer."""

    head: str
    review: Review | None
    why: str = ""

    def approves(self, limits: IssueLimits) -> bool:
        review = self.review
        return review is not None and review.verdict == "passed" and review.score_0_100 >= limits.threshold_0_100


@dataclass(frozen=True)
class BacklogProgress(RunProgress):
    head: str
    """The commit with everything kept so far."""
    taken: tuple[int, ...]
    judges: AgentRotation
    """The challenger alone, or empty if there is none."""
    tried: tuple[BatchAttempt, ...] = ()
    scores: tuple[ChallengeScore, ...] = ()
    at: float = 0.0
    """When the newest kept change was made."""

    @property
    def kept_batches(self) -> frozenset[int]:
        return frozenset(tried.batch for tried in self.tried if tried.kept and tried.batch)

    @property
    def authors(self) -> tuple[str, ...]:
        """Agents that wrote part of what was kept."""
        return tuple(dict.fromkeys(tried.agent for tried in self.tried if tried.kept))

    @property
    def heard(self) -> tuple[ChallengeScore, ...]:
        return tuple(scored for scored in self.scores if scored.review)

    def tries_on(self, batch: int, round_number: int = 0) -> tuple[BatchAttempt, ...]:
        return tuple(tried for tried in self.tried if (tried.batch, tried.round) == (batch, round_number))

    def issues_of(self, batch: Batch) -> tuple[int, ...]:
        return tuple(issue for issue in batch.issues if issue in self.taken)

    def with_try(
        self, tried: BatchAttempt, head: str, at: float, seconds: float, spent_usd: float
    ) -> "BacklogProgress":
        counted = self.counted(seconds, spent_usd)
        after = replace(counted, tried=(*self.tried, tried), rotation=self.rotation.worked())
        return replace(after, head=head, at=at) if tried.kept else after

    def with_score(self, scored: ChallengeScore, seconds: float, spent_usd: float) -> "BacklogProgress":
        return replace(self.with_judges(self.judges.worked(), seconds, spent_usd), scores=(*self.scores, scored))

    def with_judges(self, judges: AgentRotation, seconds: float = 0.0, spent_usd: float = 0.0) -> "BacklogProgress":
        return replace(self.counted(seconds, spent_usd), judges=judges)
