"""The state of a backlog run: what it has seen and done so far."""

from collections.abc import Mapping, Sequence
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
    still: tuple[int, ...] = ()
    """If kept: issues of the run that their tools report nevertheless."""
    checked: tuple[int, ...] = ()
    """If kept: issues of the run that a check of their own saw resolved."""
    needed: tuple[tuple[str, str], ...] = ()
    """If the gate refused it: (rule, path) of the waivers that would let it pass."""


@dataclass(frozen=True)
class ToolFix:
    """Issues that tools fixed themselves: the gate accepted the change, the tests held, and the tools are silent."""

    by: str
    """`ruff 0.17.4`"""
    issues: tuple[int, ...]


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
    tool_fixes: tuple[ToolFix, ...] = ()
    """All of them are older than the first agent's work."""
    tools_head: str = ""
    """The commit with everything that tools fixed, and nothing else."""
    tools_at: float = 0.0
    gone: tuple[int, ...] = ()
    """Issues that their tools do not report on the base commit."""

    @property
    def by_tools(self) -> Mapping[int, str]:
        """Issue -> the tool that fixed it."""
        return {issue: fix.by for fix in self.tool_fixes for issue in fix.issues}

    @property
    def only_tools(self) -> bool:
        """No agent wrote any of what was kept."""
        return bool(self.tool_fixes) and not self.kept_batches

    @property
    def still(self) -> frozenset[int]:
        """Issues that their tools report on the head. After each fix, all that were worked on are checked again."""
        kept = [tried for tried in self.tried if tried.kept]
        return frozenset(kept[-1].still) if kept else frozenset()

    @property
    def checked(self) -> frozenset[int]:
        """Issues that tools fixed, and those that a check of their own saw resolved on the head."""
        kept = [tried for tried in self.tried if tried.kept]
        return frozenset([*self.by_tools, *(kept[-1].checked if kept else ())])

    @property
    def kept_batches(self) -> frozenset[int]:
        return frozenset(tried.batch for tried in self.tried if tried.kept and tried.batch)

    @property
    def authors(self) -> tuple[str, ...]:
        """Tools and agents that wrote part of what was kept."""
        tools = [fix.by for fix in self.tool_fixes]
        return tuple(dict.fromkeys([*tools, *(tried.agent for tried in self.tried if tried.kept)]))

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

    def with_tool_fixes(self, fixes: Sequence[ToolFix], head: str, at: float, seconds: float) -> "BacklogProgress":
        """`fixes`: empty if nothing was kept."""
        after = self.counted(seconds, 0.0)
        if not fixes:
            return after
        kept = (*self.tool_fixes, *fixes)
        return replace(after, tool_fixes=kept, head=head, at=at, tools_head=head, tools_at=at)

    def without_agents(self) -> "BacklogProgress":
        """Only what tools fixed: what agents made of it was not accepted as a whole."""
        return replace(self, head=self.tools_head, at=self.tools_at, tried=(), scores=())

    def with_score(self, scored: ChallengeScore, seconds: float, spent_usd: float) -> "BacklogProgress":
        return replace(self.with_judges(self.judges.worked(), seconds, spent_usd), scores=(*self.scores, scored))

    def with_judges(self, judges: AgentRotation, seconds: float = 0.0, spent_usd: float = 0.0) -> "BacklogProgress":
        return replace(self.counted(seconds, spent_usd), judges=judges)
