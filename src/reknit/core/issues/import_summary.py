"""Summary of an import of reports, for the user who started it."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.issues.model import AbsentIssues, ImportCount

Why = Literal["no file", "outside", "stranger", "twice"]


@dataclass(frozen=True)
class ReportSummary:
    name: str
    """The file, or the query sent to a forge."""
    tools: tuple[str, ...]
    """Every tool that reported, including those that found nothing."""
    results: int


@dataclass(frozen=True)
class SkippedResults:
    """Results that did not become issues."""

    why: Why
    count: int
    example: str = ""


@dataclass(frozen=True)
class UnknownFiles:
    """Results about files that are not in this repository; they still become issues."""

    results: int
    files: int
    example: str
    root: str = ""
    """The folder that makes their paths lead to files, as the user would name it; empty: unknown."""


@dataclass(frozen=True)
class ImportReport:
    reports: tuple[ReportSummary, ...]
    count: ImportCount
    left_out: tuple[SkippedResults, ...] = ()
    renamed: int = 0
    """Files that were renamed after their issues were last seen."""
    notes: tuple[str, ...] = ()
    """Why tools did not check everything."""
    absent: tuple[AbsentIssues, ...] = ()
    not_here: UnknownFiles | None = None

    @property
    def results(self) -> int:
        return sum(report.results for report in self.reports)
