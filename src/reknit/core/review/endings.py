"""Words the ending of a review: what is fixed, what it rests on, and what is left."""

from reknit.core.causes.cause import render_left_out
from reknit.core.review.progress import ListedWork, ReviewerAnswer, ReviewProgress
from reknit.core.runs.ending import ENVIRONMENT, Ending, EndingWord
from reknit.core.text.format import join_few, pluralize


def _describe_unheard(progress: ReviewProgress) -> str:
    silent = [f"{answer.reviewer} ({answer.why})" for answer in progress.answers if answer.verdict is None]
    return f"no review by {join_few(silent)}" if silent else ""


def _describe_dropped(progress: ReviewProgress) -> str:
    count = sum(answer.dropped for answer in progress.answers)
    return f"{pluralize(count, 'finding')} dropped, because no such line is in the tree" if count else ""


def _list_needing_work(progress: ReviewProgress) -> list[ReviewerAnswer]:
    return [answer for answer in progress.answers if answer.verdict == "NEEDS_WORK"]


def end_report(progress: ReviewProgress) -> Ending:
    """Return the ending of a review that fixes nothing."""
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


def end_without_work(progress: ReviewProgress, work: ListedWork) -> Ending:
    """Return the ending if nothing is to be fixed."""
    rest, silent = (
        "; ".join(filter(None, [_describe_rest(work), _describe_dropped(progress)])),
        _describe_unheard(progress),
    )
    unfixed = (*work.only_by_waiver, *work.untriable, *work.unavailable)
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
        parts.append(f"about configuration, which a fix may not change: {join_few(work.only_by_waiver)}")
    if work.untriable:
        parts.append(f"about tests of a change that adds no code to try them with: {join_few(work.untriable)}")
    if work.unavailable:
        reason = "fixed, failed or claimed by an earlier run, so not tried (--again retries what failed)"
        parts.append(f"{reason}: {join_few(work.unavailable)}")
    return "; ".join(parts)


def end_untestable(progress: ReviewProgress) -> Ending | None:
    """Return the ending if the tests gave no result before the first attempt."""
    tests = progress.tests
    if tests is None or progress.attempts:
        return None
    if tests.is_blocked and not tests.passed:
        return Ending("BLOCKED", render_left_out(tests.left_out), ENVIRONMENT)
    if tests.status == "error":
        return Ending("UNVERIFIED", f"the tests gave no result before any change: {tests.why}")
    return None


def end_after_fixes(
    progress: ReviewProgress, work: ListedWork, why: str = "", *, word: EndingWord = "DEFERRED", cause: str = ""
) -> Ending:
    """Return the ending. `word`: used if nothing was fixed."""
    seen_again = tuple(dict.fromkeys(name for look in progress.second_looks for name in look.findings))
    fixed = tuple(name for name in progress.settled_ids if name not in seen_again)
    unfixed = tuple(name for batch in work.batches for name in batch.ids if name not in fixed)
    silent, rest, dropped = _describe_unheard(progress), _describe_rest(work), _describe_dropped(progress)
    share = f"{len(fixed)} of {pluralize(len(fixed) + len(unfixed), 'finding')} fixed"
    remaining = f"left: {join_few(unfixed)}" if unfixed and fixed else ""
    gone, looks = _describe_gone(progress, work), _describe_second_looks(progress)
    reason = "; ".join(filter(None, [share, gone, remaining, why, *looks, silent, rest, dropped]))
    new = [name for name in seen_again if name not in unfixed]
    unread = any(look.why for look in progress.second_looks)
    unfixed = (*unfixed, *new, *work.only_by_waiver, *work.untriable, *work.unavailable)
    if not progress.fixed and not fixed:
        return Ending("UNVERIFIED" if silent and word == "DEFERRED" else word, reason, cause, left=unfixed)
    is_partial = unfixed or silent or why or dropped or unread
    return Ending("PARTIAL" if is_partial else "FIXED", reason, cause, fixed, unfixed)


def _describe_gone(progress: ReviewProgress, work: ListedWork) -> str:
    gone = progress.settled - progress.fixed
    names = [name for batch in work.batches if batch.number in gone for name in batch.ids]
    return f"gone with another fix, as the reviewer confirms: {join_few(names)}" if names else ""


def _describe_second_looks(progress: ReviewProgress) -> list[str]:
    looks = progress.second_looks
    passed = [look.reviewer for look in looks if not look.findings and not look.why]
    silent = [f"{look.reviewer} ({look.why})" for look in looks if look.why]
    finders = [f"{look.reviewer} ({join_few(look.findings)})" for look in looks if look.findings]
    return [
        f"{words} {join_few(names)}"
        for words, names in (
            ("nothing new in a second look by", passed),
            ("a second look found more:", finders),
            ("no complete second look by", silent),
        )
        if names
    ]
