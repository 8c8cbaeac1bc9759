"""Decides the next move of a backlog run. A score of the challenger can only make the result worse, never better."""

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
"""Share of the budget; the rest is reserved for the challenger, without which all the work would be wasted."""


ONLY_TOOLS = "fixed by the tools that reported them, without an agent"
NO_LONGER = "left OPEN, no longer reported by their tools: import new reports"
NO_CHECK = "no check of this issue exists"
NOT_REPORTED = "their tools report none of these issues on the base commit: import new reports"


@dataclass(frozen=True)
class Work:
    """A call of the fixer: on a batch, or on the challenger's objections to the whole change."""

    number: int
    agent: str
    batch: Batch | None
    round: int
    """Round of the challenge that it answers; 0 for a batch."""
    earlier_calls: int
    """Number of earlier calls on the same work."""
    feedback: str


@dataclass(frozen=True)
class Challenge:
    """A call of the challenger, who judges the whole change."""

    number: int
    """Number of the call, from 1."""
    round: int


@dataclass(frozen=True)
class Land:
    """The change passed every check, so the run commits it."""


@dataclass(frozen=True)
class StopBacklog:
    """The run ends."""

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
    out = _explain_fixer_stop(progress, target, limits)
    batch = None if out else _find_next_batch(progress, target, limits)
    if batch:
        tries = progress.attempts_on(batch.number)
        return Work(
            _next_number(progress), progress.rotation.next, batch, 0, len(tries), tries[-1].why if tries else ""
        )
    if not progress.kept_batches:
        return _decide_without_agents(progress, target, out)
    if target.challenger is None:
        return Land()
    return _decide_challenge(progress, target, limits, out)


def _decide_without_agents(progress: BacklogProgress, target: FixIssues, out: Ending | None) -> Move:
    """Decide if no agent's work was accepted. Fixes of tools need no challenger: no model wrote them."""
    if progress.tool_fixes:
        return Land()
    if out:
        return StopBacklog(out)
    if not progress.attempts:
        word: EndingWord = "CLEAN" if {*target.issues} <= {*progress.absent_issues} else "DEFERRED"
        return StopBacklog(Ending(word, NOT_REPORTED if word == "CLEAN" else describe_other_work(progress)[:-2]))
    return _stop_with_failures(
        progress, target, f"{describe_other_work(progress)}nothing was accepted in {_describe_calls(progress)}"
    )


def _decide_challenge(progress: BacklogProgress, target: FixIssues, limits: Limits, out: Ending | None) -> Move:
    here = [score for score in progress.scores if score.head == progress.head]
    last = here[-1] if here else None
    if last is None or last.review is None:
        return _ask_challenger(progress, target, limits, here)
    if last.approves(target.limits):
        return Land()
    round_number = len(progress.answered_scores)
    below = f"{describe_low_score(last.review, target.limits)} in round {round_number} of {target.limits.rounds}"
    if round_number >= target.limits.rounds:
        return _stop_with_failures(progress, target, below)
    if out:
        return StopBacklog(replace(out, reason=f"{out.reason}; {below}"))
    tries = progress.attempts_on(0, round_number)
    if tries and (tries[-1].final or len(tries) >= limits.attempts):
        why = f"{below}, and the fixer's rework did not hold: {tries[-1].why.splitlines()[0][:200]}"
        return _stop_with_failures(progress, target, why)
    feedback = tries[-1].why if tries else ""
    return Work(_next_number(progress), progress.rotation.next, None, round_number, len(tries), feedback)


def _ask_challenger(
    progress: BacklogProgress, target: FixIssues, limits: Limits, unheard: list[ChallengeScore]
) -> Move:
    if nobody := progress.judges.find_ending(limits):
        return StopBacklog(replace(nobody, reason=f"the change was not challenged: {nobody.reason}"))
    if len(unheard) >= target.limits.challenger_tries:
        return StopBacklog(Ending("UNVERIFIED", f"the challenger gave no score: {unheard[-1].why}"))
    if progress.spent_usd >= limits.budget_usd:
        return StopBacklog(
            Ending("OVER_BUDGET", f"{_describe_spending(progress, limits)}; no budget is left to challenge the change")
        )
    return Challenge(len(progress.scores) + 1, len(progress.answered_scores) + 1)


def stop_without_effect(progress: BacklogProgress, target: FixIssues) -> StopBacklog:
    """Stop after an approval of a change that touches no file of an issue."""
    return _stop_with_failures(
        progress, target, "the change touches no file of an issue, or only comments and blanks in it"
    )


def _stop_with_failures(progress: BacklogProgress, target: FixIssues, why: str) -> StopBacklog:
    batches = {attempt.batch for attempt in progress.attempts}
    failed = tuple(issue for batch in target.batches if batch.number in batches for issue in batch.issues)
    return StopBacklog(Ending("DEFERRED", why), failed)


def _explain_fixer_stop(progress: BacklogProgress, target: FixIssues, limits: Limits) -> Ending | None:
    """Return the ending if the fixer may not be called again; None: it may."""
    if nobody := progress.rotation.find_ending(limits):
        return nobody
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
    """Return True if nothing was kept for this batch and nothing will be in this run."""
    return is_over(progress, batch, limits) and batch.number not in progress.kept_batches


def end_after_landing(progress: BacklogProgress, target: FixIssues, limits: Limits, issues: tuple[int, ...]) -> Ending:
    """Return the ending of a run that has committed."""
    fixed = tuple(f"I-{issue}" for issue in issues)
    open_names = tuple(f"I-{issue}" for issue in target.issues if issue not in issues)
    out = _explain_fixer_stop(progress, target, limits)
    untried = any(not is_over(progress, batch, limits) for batch in target.batches if progress.issues_of(batch))
    judgement = f"{describe_other_work(progress)}{describe_judges(progress, target)}"
    doubtful = bool(list_unchecked(progress, target))
    if doubtful or (target.challenger is None and not target.by_choice and not progress.only_tools):
        cause = "unchecked" if doubtful else "unchallenged"
        return Ending(
            "UNVERIFIED",
            f"{_format_share(fixed, open_names)} resolved in one commit; {judgement}",
            cause,
            fixed,
            open_names,
        )
    if out and untried:
        return replace(
            out,
            reason=f"{_format_share(fixed, open_names)} committed, then {out.reason}; {judgement}",
            fixed=fixed,
            left=open_names,
        )
    word: EndingWord = "PARTIAL" if open_names else "FIXED"
    return Ending(
        word,
        f"{_format_share(fixed, open_names)} have their file in one commit, no test turned red; {judgement}",
        "",
        fixed,
        open_names,
    )


def describe_other_work(progress: BacklogProgress) -> str:
    """Say for the ending what tools fixed, and what is left because they no longer report it."""
    fixed, absent = len(progress.by_tools), [f"I-{issue}" for issue in progress.absent_issues]
    by_tools = f"{fixed} of them fixed by their tools; " if fixed and not progress.only_tools else ""
    return by_tools + (f"{join_and_count(absent, 10)} {NO_LONGER}; " if absent else "")


def end_after_tools(stop: StopBacklog, target: FixIssues, issues: tuple[int, ...]) -> StopBacklog:
    """Return the ending of a run that has committed the fixes of tools, and nothing of its agents."""
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
    """Say which score the challenger gave and which one it must give."""
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
    return f"{format_spending(progress.spent_usd, limits.budget_usd)} spent"
