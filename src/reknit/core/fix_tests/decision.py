"""Decides the next step of the repair loop from the results so far, without a model."""

from dataclasses import dataclass, replace

from reknit.core.agents.call import Aborted, Done
from reknit.core.agents.strategy import choose_strategy
from reknit.core.causes.cause import render_doubts, render_left_out
from reknit.core.checks.proof import UNPROVEN_BY_EXIT_CODE, explain_refusal
from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.events import explain_remembered
from reknit.core.fix_tests.progress import RepairProgress, Try
from reknit.core.gate.needed_waivers import Needed, explain_blocked, offer_waivers, should_ask_person
from reknit.core.gate.stale_lock import RULE, find_lock_to_allow
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import (
    ENVIRONMENT,
    REMEMBERED,
    TRIED,
    UNPROVEN_BY_HOLDOUT,
    WAIVER,
    Ending,
    EndingWord,
)
from reknit.core.runs.limits import Limits
from reknit.core.testing.proof import ProofWord
from reknit.core.testing.report import WHOLE_SUITE
from reknit.core.text.format import format_spending, join_few, pluralize, to_one_line

_UNPROVEN = "UNPROVEN: the test passes without the fix too"


@dataclass(frozen=True)
class StopRepair:
    """The end of the loop."""

    ending: Ending


def begin(baseline: Baseline, base: str, agents: tuple[str, ...]) -> RepairProgress | StopRepair:
    """Return the first state of the loop, or the ending if there is nothing to repair."""
    if baseline.status == "blocked":
        return StopRepair(Ending("BLOCKED", render_left_out(baseline.left_out), ENVIRONMENT))
    if baseline.status == "unseen":
        return StopRepair(Ending("UNVERIFIED", baseline.why))
    if baseline.status == "green":
        return StopRepair(Ending("CLEAN", _describe_clean(baseline, base)))
    if baseline.answered_by:
        remaining = tuple(finding.id for finding in baseline.findings)
        return StopRepair(Ending("DEFERRED", explain_remembered(baseline.answered_by), REMEMBERED, left=remaining))
    return RepairProgress(
        AgentRotation(agents),
        baseline.findings,
        base,
        unprovable=baseline.named_flaky,
        doubtful=baseline.doubtful,
        doubts=baseline.doubts,
        left_out=baseline.left_out,
        flaky=() if baseline.has_requested_tests else baseline.flaky,
        has_requested_tests=baseline.has_requested_tests,
    )


def _describe_clean(baseline: Baseline, base: str) -> str:
    if not baseline.has_requested_tests:
        return f"no test fails at {base[:7]}: {baseline.passing_count} pass"
    red_note = f"; red, but not asked for: {join_few(baseline.red_elsewhere)}" if baseline.red_elsewhere else ""
    return f"no test that you named fails at {base[:7]}{red_note}"


def decide(progress: RepairProgress, limits: Limits) -> Try | StopRepair:
    """Return the next attempt, or the ending. The first matching row wins."""
    remaining = progress.remaining
    if not remaining and progress.flaky and not progress.fixed_tests:
        unproven = any(attempt.proof == "unproven" for attempt in progress.attempts)
        why = (
            _explain_unproven(progress) if unproven else f"flaky, so no fix could be proven: {join_few(progress.flaky)}"
        )
        return _stop(progress, "UNVERIFIED", why)
    if not remaining and progress.unprovable:
        return _stop(progress, "PARTIAL", f"flaky, so no fix could be proven: {', '.join(progress.unprovable[:3])}")
    if not remaining and progress.has_requested_tests and progress.left_out:
        return _stop(progress, "PARTIAL", "not every test that you named could be repaired")
    if not remaining:
        how = ", by exit code" if any(attempt.by_exit_code for attempt in progress.attempts if attempt.fixed) else ""
        return _stop(progress, "FIXED", f"everything asked for is fixed and proven{how}")
    if ending := progress.rotation.find_ending(limits):
        return _stop(progress, ending.word, ending.reason, ending.cause)
    if progress.spent_usd >= limits.budget_usd or _find_over_budget(progress):
        return _stop(progress, "OVER_BUDGET", _describe_cost(progress, limits))
    if progress.worked_s >= limits.timeout_s:
        return _stop(progress, "EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    if unseen := _explain_unseen(progress):
        word: EndingWord = "PARTIAL" if progress.fixed_tests else "UNVERIFIED"
        return _stop(progress, word, f"no further attempt was made: {unseen}")
    for finding in remaining:
        tries = progress.count_tries(finding, limits)
        is_hopeless = _is_unproven(progress, finding) or _needs_a_person(progress, finding)
        if tries < progress.limit_tries(finding, limits) and not is_hopeless:
            if progress.fruitless >= limits.fruitless:
                word = "PARTIAL" if progress.fixed_tests else "DEFERRED"
                return _stop(progress, word, f"{progress.fruitless} attempts in a row did not land (loop.fruitless)")
            return Try(finding, len(progress.attempts) + 1, choose_strategy(tries + 1), progress.rotation.next)
    if progress.fixed_tests:
        summary = join_few([f"{finding.id} {to_one_line(finding.subject)}" for finding in remaining], 5)
        needed = _list_needed_waivers(progress)
        request = f"; {explain_blocked(needed, progress.waivers)}" if needed else ""
        return _stop(
            progress, "PARTIAL", f"{len(remaining)} of {len(progress.findings)} findings remain: {summary}{request}"
        )
    if needed := _list_needed_waivers(progress):
        stop = _stop(progress, "BLOCKED", explain_blocked(needed, progress.waivers), WAIVER)
        return StopRepair(replace(stop.ending, allow=offer_waivers(needed, progress.waivers)))
    if any(_is_unproven(progress, finding) for finding in remaining):
        return _stop(progress, "UNVERIFIED", _explain_unproven(progress))
    if any(_find_last_proof(progress, finding) == "unseen" for finding in remaining):
        return _stop(progress, "UNVERIFIED", "the tests gave no result after the last attempt")
    waivers = tuple(
        dict.fromkeys(pair for finding in remaining for pair in progress.list_attempts(finding)[-1].waivers)
    )
    options = offer_waivers(waivers, progress.waivers) if waivers else ""
    request = f"; the last change would need `{options}`" if options else ""
    last = progress.attempts[-1]
    why = f"; {explain_refusal(last.sentence)}" if last.proof == "refused" else " did not repair it"
    return _stop(progress, "DEFERRED", f"{_describe_attempts(progress)}{why}{request}", cause=_choose_cause(progress))


def should_recheck(progress: RepairProgress) -> bool:
    """Return True if the finding must run again before the attempt. The first attempt directly follows the baseline."""
    return bool(progress.attempts)


def _stop(progress: RepairProgress, word: EndingWord, reason: str, cause: str = "") -> StopRepair:
    remaining = tuple(finding.id for finding in progress.remaining)
    proven = frozenset(progress.fixed_tests)
    fixed = tuple(
        finding.id
        for finding in progress.findings
        if finding.id not in remaining and proven.intersection(finding.tests)
    )
    flaky = dict.fromkeys([*progress.flaky, *(test for attempt in progress.attempts for test in attempt.flaky)])
    notes = f"; flaky, left out: {join_few([*flaky])}" if flaky and proven else ""
    notes += f"; left out: {render_left_out(progress.left_out)}" if progress.left_out else ""
    notes += render_doubts(progress.doubts, [test for finding in progress.remaining for test in finding.tests])
    return StopRepair(Ending(word, f"{reason}{notes}", cause, fixed, remaining))


def _describe_cost(progress: RepairProgress, limits: Limits) -> str:
    cost, last = (
        f"{format_spending(progress.spent_usd, limits.budget_usd)} spent or reserved",
        _find_over_budget(progress),
    )
    return f"{cost}; {last.detail}" if last and last.detail else cost


def _find_over_budget(progress: RepairProgress) -> Aborted | None:
    last = progress.attempts[-1].outcome if progress.attempts else None
    return last if isinstance(last, Aborted) and last.why == "budget" else None


def _explain_unseen(progress: RepairProgress) -> str:
    """Return why the last verification gave no result, because the next one would give none either."""
    last = progress.attempts[-1] if progress.attempts else None
    return (last.sentence or "the tests gave no result") if last and last.proof == "unseen" else ""


def _is_unproven(progress: RepairProgress, finding: Finding) -> bool:
    return _find_last_proof(progress, finding) == "unproven"


def _explain_unproven(progress: RepairProgress) -> str:
    reasons = (UNPROVEN_BY_EXIT_CODE, UNPROVEN_BY_HOLDOUT)
    sentences = [attempt.sentence for attempt in progress.attempts if attempt.sentence.startswith(reasons)]
    return sentences[-1] if sentences else _UNPROVEN


def _needs_a_person(progress: RepairProgress, finding: Finding) -> bool:
    """Return True if only a waiver would let a fix pass, so that no further attempt is paid for."""
    attempts = progress.list_attempts(finding)
    if not attempts:
        return bool(_find_stale_lock(progress, finding))
    return should_ask_person(
        attempts[-1].waivers, attempts[-2].waivers if len(attempts) > 1 else (), at_once=attempts[-1].at_once
    )


def _find_stale_lock(progress: RepairProgress, finding: Finding) -> str:
    """Return the lockfile that the suite calls stale, if the agent may not change it."""
    return find_lock_to_allow(finding, progress.waivers) if finding.subject.endswith(WHOLE_SUITE) else ""


def _list_needed_waivers(progress: RepairProgress) -> Needed:
    """Return the waivers that a person is asked for; none if no waiver would help."""
    blocked_findings = [finding for finding in progress.remaining if _needs_a_person(progress, finding)]
    waivers = [
        pair
        for finding in blocked_findings
        for attempt in progress.list_attempts(finding)[-1:]
        for pair in attempt.waivers
    ]
    waivers += [(RULE, path) for finding in blocked_findings if (path := _find_stale_lock(progress, finding))]
    return tuple(dict.fromkeys(waivers))


def _find_last_proof(progress: RepairProgress, finding: Finding) -> ProofWord | None:
    attempts = progress.list_attempts(finding)
    return attempts[-1].proof if attempts else None


def _choose_cause(progress: RepairProgress) -> str:
    """Return the cause of giving up; empty after a crashed agent or a flaky test, so that it is not remembered."""
    last_attempts = [progress.list_attempts(finding)[-1] for finding in progress.remaining]
    return TRIED if all(isinstance(attempt.outcome, Done) and not attempt.flaky for attempt in last_attempts) else ""


def _describe_attempts(progress: RepairProgress) -> str:
    strategies = list(dict.fromkeys(attempt.strategy for attempt in progress.attempts))
    count = len(progress.attempts)
    return f"{pluralize(count, 'attempt')} ({', '.join(strategies)})"
