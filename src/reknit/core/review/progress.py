"""The state of a review run: who was heard, what is to be fixed, and what was tried."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from reknit.core.agents.reviewer import Level
from reknit.core.checks.status import TestsResult
from reknit.core.review.progress_file.entries import ListedFinding, Verdict
from reknit.core.runs.attempt import RunProgress


@dataclass(frozen=True)
class HeardReview:
    """The answer of one reviewer; its findings are saved beside the checkpoints."""

    reviewer: str
    level: Level
    verdict: Verdict | None
    """None: it gave no answer."""
    findings: int = 0
    why: str = ""
    """If it gave no answer: why."""
    at: float = 0.0
    dropped: int = 0
    """Findings that name no line of the tree."""


@dataclass(frozen=True)
class FindingBatch:
    """Findings that one attempt works on: one, or a few of one reviewer, category and file."""

    number: int
    """From 1, in the order of work."""
    reviewer: str
    findings: tuple[ListedFinding, ...]
    issues: tuple[int, ...] = ()
    """Their issues in the ledger; a finding that a person added has none."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(finding.id for finding in self.findings)

    @property
    def name(self) -> str:
        return ", ".join(self.ids)

    def is_touched_by(self, paths: Collection[str]) -> bool:
        """Return whether one of these files is the one that the findings are in."""
        return any(finding.file in paths for finding in self.findings)


@dataclass(frozen=True)
class ListedWork:
    """What the progress file asks for."""

    batches: tuple[FindingBatch, ...] = ()
    not_fixed: int = 0
    """Findings of reviewers whose level is not fixed without --strict."""
    only_by_waiver: tuple[str, ...] = ()
    """Findings about tests or configuration, which no fix may change."""
    taken: tuple[str, ...] = ()
    """Findings whose issue is not open: fixed on a branch that is not merged, or worked on by another run."""
    problems: tuple[str, ...] = ()
    """What in the file is not understood: nothing is fixed until a person has corrected it."""


@dataclass(frozen=True)
class FixAttempt:
    number: int
    batch: int
    kept: bool
    why: str
    """If not kept: why not, for the next attempt and for people."""
    agent: str = ""
    unseen: str = ""
    """Why the fix could not be checked: the next one could not be either, so the run ends."""


@dataclass(frozen=True)
class ReviewProgress(RunProgress):
    head: str
    """The commit with every fix so far."""
    heard: tuple[HeardReview, ...] = ()
    work: ListedWork | None = None
    """None: the file has not been read yet."""
    tests: TestsResult | None = None
    """Before any fix; None: not run yet."""
    tried: tuple[FixAttempt, ...] = ()

    @property
    def fixed(self) -> frozenset[int]:
        return frozenset(tried.batch for tried in self.tried if tried.kept)

    def tries_on(self, batch: int) -> tuple[FixAttempt, ...]:
        return tuple(tried for tried in self.tried if tried.batch == batch)

    def with_answer(self, heard: HeardReview, seconds: float, spent_usd: float) -> "ReviewProgress":
        return replace(self.counted(seconds, spent_usd), heard=(*self.heard, heard))

    def with_try(self, tried: FixAttempt, head: str, seconds: float, spent_usd: float) -> "ReviewProgress":
        after = replace(self.counted(seconds, spent_usd), rotation=self.rotation.worked(), tried=(*self.tried, tried))
        return replace(after, head=head) if tried.kept else after
