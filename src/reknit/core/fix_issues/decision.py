"""Decides the next move of a backlog run from what was seen. A score can only make the result worse, never better."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Review
from reknit.core.causes.left_out import left_out_text
from reknit.core.fix_issues.progress import BacklogBaseline, BacklogProgress, ChallengeScore
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import ENVIRONMENT, Ending, EndingWord
from reknit.core.runs.limits import IssueLimits, Limits
from reknit.core.runs.spec import Batch, IssuesTarget
from reknit.core.text.format import first_and_more, spent_of

FIXERS_SHARE = 0.9
"""Share of the budget; the rest is reserved for the challenger, without which all the work would be wasted."""


ONLY_TOOLS = "fixed by the tools that reported them, without an agent"
NO_LONGER = "left OPEN, no longer reported by their tools: import new reports"
NO_CHECK = "no check of this issue exists"
NOT_REPORTED = "their tools report none of these issues on the base commit: import new reports"


@dataclass(frozen=True)
class Work:
    """The fixer works: on a batch, or on the challenger's objections to the whole change."""

    number: int
    agent: str
    batch: Batch | None
    round: int
    """Round of the challenge it answers; 0 for a batch."""
    tried: int
    """Earlier calls on the same work."""
    feedback: str


@dataclass(frozen=True)
class Challenge:
    number: int
    """Number of the call, from 1."""
    round: int


@dataclass(frozen=True)
class Land:
    """The change passed every check: commit it."""


@dataclass(frozen=True)
class StopBacklog:
    """The run ends."""

    ending: Ending
    failed: tuple[int, ...] = ()
    """Issues whose fix was attempted and rejected: FAILED; all others become OPEN again."""
    commit: str = ""
    """What has landed."""


Move = Work | Challenge | Land | StopBacklog


def begin(
    seen: BacklogBaseline, base: str, agents: tuple[str, ...], target: IssuesTarget
) -> BacklogProgress | StopBacklog:
    if seen.tests.is_blocked and not seen.tests.passed:  # no change could be proven
        return StopBacklog(Ending("BLOCKED", left_out_text(seen.tests.left_out), ENVIRONMENT))
    if seen.tests.status == "error":
        return StopBacklog(Ending("UNVERIFIED", f"the tests gave no result before any change: {seen.tests.why}"))
    if not seen.taken:
        return StopBacklog(
            Ending("DEFERRED", "none of these issues is still open: another run or a person has taken them")
        )
    judges = AgentRotation((target.challenger.name,) if target.challenger else ())
    return BacklogProgress(AgentRotation(agents), base, seen.taken, judges)


def decide(progress: BacklogProgress, target: IssuesTarget, limits: Limits) -> Move:
    """First matching row wins: batches in order, then the challenger, then the commit."""
    out = _fixer_is_out(progress, target, limits)
    batch = None if out else _next_batch(progress, target, limits)
    if batch:
        tries = progress.tries_on(batch.number)
        return Work(_number(progress), progress.rotation.next, batch, 0, len(tries), tries[-1].why if tries else "")
    if not progress.kept_batches:
        return _without_agents(progress, target, out)
    if target.challenger is None:
        return Land()
    return _challenged(progress, target, limits, out)


def _without_agents(progress: BacklogProgress, target: IssuesTarget, out: Ending | None) -> Move:
    """No agent's work was accepted. What tools fixed needs no challenger: no model wrote any of it."""
    if progress.tool_fixes:
        return Land()
    if out:
        return StopBacklog(out)
    if not progress.tried:
        word: EndingWord = "CLEAN" if {*target.issues} <= {*progress.gone} else "DEFERRED"
        return StopBacklog(Ending(word, NOT_REPORTED if word == "CLEAN" else beside_agents(progress)[:-2]))
    return _judged(progress, target, f"{beside_agents(progress)}nothing was accepted in {_calls(progress)}")


def _challenged(progress: BacklogProgress, target: IssuesTarget, limits: Limits, out: Ending | None) -> Move:
    here = [scored for scored in progress.scores if scored.head == progress.head]
    last = here[-1] if here else None
    if last is None or last.review is None:
        return _ask_challenger(progress, target, limits, here)
    if last.approves(target.limits):
        return Land()
    round_number = len(progress.heard)
    below = f"{below_the_mark(last.review, target.limits)} in round {round_number} of {target.limits.rounds}"
    if round_number >= target.limits.rounds:
        return _judged(progress, target, below)
    if out:
        return StopBacklog(replace(out, reason=f"{out.reason}; {below}"))
    tries = progress.tries_on(0, round_number)
    if tries and (tries[-1].final or len(tries) >= limits.attempts):
        why = f"{below}, and the fixer's rework did not hold: {tries[-1].why.splitlines()[0][:200]}"
        return _judged(progress, target, why)
    feedback = tries[-1].why if tries else ""
    return Work(_number(progress), progress.rotation.next, None, round_number, len(tries), feedback)


def _ask_challenger(
    progress: BacklogProgress, target: IssuesTarget, limits: Limits, unheard: list[ChallengeScore]
) -> Move:
    if nobody := progress.judges.stopped(limits):
        return StopBacklog(replace(nobody, reason=f"the change was not challenged: {nobody.reason}"))
    if len(unheard) >= target.limits.challenger_tries:
        return StopBacklog(Ending("UNVERIFIED", f"the challenger gave no score: {unheard[-1].why}"))
    if progress.spent_usd >= limits.budget_usd:
        return StopBacklog(
            Ending("OVER_BUDGET", f"{_money(progress, limits)}; no budget is left to challenge the change")
        )
    return Challenge(len(progress.scores) + 1, len(progress.heard) + 1)


def fruitless(progress: BacklogProgress, target: IssuesTarget) -> StopBacklog:
    """Approved, but it changes no file of an issue: there is nothing to land."""
    return _judged(progress, target, "the change touches no file of an issue, or only comments and blanks in it")


def _judged(progress: BacklogProgress, target: IssuesTarget, why: str) -> StopBacklog:
    tried = {tried.batch for tried in progress.tried}
    failed = tuple(issue for batch in target.batches if batch.number in tried for issue in batch.issues)
    return StopBacklog(Ending("DEFERRED", why), failed)


def _fixer_is_out(progress: BacklogProgress, target: IssuesTarget, limits: Limits) -> Ending | None:
    """Why the fixer may not be called again; None: it may."""
    if nobody := progress.rotation.stopped(limits):
        return nobody
    if progress.spent_usd >= fixers_budget(target, limits):
        return Ending("OVER_BUDGET", _money(progress, limits))
    if progress.worked_s >= limits.timeout_s:
        return Ending("EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    return None


def fixers_budget(target: IssuesTarget, limits: Limits) -> float:
    return limits.budget_usd * (FIXERS_SHARE if target.challenger else 1.0)


def _next_batch(progress: BacklogProgress, target: IssuesTarget, limits: Limits) -> Batch | None:
    for batch in target.batches:
        if progress.issues_of(batch) and not is_over(progress, batch, limits):
            return batch
    return None


def is_over(progress: BacklogProgress, batch: Batch, limits: Limits) -> bool:
    tries = progress.tries_on(batch.number)
    return bool(tries) and (tries[-1].kept or tries[-1].final or len(tries) >= limits.attempts)


def given_up(progress: BacklogProgress, batch: Batch, limits: Limits) -> bool:
    """Nothing was kept for this batch, and nothing will be in this run."""
    return is_over(progress, batch, limits) and batch.number not in progress.kept_batches


def worked_on(progress: BacklogProgress, target: IssuesTarget) -> tuple[int, ...]:
    """Issues that tools fixed, and those of the kept batches."""
    kept = [batch for batch in target.batches if batch.number in progress.kept_batches]
    return (*progress.by_tools, *(issue for batch in kept for issue in progress.issues_of(batch)))


def unchecked(progress: BacklogProgress, target: IssuesTarget) -> tuple[int, ...]:
    """Return the kept issues about which nobody knows more than that no test turned red."""
    if any(scored.head == progress.head and scored.approves(target.limits) for scored in progress.scores):
        return ()
    settled = progress.checked | progress.still
    return tuple(issue for issue in worked_on(progress, target) if issue not in settled)


def addressed(
    progress: BacklogProgress,
    target: IssuesTarget,
    files: Collection[tuple[int, str]],
    paths: Collection[str],
    code: Collection[str],
) -> tuple[int, ...]:
    """Return the issues whose fix was kept, whose file is in the commit, and that their tools no longer report.

    `files`: (issue, its file). `code`: those of `paths` that differ in more than comments and blanks, which alone count
    for an issue without a check of its own.
    """
    kept = {*worked_on(progress, target)} - progress.still
    return tuple(
        issue for issue, file in files if issue in kept and file in (paths if issue in progress.checked else code)
    )


def resolved(progress: BacklogProgress, target: IssuesTarget, done: Collection[int]) -> tuple[int, ...]:
    """Return those of the addressed issues that a check of their own, or the challenger, saw resolved."""
    doubtful = unchecked(progress, target)
    return tuple(issue for issue in done if issue not in doubtful)


def landed(progress: BacklogProgress, target: IssuesTarget, limits: Limits, done: tuple[int, ...]) -> Ending:
    """The ending of a run that has committed."""
    fixed = tuple(f"I-{issue}" for issue in done)
    left = tuple(f"I-{issue}" for issue in target.issues if issue not in done)
    out = _fixer_is_out(progress, target, limits)
    untried = any(not is_over(progress, batch, limits) for batch in target.batches if progress.issues_of(batch))
    judged = f"{beside_agents(progress)}{judged_by(progress, target)}"
    doubtful = bool(unchecked(progress, target))
    if doubtful or (target.challenger is None and not target.by_choice and not progress.only_tools):
        cause = "unchecked" if doubtful else "unchallenged"
        return Ending("UNVERIFIED", f"{_share(fixed, left)} resolved in one commit; {judged}", cause, fixed, left)
    if out and untried:
        return replace(
            out, reason=f"{_share(fixed, left)} committed, then {out.reason}; {judged}", fixed=fixed, left=left
        )
    word: EndingWord = "PARTIAL" if left else "FIXED"
    return Ending(
        word, f"{_share(fixed, left)} have their file in one commit, no test turned red; {judged}", "", fixed, left
    )


def beside_agents(progress: BacklogProgress) -> str:
    """For the ending: what tools did, and what was left because they are silent about it."""
    fixed, gone = len(progress.by_tools), [f"I-{issue}" for issue in progress.gone]
    by_tools = f"{fixed} of them fixed by their tools; " if fixed and not progress.only_tools else ""
    return by_tools + (f"{first_and_more(gone, 10)} {NO_LONGER}; " if gone else "")


def landed_by_tools(stop: StopBacklog, target: IssuesTarget, done: tuple[int, ...]) -> StopBacklog:
    """The ending of a run that has committed what tools fixed, and nothing of its agents."""
    fixed = tuple(f"I-{issue}" for issue in done)
    left = tuple(f"I-{issue}" for issue in target.issues if issue not in done)
    reason = f"{_share(fixed, left)} committed, {ONLY_TOOLS}; then {stop.ending.reason}"
    return replace(stop, ending=replace(stop.ending, reason=reason, fixed=fixed, left=left))


def judged_by(progress: BacklogProgress, target: IssuesTarget) -> str:
    if progress.only_tools:
        return ONLY_TOOLS
    if target.challenger is None or not progress.heard:
        doubtful = [f"I-{issue}" for issue in unchecked(progress, target)]
        rest = f"; {NO_CHECK}: {first_and_more(doubtful, 10)}" if doubtful else ""
        return f"not challenged: {target.unchallenged}{rest}"
    review, rounds = progress.heard[-1].review, len(progress.heard)
    score = review.score_0_100 if review else 0
    return f"{target.challenger.name} gave {score} of 100 (needs {target.limits.threshold_0_100:g}) in round {rounds}"


def below_the_mark(review: Review, limits: IssueLimits) -> str:
    if review.score_0_100 >= limits.threshold_0_100:
        return f"the challenger gave {review.score_0_100} of 100 but says that it needs work,"
    return f"the challenger gave {review.score_0_100} of 100, needs {limits.threshold_0_100:g},"


def _share(fixed: tuple[str, ...], left: tuple[str, ...]) -> str:
    return f"{len(fixed)} of {len(fixed) + len(left)} issues"


def _number(progress: BacklogProgress) -> int:
    return len(progress.tried) + 1


def _calls(progress: BacklogProgress) -> str:
    return f"{len(progress.tried)} agent call(s); the last: {progress.tried[-1].why.splitlines()[0][:400]}"


def _money(progress: BacklogProgress, limits: Limits) -> str:
    return f"{spent_of(progress.spent_usd, limits.budget_usd)} spent"
