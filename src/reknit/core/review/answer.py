"""Checks a reviewer's report: its findings must name places that exist, and decide its verdict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.agents.call import AgentCall, to_outcome_word
from reknit.core.agents.reviewer import Reviewer
from reknit.core.review.decision import list_unfixed
from reknit.core.review.progress import LeftOutFinding, ListedWork, ReviewerAnswer, ReviewProgress
from reknit.core.review.progress_file.entries import Entry, FailedEntry, ListedFinding, ReviewEntry, Verdict
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import RunSpec
from reknit.core.text.format import format_location, to_one_line
from reknit.core.text.truncate import truncate_chars

MAX_TEXT_CHARS = 4_000
"""Maximum length in characters of a description, a suggestion or a reason in the progress file."""

NO_FINDING = "it says that the change needs work but reports nothing"
SECOND_LOOK = "it read the whole change again, with every fix"
"""Marks the entry of a second look: entries in files that exist are recognised by it, so it must stay."""


@dataclass(frozen=True)
class NumberedFinding:
    """A finding with its issue in the ledger."""

    finding: ListedFinding
    issue: int
    """Its number in the issue ledger."""
    points: int
    """Effort times files."""


@dataclass(frozen=True)
class SavedReview:
    """The report of one reviewer, as the run stores it."""

    verdict: Verdict
    findings: tuple[NumberedFinding, ...]
    dropped: int = 0
    """Findings that name no place of the tree, after the reviewer was told once."""
    silenced: int = 0
    """Findings that a person ignored, or marked as duplicates, before."""
    refuted: tuple[str, ...] = ()
    """Ids of findings that another agent says are not real: listed, but not fixed."""


def describe_misplaced(findings: Sequence[ReportedFinding], lines_of: Callable[[str], int | None]) -> tuple[str, ...]:
    """Describe findings without a place in the tree. `lines_of`: None if there is no such file."""
    return tuple(
        f"{to_one_line(format_location(finding.file, finding.line))}: {to_one_line(finding.issue)[:200]}"
        for finding in findings
        if not is_placed(finding, lines_of)
    )


def is_placed(finding: ReportedFinding, lines_of: Callable[[str], int | None]) -> bool:
    """Return True if the finding names a line of the tree."""
    lines = lines_of(finding.file)
    return lines is not None and finding.line <= lines


def decide_verdict(review: Review, open_findings: int, dropped: int) -> Verdict:
    """Return the verdict. Dropped findings may be real, so they do not make a review pass.

    `open_findings`: the number that no person has silenced.
    """
    return "NEEDS_WORK" if review.verdict == "needs_work" and open_findings + dropped else "PASSED"


def build_entry(reviewer: Reviewer, answer: ReviewerAnswer, saved: SavedReview) -> ReviewEntry:
    """Return the entry for the progress file, without refuted findings."""
    return ReviewEntry(
        at=answer.at,
        reviewer=reviewer.name,
        level=reviewer.level,
        verdict=saved.verdict,
        findings=tuple(
            saved_finding.finding for saved_finding in saved.findings if saved_finding.finding.id not in saved.refuted
        ),
    )


def list_new(progress: ReviewProgress, first: SavedReview, second: SavedReview) -> tuple[NumberedFinding, ...]:
    """Return the findings of a second look, without those that the run knew and has not fixed.

    Such a one failed, was refuted, is not to be fixed, or a person deleted it from the progress file.
    """
    old_ids = {saved.finding.id for saved in first.findings} - set(progress.settled_ids)
    return tuple(saved for saved in second.findings if saved.finding.id not in old_ids)


def explain_silence(call: AgentCall, saved: SavedReview | None, agent: str) -> str:
    """Return why a second look is no complete answer; empty: it is one. `saved`: its report, if it gave one."""
    if saved is None:
        return f"{agent}: {to_outcome_word(call.outcome)}"
    if saved.dropped:
        return f"{saved.dropped} of its findings name no line of the tree"
    is_empty = isinstance(call.report, Review) and call.report.verdict == "needs_work" and not call.report.findings
    return NO_FINDING if is_empty else ""


def build_second_entry(
    progress: ReviewProgress, reviewer: Reviewer, at: float, first: SavedReview, new: tuple[NumberedFinding, ...]
) -> ReviewEntry:
    """Return the entry of a second look. `new`: what it reports beyond what the run knew and has not fixed.

    It also lists what is not fixed, because a later run reads only the last entry of a reviewer.
    """
    work = progress.work or ListedWork()
    unfixed = [
        finding
        for batch in work.batches
        if batch.reviewer == reviewer.name and batch.number not in progress.settled
        for finding in batch.findings
    ]
    left_out = {finding.id for finding in work.left_out}
    unfixed += [saved.finding for saved in first.findings if saved.finding.id in left_out]
    findings = (*unfixed, *(saved.finding for saved in new))
    verdict: Verdict = "NEEDS_WORK" if findings else "PASSED"
    return ReviewEntry(at, reviewer.name, reviewer.level, verdict, findings, SECOND_LOOK)


def build_last_entries(progress: ReviewProgress, spec: RunSpec, at: float, why: str) -> list[Entry]:
    """Return an entry for each reviewer without an answer, and for the findings that are not fixed.

    `why`: why the run ends.
    """
    missing = (
        () if spec.task_as(ReviewChange).resumes else [answer for answer in progress.answers if answer.verdict is None]
    )
    entries: list[Entry] = [
        ReviewEntry(answer.at, answer.reviewer, answer.level, "NO_ANSWER", reason=_cut(answer.why))
        for answer in missing
    ]
    groups: dict[tuple[str, str, int], list[LeftOutFinding]] = {}
    for finding in list_unfixed(progress, spec.limits, why):
        groups.setdefault((finding.reviewer, finding.why, finding.attempts), []).append(finding)
    for (reviewer, reason, attempts), findings in groups.items():
        ids, titles = tuple(finding.id for finding in findings), tuple(finding.title for finding in findings)
        entries.append(FailedEntry(at, reviewer, ids, titles, attempts, _cut(reason), spec.limits.attempts))
    return entries


def _cut(text: str) -> str:
    return truncate_chars(text, MAX_TEXT_CHARS)
