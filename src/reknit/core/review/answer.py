"""A reviewer's report: which of its findings name a place that exists, and what its verdict is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.agents.reviewer import Reviewer
from reknit.core.review.progress import HeardReview
from reknit.core.review.progress_file.entries import ListedFinding, ReviewEntry, Verdict
from reknit.core.text.format import file_line, one_line

LONGEST = 4_000
"""Characters of a description, a suggestion or a reason in the progress file."""


@dataclass(frozen=True)
class NumberedFinding:
    listed: ListedFinding
    issue: int
    """Its number in the issue ledger."""
    points: int
    """Effort times files."""


@dataclass(frozen=True)
class SavedReview:
    """What one reviewer said, as the run keeps it."""

    verdict: Verdict
    findings: tuple[NumberedFinding, ...]
    dropped: int = 0
    """Findings that name no place of the tree, after the reviewer was told once."""
    silenced: int = 0
    """Findings that a person ignored, or marked as duplicates, before."""
    refuted: tuple[str, ...] = ()
    """Ids of findings that another agent says are not real: listed, but not fixed."""


def misplaced(findings: Sequence[ReportedFinding], lines_of: Callable[[str], int | None]) -> tuple[str, ...]:
    """Those that name no file of the tree, or a line it does not have. `lines_of`: None if there is no such file."""
    return tuple(
        f"{one_line(file_line(found.file, found.line))}: {one_line(found.issue)[:200]}"
        for found in findings
        if not is_placed(found, lines_of)
    )


def is_placed(found: ReportedFinding, lines_of: Callable[[str], int | None]) -> bool:
    lines = lines_of(found.file)
    return lines is not None and found.line <= lines


def verdict_of(review: Review, left: int, dropped: int) -> Verdict:
    """`left`: findings that no person has silenced. What was dropped may be real, so it does not make a review pass."""
    return "NEEDS_WORK" if review.verdict == "needs_work" and left + dropped else "PASSED"


def entry_of(reviewer: Reviewer, heard: HeardReview, saved: SavedReview) -> ReviewEntry:
    return ReviewEntry(
        at=heard.at,
        reviewer=reviewer.name,
        level=reviewer.level,
        verdict=saved.verdict,
        findings=tuple(each.listed for each in saved.findings if each.listed.id not in saved.refuted),
    )
