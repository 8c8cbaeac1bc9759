"""The state of a backlog run: its baseline, its attempts, and the issues that they resolved."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Report, Review
from reknit.core.checks.status import TestsResult
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.gate.needed_waivers import (
    can_only_person_help,
    explain_blocked,
    find_needed_waivers,
    should_ask_person,
)
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import RunProgress
from reknit.core.runs.limits import IssueLimits


@dataclass(frozen=True)
class BacklogBaseline:
    """Result of the tests, and the claimed issues, at the start of the run."""

    tests: TestsResult
    claimed_issues: tuple[int, ...]
    """Issues that this run has claimed; another run or a person has taken the others."""


@dataclass(frozen=True)
class BatchAttempt:
    """One agent call on a batch, or on the challenger's objections."""

    number: int
    batch: int
    """Number of the batch; 0: the whole change, after a challenge."""
    round: int
    is_kept: bool
    """True if the gate accepted the change and no test turned red."""
    why: str
    """Reason why the change was not kept, for the next call and for people."""
    final: bool = False
    """True if this run does not call an agent on this work again."""
    agent: str = ""
    still_reported: tuple[int, ...] = ()
    """Issues of the run that their tools still report after a kept change."""
    checked_issues: tuple[int, ...] = ()
    """Issues of the run that their tool, their test or a criterion of the plan showed to be resolved."""
    missing_waivers: tuple[tuple[str, str], ...] = ()
    """(rule, path) of the waivers that would let a refused change pass the gate."""
    report: Report | None = None
    """The typed report of the agent, if its change was kept."""


@dataclass(frozen=True)
class ToolFix:
    """Issues that one tool fixed: the gate accepted the fix, no test turned red, and the tool is silent about them."""

    by: str
    """Name and version: `ruff 0.17.4`."""
    issues: tuple[int, ...]


@dataclass(frozen=True)
class ChallengeScore:
    """One answer of the challenger about one commit; without a review if the answer was not valid."""

    head: str
    review: Review | None
    why: str = ""

    def approves(self, limits: IssueLimits) -> bool:
        review = self.review
        return review is not None and review.verdict == "passed" and review.score_0_100 >= limits.threshold_0_100


@dataclass(frozen=True)
class BacklogProgress(RunProgress):
    """The results of a backlog run so far."""

    head: str
    """The commit with all kept changes."""
    claimed_issues: tuple[int, ...]
    judges: AgentRotation
    """The challenger alone, or empty if there is none."""
    attempts: tuple[BatchAttempt, ...] = ()
    scores: tuple[ChallengeScore, ...] = ()
    at: float = 0.0
    """Time of the newest kept change, in seconds since the epoch."""
    tool_fixes: tuple[ToolFix, ...] = ()
    """Fixes of tools, made before the first call of an agent."""
    tools_head: str = ""
    """The commit with only the fixes of tools."""
    tools_at: float = 0.0
    absent_issues: tuple[int, ...] = ()
    """Issues that their tools do not report on the base commit."""

    @property
    def by_tools(self) -> Mapping[int, str]:
        """Return a map from each issue that a tool fixed to the tool."""
        return {issue: fix.by for fix in self.tool_fixes for issue in fix.issues}

    @property
    def only_tools(self) -> bool:
        """Return True if tools wrote all kept changes."""
        return bool(self.tool_fixes) and not self.kept_batches

    @property
    def still_reported(self) -> frozenset[int]:
        """Return the issues that their tools report on the head, from the checks after the last kept change."""
        kept_attempts = [attempt for attempt in self.attempts if attempt.is_kept]
        return frozenset(kept_attempts[-1].still_reported) if kept_attempts else frozenset()

    @property
    def checked_issues(self) -> frozenset[int]:
        """Return the issues that tools fixed, and those that a check of their own showed to be resolved on the head."""
        kept_attempts = [attempt for attempt in self.attempts if attempt.is_kept]
        return frozenset([*self.by_tools, *(kept_attempts[-1].checked_issues if kept_attempts else ())])

    @property
    def kept_batches(self) -> frozenset[int]:
        return frozenset(attempt.batch for attempt in self.attempts if attempt.is_kept and attempt.batch)

    @property
    def authors(self) -> tuple[str, ...]:
        """Return the tools and agents that wrote the kept changes."""
        tools = [fix.by for fix in self.tool_fixes]
        return tuple(dict.fromkeys([*tools, *(attempt.agent for attempt in self.attempts if attempt.is_kept)]))

    @property
    def only_report(self) -> Report | None:
        """Return the report of the only kept change; None if there are several, or if tools changed something too."""
        kept_attempts = [attempt for attempt in self.attempts if attempt.is_kept]
        return kept_attempts[0].report if len(kept_attempts) == 1 and not self.tool_fixes else None

    @property
    def answered_scores(self) -> tuple[ChallengeScore, ...]:
        return tuple(score for score in self.scores if score.review)

    def attempts_on(self, batch: int, round_number: int = 0) -> tuple[BatchAttempt, ...]:
        return tuple(attempt for attempt in self.attempts if (attempt.batch, attempt.round) == (batch, round_number))

    def issues_of(self, batch: Batch) -> tuple[int, ...]:
        return tuple(issue for issue in batch.issues if issue in self.claimed_issues)

    def with_attempt(
        self, attempt: BatchAttempt, head: str, at: float, seconds: float, spent_usd: float
    ) -> "BacklogProgress":
        progress = self.add_work(seconds, spent_usd)
        after = replace(progress, attempts=(*self.attempts, attempt), rotation=self.rotation.after_work())
        return replace(after, head=head, at=at) if attempt.is_kept else after

    def with_tool_fixes(self, fixes: Sequence[ToolFix], head: str, at: float, seconds: float) -> "BacklogProgress":
        """Return the progress after tools were tried; `fixes` is empty if none was kept."""
        after = self.add_work(seconds, 0.0)
        if not fixes:
            return after
        tool_fixes = (*self.tool_fixes, *fixes)
        return replace(after, tool_fixes=tool_fixes, head=head, at=at, tools_head=head, tools_at=at)

    def without_agents(self) -> "BacklogProgress":
        """Return the progress with only the tools' fixes, after the agents' work was rejected as a whole."""
        return replace(self, head=self.tools_head, at=self.tools_at, attempts=(), scores=())

    def with_score(self, score: ChallengeScore, seconds: float, spent_usd: float) -> "BacklogProgress":
        return replace(self.with_judges(self.judges.after_work(), seconds, spent_usd), scores=(*self.scores, score))

    def with_judges(self, judges: AgentRotation, seconds: float = 0.0, spent_usd: float = 0.0) -> "BacklogProgress":
        return replace(self.add_work(seconds, spent_usd), judges=judges)


def add_missing_waivers(
    attempt: BatchAttempt, verdict: GateVerdict, waivers: Waivers, before: Sequence[BatchAttempt], attempts: int,
    plan: str = "",
) -> BatchAttempt:  # fmt: skip
    """Add the waivers that the change needs. If only a person can grant them, no further attempt is made."""
    missing = find_needed_waivers(verdict, waivers)
    if not missing:
        return attempt
    final = should_ask_person(
        missing, before[-1].missing_waivers if before else (), at_once=can_only_person_help(verdict)
    )
    is_last = final or len(before) + 1 >= attempts  # the next agent must not read the waivers that a person may grant
    return replace(
        attempt,
        missing_waivers=missing,
        final=final,
        why=explain_blocked(missing, waivers, plan) if is_last else attempt.why,
    )


def end_unchanged_task(attempt: BatchAttempt, verdict: GateVerdict, progress: BacklogProgress) -> BatchAttempt:
    """End the attempts on a plan's task that left nothing to change. Often an earlier agent has done the task too."""
    if not progress.kept_batches or [refusal.rule for refusal in verdict.refusals] != ["nothing-changed"]:
        return attempt
    return replace(attempt, final=True, why=f"{attempt.why}\nAn earlier task may have done this one too.")


def list_kept_issues(progress: BacklogProgress, target: FixIssues) -> tuple[int, ...]:
    """Return the issues that tools fixed, and those of the kept batches."""
    batches = [batch for batch in target.batches if batch.number in progress.kept_batches]
    return (*progress.by_tools, *(issue for batch in batches for issue in progress.issues_of(batch)))


def list_unchecked(progress: BacklogProgress, target: FixIssues) -> tuple[int, ...]:
    """Return the issues with a kept fix that neither the challenger nor a check of their own has judged."""
    if any(score.head == progress.head and score.approves(target.limits) for score in progress.scores):
        return ()
    settled = progress.checked_issues | progress.still_reported
    return tuple(issue for issue in list_kept_issues(progress, target) if issue not in settled)


def list_addressed(
    progress: BacklogProgress,
    target: FixIssues,
    files: Collection[tuple[int, str]],
    paths: Collection[str],
    code: Collection[str],
) -> tuple[int, ...]:
    """Return the issues whose fix was kept, whose file is in the commit, and that their tools no longer report.

    `files`: (issue, its file). `paths`: the files in the commit. `code`: those that differ in more than comments and
    blanks; only these count for an issue without a check of its own.
    """
    candidates = {*list_kept_issues(progress, target)} - progress.still_reported
    return tuple(
        issue
        for issue, file in files
        if issue in candidates and file in (paths if issue in progress.checked_issues else code)
    )


def list_resolved(progress: BacklogProgress, target: FixIssues, issues: Collection[int]) -> tuple[int, ...]:
    """Return the addressed issues that a check of their own or the challenger confirms."""
    doubtful = list_unchecked(progress, target)
    return tuple(issue for issue in issues if issue not in doubtful)
