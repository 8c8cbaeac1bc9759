"""Decides the next move of a backlog run. The challenger can only reject a change, never replace the tests' verdict."""

from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Review
from reknit.core.causes.cause import render_left_out
from reknit.core.fix_issues.progress import BacklogBaseline, BacklogProgress, ChallengeScore, list_unchecked
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import ENVIRONMENT, Ending, EndingWord
from reknit.core.runs.limits import IssueLimits, Limits
from reknit.core.text.format import format_spending, join_and_count

FIXERS_SHARE = 0.9
"""Share of the budget for the fixer. The rest is reserved for the challenger, whose verdict the work needs."""


ONLY_TOOLS = "fixed by the tools that reported them, without an agent"
NO_LONGER = "left OPEN, no longer reported by their tools: import new reports"
NO_CHECK = "no check of this issue exists"
NOT_REPORTED = "their tools report none of these issues on the base commit: import new reports"


@dataclass(frozen=True)
class Work:
    """Call the fixer: on a batch, or on the challenger's objections to the whole change."""

    number: int
    agent: str
    batch: Batch | None
    round: int
    """Round of the challenge whose objections it answers; 0 for a batch."""
    earlier_calls: int
    """Number of earlier calls on the same work."""
    feedback: str


@dataclass(frozen=True)
class Challenge:
    """Call the challenger, who judges the whole change."""

    number: int
    """Number of the call, from 1."""
    round: int


@dataclass(frozen=True)
class Land:
    """Commit the change, which passed every check."""


@dataclass(frozen=True)
class StopBacklog:
    """End the run."""

    ending: Ending
    failed: tuple[int, ...] = ()
    """Issues whose fix was tried and rejected become FAILED; all others become OPEN again."""
    commit: str = ""
    """The commit that landed; empty: none did."""


Move = Work | Challenge | Land | StopBacklog


def start_backlog(
    baseline: BacklogBaseline, base: str, agents: tuple[str, ...], target: FixIssues
) -> BacklogProgress | StopBacklog:
    """Return the first state of the run, or its ending if nothing can be done."""
    if baseline.tests.is_blocked and not baseline.tests.passed:  # no change could be proven
        return StopBacklog(Ending("BLOCKED", render_left_out(baseline.tests.left_out), ENVIRONMENT))
    if baseline.tests.status == "error":
        return StopBacklog(Ending("UNVERIFIED", f"the tests gave no result before any change: {baseline.tests.why}"))
    if not baseline.claimed_issues:
        return StopBacklog(
            Ending("DEFERRED", "none of these issues is still open: another run or a person has taken them")
        )
    judges = AgentRotation((target.challenger.name,) if target.challenger else ())
    return BacklogProgress(AgentRotation(agents), base, baseline.claimed_issues, judges)


def decide(progress: BacklogProgress, target: FixIssues, limits: Limits) -> Move:
    """Return the next move. The first matching row wins: batches in order, then the challenger, then the commit."""
    fixer_ending = _find_fixer_ending(progress, target, limits)
    batch = None if fixer_ending else _find_next_batch(progress, target, limits)
    if batch:
        tries = progress.attempts_on(batch.number)
        return Work(
            _next_number(progress), progress.rotation.next, batch, 0, len(tries), tries[-1].why if tries else ""
        )
    if not progress.kept_batches:
        return _decide_without_agents(progress, target, fixer_ending)
    if target.challenger is None:
        return Land()
    return _decide_challenge(progress, target, limits, fixer_ending)


def _decide_without_agents(progress: BacklogProgress, target: FixIssues, fixer_ending: Ending | None) -> Move:
    """Decide when no agent's work was accepted. Fixes of tools need no challenger, because no model wrote them."""
    if progress.tool_fixes:
        return Land()
    if fixer_ending:
        return StopBacklog(fixer_ending)
    if not progress.attempts:
        word: EndingWord = "CLEAN" if {*target.issues} <= {*progress.absent_issues} else "DEFERRED"
        return StopBacklog(Ending(word, NOT_REPORTED if word == "CLEAN" else describe_other_work(progress)[:-2]))
    return _stop_with_failures(
        progress, target, f"{describe_other_work(progress)}nothing was accepted in {_describe_calls(progress)}"
    )


def _decide_challenge(
    progress: BacklogProgress, target: FixIssues, limits: Limits, fixer_ending: Ending | None
) -> Move:
    scores_of_head = [score for score in progress.scores if score.head == progress.head]
    last = scores_of_head[-1] if scores_of_head else None
    if last is None or last.review is None:
        return _ask_challenger(progress, target, limits, scores_of_head)
    if last.approves(target.limits):
        return Land()
    round_number = len(progress.answered_scores)
    objection = f"{describe_low_score(last.review, target.limits)} in round {round_number} of {target.limits.rounds}"
    if round_number >= target.limits.rounds:
        return _stop_with_failures(progress, target, objection)
    if fixer_ending:
        return StopBacklog(replace(fixer_ending, reason=f"{fixer_ending.reason}; {objection}"))
    tries = progress.attempts_on(0, round_number)
    if tries and (tries[-1].final or len(tries) >= limits.attempts):
        why = f"{objection}, and the fixer's rework did not hold: {tries[-1].why.splitlines()[0][:200]}"
        return _stop_with_failures(progress, target, why)
    feedback = tries[-1].why if tries else ""
    return Work(_next_number(progress), progress.rotation.next, None, round_number, len(tries), feedback)


def _ask_challenger(
    progress: BacklogProgress, target: FixIssues, limits: Limits, unanswered: list[ChallengeScore]
) -> Move:
    if ending := progress.judges.find_ending(limits):
        return StopBacklog(replace(ending, reason=f"the change was not challenged: {ending.reason}"))
    if len(unanswered) >= target.limits.challenger_tries:
        return StopBacklog(Ending("UNVERIFIED", f"the challenger gave no score: {unanswered[-1].why}"))
    if progress.spent_usd >= limits.budget_usd:
        return StopBacklog(
            Ending("OVER_BUDGET", f"{_describe_spending(progress, limits)}; no budget is left to challenge the change")
        )
    return Challenge(len(progress.scores) + 1, len(progress.answered_scores) + 1)


def stop_without_effect(progress: BacklogProgress, target: FixIssues) -> StopBacklog:
    """Return the ending if an approved change touches no file of an issue."""
    return _stop_with_failures(
        progress, target, "the change touches no file of an issue, or only comments and blanks in it"
    )


def _stop_with_failures(progress: BacklogProgress, target: FixIssues, why: str) -> StopBacklog:
    batches = {attempt.batch for attempt in progress.attempts}
    failed = tuple(issue for batch in target.batches if batch.number in batches for issue in batch.issues)
    return StopBacklog(Ending("DEFERRED", why), failed)


def _find_fixer_ending(progress: BacklogProgress, target: FixIssues, limits: Limits) -> Ending | None:
    """Return the ending that forbids further calls of the fixer; None: it may be called."""
    if ending := progress.rotation.find_ending(limits):
        return ending
    if progress.spent_usd >= compute_fixer_budget(target, limits):
        return Ending("OVER_BUDGET", _describe_spending(progress, limits))
    if progress.worked_s >= limits.timeout_s:
        return Ending("EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    return None


def compute_fixer_budget(target: FixIssues, limits: Limits) -> float:
    """Return the amount in US dollars that the fixer may spend."""
    return limits.budget_usd * (FIXERS_SHARE if target.challenger else 1.0)


def _find_next_batch(progress: BacklogProgress, target: FixIssues, limits: Limits) -> Batch | None:
    for batch in target.batches:
        if progress.issues_of(batch) and not is_over(progress, batch, limits):
            return batch
    return None


def is_over(progress: BacklogProgress, batch: Batch, limits: Limits) -> bool:
    """Return True if no further call on the batch follows in this run."""
    tries = progress.attempts_on(batch.number)
    return bool(tries) and (tries[-1].is_kept or tries[-1].final or len(tries) >= limits.attempts)


def is_given_up(progress: BacklogProgress, batch: Batch, limits: Limits) -> bool:
    """Return True if this run kept no change for the batch and will try none any more."""
    return is_over(progress, batch, limits) and batch.number not in progress.kept_batches


def end_after_landing(progress: BacklogProgress, target: FixIssues, limits: Limits, issues: tuple[int, ...]) -> Ending:
    """Return the ending of a run that has committed."""
    fixed = tuple(f"I-{issue}" for issue in issues)
    open_names = tuple(f"I-{issue}" for issue in target.issues if issue not in issues)
    fixer_ending = _find_fixer_ending(progress, target, limits)
    has_open_batches = any(
        not is_over(progress, batch, limits) for batch in target.batches if progress.issues_of(batch)
    )
    judgement = f"{describe_other_work(progress)}{describe_judges(progress, target)}"
    has_unchecked = bool(list_unchecked(progress, target))
    if has_unchecked or (target.challenger is None and not target.by_choice and not progress.only_tools):
        cause = "unchecked" if has_unchecked else "unchallenged"
        return Ending(
            "UNVERIFIED",
            f"{_format_share(fixed, open_names)} resolved; {judgement}",
            cause,
            fixed,
            open_names,
        )
    if fixer_ending and has_open_batches:
        return replace(
            fixer_ending,
            reason=f"{_format_share(fixed, open_names)} committed, then {fixer_ending.reason}; {judgement}",
            fixed=fixed,
            left=open_names,
        )
    word: EndingWord = "PARTIAL" if open_names else "FIXED"
    return Ending(
        word,
        f"{_format_share(fixed, open_names)} have their file in the change, no test turned red; {judgement}",
        "",
        fixed,
        open_names,
    )


def describe_other_work(progress: BacklogProgress) -> str:
    """Say for the ending how many issues tools fixed, and which ones they no longer report."""
    fixed, absent = len(progress.by_tools), [f"I-{issue}" for issue in progress.absent_issues]
    by_tools = f"{fixed} of them fixed by their tools; " if fixed and not progress.only_tools else ""
    return by_tools + (f"{join_and_count(absent, 10)} {NO_LONGER}; " if absent else "")


def end_after_tools(stop: StopBacklog, target: FixIssues, issues: tuple[int, ...]) -> StopBacklog:
    """Return the ending of a run that has committed only the fixes of tools."""
    fixed = tuple(f"I-{issue}" for issue in issues)
    open_names = tuple(f"I-{issue}" for issue in target.issues if issue not in issues)
    reason = f"{_format_share(fixed, open_names)} committed, {ONLY_TOOLS}; then {stop.ending.reason}"
    return replace(stop, ending=replace(stop.ending, reason=reason, fixed=fixed, left=open_names))


def describe_judges(progress: BacklogProgress, target: FixIssues) -> str:
    """Say for the ending who judged the change, and which issues nobody checked."""
    if progress.only_tools:
        return ONLY_TOOLS
    if target.challenger is None or not progress.answered_scores:
        doubtful = [f"I-{issue}" for issue in list_unchecked(progress, target)]
        rest = f"; {NO_CHECK}: {join_and_count(doubtful, 10)}" if doubtful else ""
        return f"not challenged: {target.unchallenged}{rest}"
    review, rounds = progress.answered_scores[-1].review, len(progress.answered_scores)
    score = review.score_0_100 if review else 0
    return f"{target.challenger.name} gave {score} of 100 (needs {target.limits.threshold_0_100:g}) in round {rounds}"


def describe_low_score(review: Review, limits: IssueLimits) -> str:
    """Compare the challenger's score with the one that the change needs."""
    if review.score_0_100 >= limits.threshold_0_100:
        return f"the challenger gave {review.score_0_100} of 100 but says that it needs work,"
    return f"the challenger gave {review.score_0_100} of 100, needs {limits.threshold_0_100:g},"


def _format_share(fixed: tuple[str, ...], open_names: tuple[str, ...]) -> str:
    return f"{len(fixed)} of {len(fixed) + len(open_names)} issues"


def _next_number(progress: BacklogProgress) -> int:
    return len(progress.attempts) + 1


def _describe_calls(progress: BacklogProgress) -> str:
    return f"{len(progress.attempts)} agent call(s); the last: {progress.attempts[-1].why.splitlines()[0][:400]}"


def _describe_spending(progress: BacklogProgress, limits: Limits) -> str:
    return f"{format_spending(progress.spent_usd, limits.budget_usd)} spent or reserved"
