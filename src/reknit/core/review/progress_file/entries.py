"""The three kinds of entries that a review writes into PROGRESS.txt."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.agents.reviewer import Level

Verdict = Literal["PASSED", "NEEDS_WORK"]
EntryVerdict = Literal[Verdict, "NO_ANSWER"]
"""`NO_ANSWER`: the reviewer was asked, but gave none."""


@dataclass(frozen=True)
class ListedFinding:
    """A finding in the progress file."""

    id: str
    """`SEC-001`; what a person added may have any other."""
    category: str
    title: str
    file: str
    line: int
    """0: the whole file."""
    issue: str
    suggestion: str = ""


@dataclass(frozen=True)
class ReviewEntry:
    """The answer of one reviewer."""

    at: float
    """Time in seconds since 1970; the file has minutes."""
    reviewer: str
    level: Level
    verdict: EntryVerdict
    findings: tuple[ListedFinding, ...] = ()
    reason: str = ""
    """Why there is no answer, or why the reviewer was asked again."""


@dataclass(frozen=True)
class FixEntry:
    """Findings that were fixed."""

    at: float
    reviewer: str
    findings: tuple[str, ...]
    """Ids: several if they were fixed together."""
    fixed: tuple[str, ...]
    """Descriptions of the fixes, an item each."""
    files: tuple[str, ...]
    attempts: int
    of: int = 3


@dataclass(frozen=True)
class FailedEntry:
    """Findings that are not fixed."""

    at: float
    reviewer: str
    findings: tuple[str, ...]
    issue: tuple[str, ...]
    """Descriptions of the open problems, an item each."""
    attempts: int
    """0: no agent was asked to fix them."""
    reason: str
    of: int = 3


Entry = ReviewEntry | FixEntry | FailedEntry
