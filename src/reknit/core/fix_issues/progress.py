"""What a run on the backlog has seen and done so far."""

from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import Limited, Refused
from reknit.core.checks.status import TestsSeen
from reknit.core.runs.agent_rotation import Crew
from reknit.core.runs.limits import IssueLimits
from reknit.core.runs.spec import Batch


@dataclass(frozen=True)
class Observed:
    """What the run found when it began."""

    tests: TestsSeen
    taken: tuple[int, ...]
    """Issues that are this run's now; of the others somebody took care meanwhile."""


@dataclass(frozen=True)
class Tried:
    """One agent call on a batch, or on what the challenger said."""

    number: int
    batch: int
    """0: the whole, after the challenger's words."""
    round: int
    kept: bool
    """The gate accepted it and the tests held."""
    why: str
    """If not kept: why, for the next call and for people."""
    final: bool = False
    """The agent did not end its work: in this run it is not asked again."""
    agent: str = ""


@dataclass(frozen=True)
class Scored:
    """One answer of the challenger about one commit. No review: it could not be heard."""

    head: str
    review: Review | None
    why: str = ""

    def approves(self, limits: IssueLimits) -> bool:
        review = self.review
        return review is not None and review.verdict == "passed" and review.score_0_100 >= limits.threshold_0_100


@dataclass(frozen=True)
class Progress:
    head: str
    """The commit with everything that was kept so far."""
    crew: Crew
    taken: tuple[int, ...]
    judges: Crew
    """Of one, the challenger; of none, where there is no challenger."""
    tried: tuple[Tried, ...] = ()
    scores: tuple[Scored, ...] = ()
    worked_s: float = 0.0
    spent_usd: float = 0.0
    at: float = 0.0
    """When the newest kept change was made."""

    @property
    def kept_batches(self) -> frozenset[int]:
        return frozenset(tried.batch for tried in self.tried if tried.kept and tried.batch)

    @property
    def authors(self) -> tuple[str, ...]:
        """Agents that wrote something of what was kept."""
        return tuple(dict.fromkeys(tried.agent for tried in self.tried if tried.kept))

    @property
    def heard(self) -> tuple[Scored, ...]:
        return tuple(scored for scored in self.scores if scored.review)

    def tries_on(self, batch: int, round_number: int = 0) -> tuple[Tried, ...]:
        return tuple(tried for tried in self.tried if (tried.batch, tried.round) == (batch, round_number))

    def issues_of(self, batch: Batch) -> tuple[int, ...]:
        return tuple(issue for issue in batch.issues if issue in self.taken)

    def with_try(self, tried: Tried, head: str, at: float, seconds: float, spent_usd: float) -> "Progress":
        after = replace(self, tried=(*self.tried, tried), crew=self.crew.worked(), worked_s=self.worked_s + seconds)
        after = replace(after, spent_usd=max(self.spent_usd, spent_usd))
        return replace(after, head=head, at=at) if tried.kept else after

    def with_score(self, scored: Scored, seconds: float, spent_usd: float) -> "Progress":
        spent, worked = max(self.spent_usd, spent_usd), self.worked_s + seconds
        judges = self.judges.worked()
        return replace(self, scores=(*self.scores, scored), judges=judges, spent_usd=spent, worked_s=worked)

    def with_wait(self, limited: Limited, seconds: float, spent_usd: float, *, judge: bool) -> "Progress":
        after = replace(self, spent_usd=max(self.spent_usd, spent_usd), worked_s=self.worked_s + seconds)
        if judge:
            return replace(after, judges=self.judges.limited(limited))
        return replace(after, crew=self.crew.limited(limited))

    def rested(self, agent: str, limited: Limited, wait_s: float, *, judge: bool) -> "Progress":
        if judge:
            return replace(self, judges=self.judges.rested(agent, limited, wait_s))
        return replace(self, crew=self.crew.rested(agent, limited, wait_s))

    def with_block(self, agent: str, refused: Refused, spent_usd: float, *, judge: bool) -> "Progress":
        after = replace(self, spent_usd=max(self.spent_usd, spent_usd))
        if judge:
            return replace(after, judges=self.judges.refused(agent, refused))
        return replace(after, crew=self.crew.refused(agent, refused))
