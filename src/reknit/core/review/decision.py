"""Decides the next move of a review run: ask a reviewer, read the file, run the tests, fix a finding, or end."""

from dataclasses import dataclass

from reknit.core.agents.strategy import Strategy, choose_strategy
from reknit.core.causes.cause import render_left_out
from reknit.core.review.progress import (
    FindingBatch,
    LeftOutFinding,
    ListedWork,
    ReviewerAnswer,
    ReviewProgress,
)
from reknit.core.review.task import ReviewChange
from reknit.core.runs.ending import ENVIRONMENT, Ending, EndingWord
from reknit.core.runs.limits import Limits
from reknit.core.text.format import format_spending, join_few, pluralize

MAX_SECOND_OPINIONS = 20
"""Maximum number of findings of one reviewer that another vendor is asked about."""


@dataclass(frozen=True)
class AskReviewer:
    """Ask the next reviewer."""

    place: int
    """Index among the reviewers of the run, from 0."""


@dataclass(frozen=True)
class ReadFile:
    """Read the findings from the progress file, after all reviewers answered."""


@dataclass(frozen=True)
class RunTests:
    """Run the tests before the first fix."""


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


Move = AskReviewer | ReadFile | RunTests | FixFindings | StopReview


def decide(progress: ReviewProgress, target: ReviewChange, limits: Limits) -> Move:
    """Return the next move. The first matching row wins."""
    work, out = progress.work, _check_limits(progress, limits)
    if not target.resumes and len(progress.answers) < len(target.reviewers):
        return StopReview(out) if out else AskReviewer(len(progress.answers))
    if target.report_only:
        return StopReview(_end_report(progress))
    if work is None:
        return ReadFile()
    if work.problems:
        return StopReview(Ending("DEFERRED", f"correct {target.progress} first: {join_few(work.problems, 5, '; ')}"))
    if not work.batches:
        return StopReview(_end_without_work(progress, work))
    if progress.tests is None:
        return RunTests()
    if problem := _end_untestable(progress):
        return StopReview(problem)
    if _find_unseen(progress):
        return StopReview(_end_after_fixes(progress, work, _explain_stop(progress, limits), word="UNVERIFIED"))
    batch = next((batch for batch in work.batches if not is_over(progress, batch, limits)), None)
    if batch is None:
        return StopReview(_end_after_fixes(progress, work))
    if out := out or progress.rotation.find_ending(limits):
        return StopReview(_end_after_fixes(progress, work, out.reason, word=out.word, cause=out.cause))
    tries = progress.find_attempts(batch.number)
    return FixFindings(
        number=len(progress.attempts) + 1,
        agent=progress.rotation.next,
        batch=batch,
        earlier_attempts=len(tries),
        strategy=choose_strategy(len(tries) + 1, limits.attempts),
        feedback=tries[-1].why if tries else "",
    )


def is_over(progress: ReviewProgress, batch: FindingBatch, limits: Limits) -> bool:
    """Return True if no further attempt on a batch is made."""
    return batch.number in progress.fixed or len(progress.find_attempts(batch.number)) >= limits.attempts


def is_given_up(progress: ReviewProgress, batch: FindingBatch, limits: Limits) -> bool:
    """Return True if a batch used all its attempts in vain."""
    return is_over(progress, batch, limits) and batch.number not in progress.fixed


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


def count_second_looks(target: ReviewChange, answer: ReviewerAnswer) -> int:
    """Return how many of a reviewer's findings another vendor is asked about."""
    is_worth_it = answer.level == "blocking" and answer.verdict == "NEEDS_WORK"
    return min(answer.findings, MAX_SECOND_OPINIONS) if target.second and is_worth_it else 0


def _check_limits(progress: ReviewProgress, limits: Limits) -> Ending | None:
    if progress.spent_usd >= limits.budget_usd:
        return Ending("OVER_BUDGET", f"{format_spending(progress.spent_usd, limits.budget_usd)} spent")
    if progress.worked_s >= limits.timeout_s:
        return Ending("EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    return None


def _describe_unheard(progress: ReviewProgress) -> str:
    silent = [f"{answer.reviewer} ({answer.why})" for answer in progress.answers if answer.verdict is None]
    return f"no review by {join_few(silent)}" if silent else ""


def _describe_dropped(progress: ReviewProgress) -> str:
    count = sum(answer.dropped for answer in progress.answers)
    return f"{pluralize(count, 'finding')} dropped, because no such line is in the tree" if count else ""


def _list_needing_work(progress: ReviewProgress) -> list[ReviewerAnswer]:
    return [answer for answer in progress.answers if answer.verdict == "NEEDS_WORK"]


def _end_report(progress: ReviewProgress) -> Ending:
    finding_count, silent = sum(answer.findings for answer in _list_needing_work(progress)), _describe_unheard(progress)
    summary = "; ".join(
        filter(None, [silent, f"{pluralize(finding_count, 'finding')} reported", _describe_dropped(progress)])
    )
    if silent:
        return Ending("UNVERIFIED", summary)
    if _list_needing_work(progress):
        return Ending("DEFERRED", f"{summary}; nothing was fixed, as asked")
    return _end_passed(progress)


def _end_passed(progress: ReviewProgress) -> Ending:
    if not progress.answers:
        return Ending("UNVERIFIED", "no reviewer applies to the change, so nobody has read it")
    return Ending("CLEAN", f"{pluralize(len(progress.answers), 'reviewer')} passed the change")


def _end_without_work(progress: ReviewProgress, work: ListedWork) -> Ending:
    rest, silent = (
        "; ".join(filter(None, [_describe_rest(work), _describe_dropped(progress)])),
        _describe_unheard(progress),
    )
    unfixed = (*work.only_by_waiver, *work.unavailable)
    if silent:
        return Ending("UNVERIFIED", "; ".join(filter(None, [silent, rest])), left=unfixed)
    if rest or _list_needing_work(progress):
        return Ending("DEFERRED", rest or "the progress file lists nothing that is to be fixed", left=unfixed)
    return _end_passed(progress)


def _describe_rest(work: ListedWork) -> str:
    parts = []
    if work.not_fixed:
        label = "is not blocking" if work.not_fixed == 1 else "are not blocking"
        parts.append(f"{pluralize(work.not_fixed, 'finding')} {label} (--strict fixes them too)")
    if work.only_by_waiver:
        parts.append(f"about tests or configuration, which a fix may not change: {join_few(work.only_by_waiver)}")
    if work.unavailable:
        reason = "fixed, failed or claimed by an earlier run, so not tried (--again retries what failed)"
        parts.append(f"{reason}: {join_few(work.unavailable)}")
    return "; ".join(parts)


def _end_untestable(progress: ReviewProgress) -> Ending | None:
    tests = progress.tests
    if tests is None or progress.attempts:
        return None
    if tests.is_blocked and not tests.passed:
        return Ending("BLOCKED", render_left_out(tests.left_out), ENVIRONMENT)
    if tests.status == "error":
        return Ending("UNVERIFIED", f"the tests gave no result before any change: {tests.why}")
    return None


def _end_after_fixes(
    progress: ReviewProgress, work: ListedWork, why: str = "", *, word: EndingWord = "DEFERRED", cause: str = ""
) -> Ending:
    """Return the ending. `word`: used if nothing was fixed."""
    fixed = tuple(name for batch in work.batches if batch.number in progress.fixed for name in batch.ids)
    unfixed = tuple(name for batch in work.batches if batch.number not in progress.fixed for name in batch.ids)
    silent, rest, dropped = _describe_unheard(progress), _describe_rest(work), _describe_dropped(progress)
    share = f"{len(fixed)} of {pluralize(len(fixed) + len(unfixed), 'finding')} fixed"
    remaining = f"left: {join_few(unfixed)}" if unfixed and fixed else ""
    reason = "; ".join(filter(None, [share, remaining, why, silent, rest, dropped]))
    unfixed = (*unfixed, *work.only_by_waiver, *work.unavailable)
    if not fixed:
        return Ending("UNVERIFIED" if silent and word == "DEFERRED" else word, reason, cause, left=unfixed)
    return Ending("PARTIAL" if unfixed or silent or why or dropped else "FIXED", reason, cause, fixed, unfixed)
