"""Values about an import of reports: its source, its counts, and the summary for the user."""

from dataclasses import dataclass
from typing import Literal

MIN_ABSENT = 3
"""Number of absent issues from which a report may be partial."""


@dataclass(frozen=True)
class ImportSource:
    """Reports that were imported, and the tree that they describe."""

    tools: tuple[str, ...]
    """Every tool that reported, including those that found nothing."""
    names: tuple[str, ...]
    """The files, or the query sent to a forge."""
    commit: str
    at: float
    author: str
    partial: tuple[str, ...] = ()
    """Tools that did not check everything: issues that they no longer report may still exist."""
    landed: tuple[str, ...] = ()
    """Commits of runs that the checked tree contains, or whose branch is gone.

    If a tool still reports an issue of theirs, it is reopened.
    """
    carried: frozenset[tuple[str, str]] = frozenset()
    """(commit, path) of files that are in the checked tree as that commit left them, for example after a squash."""
    once: bool = False
    """True if an earlier import with these names is this one before a crash; this one then changes nothing."""


@dataclass(frozen=True)
class ImportCount:
    """Number of issues of an import, by what happened to them."""

    number: int
    """Number of the import, counted up."""
    new: int = 0
    unchanged: int = 0
    """Known issues without a change."""
    updated: int = 0
    """Known issues with a new location or text."""
    reopened: int = 0
    """Known issues that were RESOLVED or MERGED, have reappeared, and are OPEN now."""
    unmerged: tuple[int, ...] = ()
    """RESOLVED issues that a tool still reports in a tree without their commit."""


@dataclass(frozen=True)
class AbsentIssues:
    """Unfinished issues that a tool reported before, but no longer in this import."""

    tool: str
    count: int
    still_reported: int = 0
    """Issues that the tool still reports."""
    files: int = 0
    """Number of files with any of these issues."""
    files_now: int = 0
    """Number of files with unfinished issues that its report names."""

    @property
    def looks_partial(self) -> bool:
        return self.count >= MIN_ABSENT and self.count > self.still_reported and self.files_now < self.files


SkipReason = Literal["no file", "outside", "stranger", "twice"]


@dataclass(frozen=True)
class ReportSummary:
    """One imported report."""

    name: str
    """Name of the file, or the query sent to a forge."""
    tools: tuple[str, ...]
    """Every tool that reported, including those that found nothing."""
    results: int


@dataclass(frozen=True)
class SkippedResults:
    """Results that did not become issues."""

    why: SkipReason
    count: int
    example: str = ""


@dataclass(frozen=True)
class UnknownFiles:
    """Results about files that are not in this repository; they still become issues."""

    results: int
    files: int
    example: str
    root: str = ""
    """Folder that makes their paths lead to files, as the user would name it; empty: unknown."""


@dataclass(frozen=True)
class ImportReport:
    """The facts about an import that its summary shows."""

    reports: tuple[ReportSummary, ...]
    count: ImportCount
    skipped: tuple[SkippedResults, ...] = ()
    renamed: int = 0
    """Number of files renamed after their issues were last seen."""
    notes: tuple[str, ...] = ()
    """Reasons why tools did not check everything."""
    absent: tuple[AbsentIssues, ...] = ()
    unknown_files: UnknownFiles | None = None

    @property
    def results(self) -> int:
        return sum(report.results for report in self.reports)
