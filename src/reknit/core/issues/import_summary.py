"""What an import of reports has done, to be told to whoever ordered it."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.issues.model import AbsentIssues, ImportCount

Why = Literal["no file", "outside", "stranger", "twice"]


@dataclass(frozen=True)
class ReportSummary:
    name: str
    """Of the file, or of the question a forge was asked."""
    tools: tuple[str, ...]
    """Every tool that spoke, also those that found nothing."""
    results: int


@dataclass(frozen=True)
class SkippedResults:
    """Results that became no issue."""

    why: Why
    count: int
    example: str = ""


@dataclass(frozen=True)
class UnknownFiles:
    """Results about files that this repository does not have; they are issues all the same."""

    results: int
    files: int
    example: str
    root: str = ""
    """The folder from which they lead to files, as the user would name it; empty: none is known."""


@dataclass(frozen=True)
class ImportReport:
    reports: tuple[ReportSummary, ...]
    count: ImportCount
    left_out: tuple[SkippedResults, ...] = ()
    renamed: int = 0
    """Files that had another name when their issues were last seen."""
    notes: tuple[str, ...] = ()
    """Why tools did not look at everything."""
    absent: tuple[AbsentIssues, ...] = ()
    not_here: UnknownFiles | None = None

    @property
    def results(self) -> int:
        return sum(report.results for report in self.reports)
