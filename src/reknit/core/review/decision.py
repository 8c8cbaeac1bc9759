"""Decides the next move of a review run: ask a reviewer, read the file, run the tests, fix a finding, or end."""

from dataclasses import dataclass

from reknit.core.agents.strategy import Strategy, choose_strategy
from reknit.core.review.endings import end_after_fixes, end_report, end_untestable, end_without_work
from reknit.core.review.progress import (
    FindingBatch,
    LeftOutFinding,
    ReviewerAnswer,
    ReviewProgress,
)
from reknit.core.review.task import ReviewChange
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import Limits
from reknit.core.text.format import format_spending, join_few

MAX_SECOND_OPINIONS = 20
"""Maximum number of findings of one reviewer that another vendor is asked about."""


@dataclass(frozen=True)
class AskReviewers:
    """Ask the next reviewers, all at once."""

    places: tuple[int, ...]
    """Indexes among the reviewers of the run, from 0."""


@dataclass(frozen=True)
class ReadFile:
    """Read the findings from the progress file, after all reviewers answered."""


@dataclass(frozen=True)
class RunTests:
    """Run the tests before the first fix."""


@dataclass(frozen=True)
class RecheckFindings:
    """Find out whether findings are still there after an earlier fix, before an attempt is paid for."""

    batch: FindingBatch


@dataclass(frozen=True)
class LookAgain:
    """Let reviewers read the whole change again, with every fix, all at once."""

    places: tuple[int, ...]
    """Indexes among the reviewers of the run, from 0."""


@dataclass(frozen=True)
class FixFindings:
    """Let an agent work on a batch of findings."""

    number: int
    agent: str
    batch: FindingBatch
    earlier_attempts: int
    """Number of earlier attempts on the same findings."""
    strategy: Strategy
    feedback: str


@dataclass(frozen=True)
class StopReview:
    """End the run."""

    ending: Ending


Move = AskReviewers | ReadFile | RunTests | RecheckFindings | FixFindings | LookAgain | StopReview


def decide(progress: ReviewProgress, target: ReviewChange, limits: Limits) -> Move:
    """Return the next move. The first matching row wins."""
    work, out = progress.work, _check_limits(progress, limits)
    unasked = tuple(range(len(progress.answers), len(target.reviewers)))
    if unasked and not target.resumes:
        return StopReview(out) if out else AskReviewers(unasked[: target.at_once])
    if target.report_only:
        return StopReview(end_report(progress))
    if work is None:
        return ReadFile()
    if work.problems:
        return StopReview(Ending("DEFERRED", f"correct {target.progress} first: {join_few(work.problems, 5, '; ')}"))
    if not work.batches:
        return StopReview(end_without_work(progress, work))
    if progress.tests is None:
        return RunTests()
    if problem := end_untestable(progress):
        return StopReview(problem)
    if _find_unseen(progress):
        return StopReview(end_after_fixes(progress, work, _explain_stop(progress, limits), word="UNVERIFIED"))
    batch = next((batch for batch in work.batches if not is_over(progress, batch, limits)), None)
    if batch is None:
        places = _list_places_to_look(progress, target)
        if places and not out:
            return LookAgain(tuple(places[: target.at_once]))
        why = f"the whole change was not read again: {out.reason}" if places and out else ""
        return StopReview(end_after_fixes(progress, work, why))
    if out := out or progress.rotation.find_ending(limits):
        return StopReview(end_after_fixes(progress, work, out.reason, word=out.word, cause=out.cause))
    tries = progress.find_attempts(batch.number)
    if progress.fixed and not tries and all(recheck.batch != batch.number for recheck in progress.rechecks):
        return RecheckFindings(batch)
    return FixFindings(
        number=len(progress.attempts) + 1,
        agent=progress.rotation.next,
        batch=batch,
        earlier_attempts=len(tries),
        strategy=choose_strategy(len(tries) + 1, limits.attempts),
        feedback=tries[-1].why if tries else "",
    )


def _list_places_to_look(progress: ReviewProgress, target: ReviewChange) -> list[int]:
    """Return the places of the blocking reviewers that answered and have not read the fixes."""
    if not target.second_look or not progress.fixed:
        return []
    reviewers = {answer.reviewer for answer in progress.answers if answer.verdict}
    readers = {look.reviewer for look in progress.second_looks}
    return [
        place
        for place, (reviewer, _) in enumerate(target.reviewers)
        if reviewer.level == "blocking" and reviewer.name in reviewers - readers
    ]


def is_over(progress: ReviewProgress, batch: FindingBatch, limits: Limits) -> bool:
    """Return True if no further attempt on a batch is made."""
    return batch.number in progress.settled or len(progress.find_attempts(batch.number)) >= limits.attempts


def is_given_up(progress: ReviewProgress, batch: FindingBatch, limits: Limits) -> bool:
    """Return True if a batch used all its attempts in vain."""
    return is_over(progress, batch, limits) and batch.number not in progress.settled


def list_unfixed(progress: ReviewProgress, limits: Limits, why: str) -> tuple[LeftOutFinding, ...]:
    """Return the findings that are not fixed, without those that the run gave up on.

    `why`: the reason of the ending, which is told where nothing more exact is known.
    """
    work = progress.work
    if work is None or work.problems:
        return ()
    reason = f"the run ended: {_explain_stop(progress, limits) or why}"
    attempts = {batch.number: progress.find_attempts(batch.number) for batch in work.batches}
    unfixed = [
        LeftOutFinding(batch.reviewer, name, title, reason, len(attempts[batch.number]))
        for batch in work.batches
        if not is_over(progress, batch, limits) or any(attempt.unseen for attempt in attempts[batch.number])
        for name, title in zip(batch.ids, batch.titles, strict=True)
    ]
    return (*work.left_out, *unfixed)


def _explain_stop(progress: ReviewProgress, limits: Limits) -> str:
    """Return why no further attempt was made."""
    if unseen := _find_unseen(progress):
        return f"no further attempt was made: {unseen}"
    out = _check_limits(progress, limits) or progress.rotation.find_ending(limits)
    return out.reason if out else ""


def _find_unseen(progress: ReviewProgress) -> str:
    return next((attempt.unseen for attempt in progress.attempts if attempt.unseen), "")


def count_second_opinions(target: ReviewChange, answer: ReviewerAnswer) -> int:
    """Return how many of a reviewer's findings another vendor is asked about."""
    is_worth_it = answer.level == "blocking" and answer.verdict == "NEEDS_WORK"
    return min(answer.findings, MAX_SECOND_OPINIONS) if target.second and is_worth_it else 0


def _check_limits(progress: ReviewProgress, limits: Limits) -> Ending | None:
    if progress.spent_usd >= limits.budget_usd:
        return Ending("OVER_BUDGET", f"{format_spending(progress.spent_usd, limits.budget_usd)} spent or reserved")
    if progress.worked_s >= limits.timeout_s:
        return Ending("EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    return None
