"""Decides the next move of a review run: ask a reviewer, read the file, run the tests, fix a finding, or end."""

from dataclasses import dataclass

from reknit.core.agents.review_target import ReviewTarget
from reknit.core.agents.strategy import Strategy, strategy_of
from reknit.core.causes.left_out import left_out_text
from reknit.core.review.progress import FindingBatch, HeardReview, ListedWork, ReviewProgress
from reknit.core.runs.ending import ENVIRONMENT, Ending, EndingWord
from reknit.core.runs.limits import Limits
from reknit.core.text.format import counted, first_few, spent_of

MOST_LOOKED_AT = 20
"""Findings of one reviewer that another vendor is asked about."""


@dataclass(frozen=True)
class AskReviewer:
    place: int
    """Among the reviewers of the run, from 0."""


@dataclass(frozen=True)
class ReadFile:
    """All reviewers were heard: read from the progress file what is to be fixed."""


@dataclass(frozen=True)
class RunTests:
    """Before the first fix."""


@dataclass(frozen=True)
class FixFindings:
    number: int
    agent: str
    batch: FindingBatch
    tried: int
    """Earlier attempts on the same findings."""
    strategy: Strategy
    feedback: str


@dataclass(frozen=True)
class StopReview:
    ending: Ending


Move = AskReviewer | ReadFile | RunTests | FixFindings | StopReview


def decide(progress: ReviewProgress, target: ReviewTarget, limits: Limits) -> Move:
    """First matching row wins."""
    work, out = progress.work, _out(progress, limits)
    if not target.resumes and len(progress.heard) < len(target.reviewers):
        return StopReview(out) if out else AskReviewer(len(progress.heard))
    if target.report_only:
        return StopReview(_reported(progress))
    if work is None:
        return ReadFile()
    if work.problems:
        return StopReview(Ending("DEFERRED", f"correct {target.progress} first: {first_few(work.problems, 5, '; ')}"))
    if not work.batches:
        return StopReview(_nothing_to_fix(progress, work))
    if progress.tests is None:
        return RunTests()
    if problem := _not_testable(progress):
        return StopReview(problem)
    if unseen := next((tried.unseen for tried in progress.tried if tried.unseen), ""):
        return StopReview(_ended(progress, work, f"no further attempt was made: {unseen}", word="UNVERIFIED"))
    batch = next((batch for batch in work.batches if not is_over(progress, batch, limits)), None)
    if batch is None:
        return StopReview(_ended(progress, work))
    if out := out or progress.rotation.stopped(limits):
        return StopReview(_ended(progress, work, out.reason, word=out.word, cause=out.cause))
    tries = progress.tries_on(batch.number)
    return FixFindings(
        number=len(progress.tried) + 1,
        agent=progress.rotation.next,
        batch=batch,
        tried=len(tries),
        strategy=strategy_of(len(tries) + 1, limits.attempts),
        feedback=tries[-1].why if tries else "",
    )


def is_over(progress: ReviewProgress, batch: FindingBatch, limits: Limits) -> bool:
    return batch.number in progress.fixed or len(progress.tries_on(batch.number)) >= limits.attempts


def is_given_up(progress: ReviewProgress, batch: FindingBatch, limits: Limits) -> bool:
    return is_over(progress, batch, limits) and batch.number not in progress.fixed


def second_looks(target: ReviewTarget, heard: HeardReview) -> int:
    """How many of a reviewer's findings another vendor is asked about."""
    is_worth_it = heard.level == "blocking" and heard.verdict == "NEEDS_WORK"
    return min(heard.findings, MOST_LOOKED_AT) if target.second and is_worth_it else 0


def _out(progress: ReviewProgress, limits: Limits) -> Ending | None:
    if progress.spent_usd >= limits.budget_usd:
        return Ending("OVER_BUDGET", f"{spent_of(progress.spent_usd, limits.budget_usd)} spent")
    if progress.worked_s >= limits.timeout_s:
        return Ending("EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    return None


def _unheard(progress: ReviewProgress) -> str:
    silent = [f"{heard.reviewer} ({heard.why})" for heard in progress.heard if heard.verdict is None]
    return f"no review by {first_few(silent)}" if silent else ""


def _dropped(progress: ReviewProgress) -> str:
    count = sum(heard.dropped for heard in progress.heard)
    return f"{counted(count, 'finding')} dropped, because no such line is in the tree" if count else ""


def _needing_work(progress: ReviewProgress) -> list[HeardReview]:
    return [heard for heard in progress.heard if heard.verdict == "NEEDS_WORK"]


def _reported(progress: ReviewProgress) -> Ending:
    found, silent = sum(heard.findings for heard in _needing_work(progress)), _unheard(progress)
    told = "; ".join(filter(None, [silent, f"{counted(found, 'finding')} reported", _dropped(progress)]))
    if silent:
        return Ending("UNVERIFIED", told)
    if _needing_work(progress):
        return Ending("DEFERRED", f"{told}; nothing was fixed, as asked")
    return _passed(progress)


def _passed(progress: ReviewProgress) -> Ending:
    if not progress.heard:
        return Ending("UNVERIFIED", "no reviewer applies to the change, so nobody has read it")
    return Ending("CLEAN", f"{counted(len(progress.heard), 'reviewer')} passed the change")


def _nothing_to_fix(progress: ReviewProgress, work: ListedWork) -> Ending:
    rest, silent = "; ".join(filter(None, [_beside(work), _dropped(progress)])), _unheard(progress)
    left = (*work.only_by_waiver, *work.taken)
    if silent:
        return Ending("UNVERIFIED", "; ".join(filter(None, [silent, rest])), left=left)
    if rest or _needing_work(progress):
        return Ending("DEFERRED", rest or "the progress file lists nothing that is to be fixed", left=left)
    return _passed(progress)


def _beside(work: ListedWork) -> str:
    parts = []
    if work.not_fixed:
        what = "is not blocking" if work.not_fixed == 1 else "are not blocking"
        parts.append(f"{counted(work.not_fixed, 'finding')} {what} (--strict fixes them too)")
    if work.only_by_waiver:
        parts.append(f"about tests or configuration, which a fix may not change: {first_few(work.only_by_waiver)}")
    if work.taken:
        parts.append(f"fixed, failed or claimed by an earlier run, so not tried: {first_few(work.taken)}")
    return "; ".join(parts)


def _not_testable(progress: ReviewProgress) -> Ending | None:
    seen = progress.tests
    if seen is None or progress.tried:
        return None
    if seen.is_blocked and not seen.passed:
        return Ending("BLOCKED", left_out_text(seen.left_out), ENVIRONMENT)
    if seen.status == "error":
        return Ending("UNVERIFIED", f"the tests gave no result before any change: {seen.why}")
    return None


def _ended(
    progress: ReviewProgress, work: ListedWork, why: str = "", *, word: EndingWord = "DEFERRED", cause: str = ""
) -> Ending:
    """`word`: if nothing was fixed."""
    fixed = tuple(name for batch in work.batches if batch.number in progress.fixed for name in batch.ids)
    left = tuple(name for batch in work.batches if batch.number not in progress.fixed for name in batch.ids)
    silent, rest, dropped = _unheard(progress), _beside(work), _dropped(progress)
    share = f"{len(fixed)} of {counted(len(fixed) + len(left), 'finding')} fixed"
    remaining = f"left: {first_few(left)}" if left and fixed else ""
    reason = "; ".join(filter(None, [share, remaining, why, silent, rest, dropped]))
    left = (*left, *work.only_by_waiver, *work.taken)
    if not fixed:
        return Ending("UNVERIFIED" if silent and word == "DEFERRED" else word, reason, cause, left=left)
    return Ending("PARTIAL" if left or silent or why or dropped else "FIXED", reason, cause, fixed, left)
