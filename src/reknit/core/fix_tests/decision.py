"""Decides the next step of the repair loop from what was seen so far. No model is involved."""

from dataclasses import dataclass

from reknit.core.agents.call import Aborted, Done
from reknit.core.agents.strategy import strategy_of
from reknit.core.causes.left_out import doubt_text, left_out_text
from reknit.core.causes.stale_lock import RULE, lock_to_allow
from reknit.core.checks.honesty import UNPROVEN_BY_EXIT_CODE, why_refused_by_checks
from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.events import remembered
from reknit.core.fix_tests.holdout import UNPROVEN_BY_HOLDOUT
from reknit.core.fix_tests.progress import SINCE_RECHECK, RepairProgress, Try
from reknit.core.gate.needed_waivers import blocked_text, needs_a_person
from reknit.core.gate.waiver import typed_options
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import ENVIRONMENT, REMEMBERED, TRIED, WAIVER, Ending, EndingWord
from reknit.core.runs.limits import Limits
from reknit.core.testing.proof import ProofWord
from reknit.core.testing.report import WHOLE_SUITE
from reknit.core.text.format import counted, first_few, one_line, spent_of

_UNPROVEN = "UNPROVEN: the test passes without the fix too"


@dataclass(frozen=True)
class StopRepair:
    ending: Ending


def begin(baseline: Baseline, base: str, agents: tuple[str, ...]) -> RepairProgress | StopRepair:
    """The state the loop starts with, or the ending if it need not start."""
    if baseline.status == "blocked":
        return StopRepair(Ending("BLOCKED", left_out_text(baseline.left_out), ENVIRONMENT))
    if baseline.status == "unseen":
        return StopRepair(Ending("UNVERIFIED", baseline.why))
    if baseline.status == "green":
        return StopRepair(Ending("CLEAN", _clean(baseline, base)))
    if baseline.answered_by:
        left = tuple(finding.id for finding in baseline.findings)
        return StopRepair(Ending("DEFERRED", remembered(baseline.answered_by), REMEMBERED, left=left))
    return RepairProgress(
        AgentRotation(agents),
        baseline.findings,
        base,
        unprovable=baseline.named_flaky,
        doubtful=baseline.doubtful,
        doubts=baseline.doubts,
        left_out=baseline.left_out,
        rules=baseline.rules,
        flaky=() if baseline.named else baseline.flaky,
        named=baseline.named,
    )


def _clean(baseline: Baseline, base: str) -> str:
    if not baseline.named:
        return f"no test fails at {base[:7]}: {baseline.passing_count} pass"
    others = f"; red, but not asked for: {first_few(baseline.red_elsewhere)}" if baseline.red_elsewhere else ""
    return f"no test that you named fails at {base[:7]}{others}"


def decide(progress: RepairProgress, limits: Limits) -> Try | StopRepair:
    """First matching row wins."""
    left = progress.left
    if not left and progress.flaky and not progress.fixed_tests:
        unproven = any(attempt.proof == "unproven" for attempt in progress.attempts)
        why = _why_unproven(progress) if unproven else f"flaky, so no fix could be proven: {first_few(progress.flaky)}"
        return _stop(progress, "UNVERIFIED", why)
    if not left and progress.unprovable:
        return _stop(progress, "PARTIAL", f"flaky, so no fix could be proven: {', '.join(progress.unprovable[:3])}")
    if not left and progress.named and progress.left_out:
        return _stop(progress, "PARTIAL", "not every test that you named could be repaired")
    if not left:
        how = ", by exit code" if any(attempt.by_exit_code for attempt in progress.attempts if attempt.fixed) else ""
        return _stop(progress, "FIXED", f"everything asked for is fixed and proven{how}")
    if nobody := progress.rotation.stopped(limits):
        return _stop(progress, nobody.word, nobody.reason, nobody.cause)
    if progress.spent_usd >= limits.budget_usd or _over_budget(progress):
        return _stop(progress, "OVER_BUDGET", _money(progress, limits))
    if progress.worked_s >= limits.timeout_s:
        return _stop(progress, "EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    if progress.rules and (unseen := _unseen(progress)):
        word: EndingWord = "PARTIAL" if progress.fixed_tests else "UNVERIFIED"
        return _stop(progress, word, f"no further attempt was made: {unseen}")
    for finding in left:
        tried = progress.tries_on(finding, limits)
        is_hopeless = _is_unproven(progress, finding) or _needs_a_person(progress, finding)
        if tried < progress.most_tries_on(finding, limits) and not is_hopeless:
            if progress.rules and progress.fruitless >= limits.fruitless:
                word = "PARTIAL" if progress.fixed_tests else "DEFERRED"
                return _stop(progress, word, f"{progress.fruitless} attempts in a row did not land (loop.fruitless)")
            return Try(finding, len(progress.attempts) + 1, strategy_of(tried + 1), progress.rotation.next)
    if progress.fixed_tests:
        named = first_few([f"{finding.id} {one_line(finding.subject)}" for finding in left], 5)
        asked = f"; {_for_a_person(progress)}" if _for_a_person(progress) else ""
        return _stop(progress, "PARTIAL", f"{len(left)} of {len(progress.findings)} findings remain: {named}{asked}")
    if person := _for_a_person(progress):
        return _stop(progress, "BLOCKED", person, WAIVER)
    if any(_is_unproven(progress, finding) for finding in left):
        return _stop(progress, "UNVERIFIED", _why_unproven(progress))
    if any(_last_proof(progress, finding) == "unseen" for finding in left):
        return _stop(progress, "UNVERIFIED", "the tests gave no result after the last attempt")
    needed = tuple(dict.fromkeys(pair for finding in left for pair in progress.attempts_on(finding)[-1].needed))
    asked = f"; the last change would need `{typed_options(needed)}`" if needed else ""
    last = progress.attempts[-1]
    why = f"; {why_refused_by_checks(last.said)}" if last.proof == "refused" else " did not repair it"
    return _stop(progress, "DEFERRED", f"{_tried(progress)}{why}{asked}", cause=_was_tried(progress))


def is_to_recheck(progress: RepairProgress) -> bool:
    """Whether to look at the finding once more before the next attempt: the first follows the baseline directly."""
    return progress.rules >= SINCE_RECHECK and bool(progress.attempts)


def _stop(progress: RepairProgress, word: EndingWord, reason: str, cause: str = "") -> StopRepair:
    left = tuple(finding.id for finding in progress.left)
    proven = frozenset(progress.fixed_tests)
    fixed = tuple(each.id for each in progress.findings if each.id not in left and proven.intersection(each.tests))
    flaky = dict.fromkeys([*progress.flaky, *(test for attempt in progress.attempts for test in attempt.flaky)])
    beside = f"; flaky, left out: {first_few([*flaky])}" if flaky and proven else ""
    beside += f"; left out: {left_out_text(progress.left_out)}" if progress.left_out else ""
    beside += doubt_text(progress.doubts, [test for finding in progress.left for test in finding.tests])
    return StopRepair(Ending(word, f"{reason}{beside}", cause, fixed, left))


def _money(progress: RepairProgress, limits: Limits) -> str:
    spent, last = f"{spent_of(progress.spent_usd, limits.budget_usd)} spent", _over_budget(progress)
    return f"{spent}; {last.detail}" if last and last.detail else spent


def _over_budget(progress: RepairProgress) -> Aborted | None:
    last = progress.attempts[-1].outcome if progress.attempts else None
    return last if isinstance(last, Aborted) and last.why == "budget" else None


def _unseen(progress: RepairProgress) -> str:
    """Why the last verification gave no result; the next would cost the same and show as little."""
    last = progress.attempts[-1] if progress.attempts else None
    return (last.said or "the tests gave no result") if last and last.proof == "unseen" else ""


def _is_unproven(progress: RepairProgress, finding: Finding) -> bool:
    return _last_proof(progress, finding) == "unproven"


def _why_unproven(progress: RepairProgress) -> str:
    reasons = (UNPROVEN_BY_EXIT_CODE, UNPROVEN_BY_HOLDOUT)
    said = [attempt.said for attempt in progress.attempts if attempt.said.startswith(reasons)]
    return said[-1] if said else _UNPROVEN


def _needs_a_person(progress: RepairProgress, finding: Finding) -> bool:
    """No further attempt is paid for: only a waiver would let a fix pass."""
    tried = progress.attempts_on(finding)
    if not tried:
        return bool(_stale_lock(progress, finding))
    return needs_a_person(tried[-1].needed, tried[-2].needed if len(tried) > 1 else (), at_once=tried[-1].at_once)


def _stale_lock(progress: RepairProgress, finding: Finding) -> str:
    """The lockfile that the suite calls stale, if the agent may not change it."""
    return lock_to_allow(finding, progress.waivers) if finding.subject.endswith(WHOLE_SUITE) else ""


def _for_a_person(progress: RepairProgress) -> str:
    """What to type; empty if no waiver would help."""
    waiting = [finding for finding in progress.left if _needs_a_person(progress, finding)]
    needed = [pair for finding in waiting for tried in progress.attempts_on(finding)[-1:] for pair in tried.needed]
    needed += [(RULE, path) for finding in waiting if (path := _stale_lock(progress, finding))]
    return blocked_text(tuple(dict.fromkeys(needed)), progress.waivers) if needed else ""


def _last_proof(progress: RepairProgress, finding: Finding) -> ProofWord | None:
    tried = progress.attempts_on(finding)
    return tried[-1].proof if tried else None


def _was_tried(progress: RepairProgress) -> str:
    """An agent that crashed, or a suite that is flaky, gave no answer worth remembering."""
    last = [progress.attempts_on(finding)[-1] for finding in progress.left]
    return TRIED if all(isinstance(attempt.outcome, Done) and not attempt.flaky for attempt in last) else ""


def _tried(progress: RepairProgress) -> str:
    words = list(dict.fromkeys(attempt.strategy for attempt in progress.attempts))
    count = len(progress.attempts)
    return f"{counted(count, 'attempt')} ({', '.join(words)})"
