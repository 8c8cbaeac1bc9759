"""Decides the next move of a pull-request run from its state and its checks, without a model."""

from dataclasses import replace

from reknit.core.agents.call import Aborted
from reknit.core.agents.strategy import choose_strategy
from reknit.core.causes.cause import render_left_out
from reknit.core.checks.status import CiResult, TestsResult
from reknit.core.finding import Finding, select_worth_fixing
from reknit.core.fix_pr.checks import ChecksSnapshot, Part, summarize_checks
from reknit.core.fix_pr.convergence import FindingCounts, explain_divergence, format_curve, hash_failures, is_stalled
from reknit.core.fix_pr.matrix import decide, list_missing_results
from reknit.core.fix_pr.state import Fix, Move, PullRunState, Rerun, StopPullRun, Wait
from reknit.core.forge.permission import PullSnapshot
from reknit.core.gate.needed_waivers import (
    Needed,
    can_only_person_help,
    explain_blocked,
    find_needed_waivers,
    offer_waivers,
    should_ask_person,
)
from reknit.core.gate.stale_lock import RULE, find_lock_to_allow
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers
from reknit.core.runs.ending import ENVIRONMENT, WAIVER, Ending
from reknit.core.runs.limits import Limits, PullLimits
from reknit.core.text.format import format_spending, join_few


def decide_next_move(
    state: PullRunState,
    snapshot: PullSnapshot,
    checks: ChecksSnapshot,
    counts: FindingCounts,
    limits: Limits,
    pull: PullLimits,
) -> Move:
    """Return the next move.

    The matrix decides by the checks alone; the limits may then end the run instead.
    """
    is_blocked = checks.tests.is_blocked
    if is_blocked and not checks.tests.passed:  # no fix could be proven
        return StopPullRun(_build_environment_ending(state, checks))
    decision = decide(checks.review.status, "pass" if is_blocked else checks.tests.status, checks.ci.status)
    if decision.word == "clean" and is_blocked:
        return StopPullRun(_build_environment_ending(state, checks))
    if decision.word == "clean":
        return StopPullRun(_build_clean_ending(state, checks))
    if decision.word == "retry":
        return _decide_retry(state, checks, limits, pull)
    if decision.word == "wait":
        return _decide_wait(state, snapshot, checks, pull)
    if ending := _find_spent_limit(state, limits) or _find_ending(state, snapshot, checks, counts, pull):
        return StopPullRun(replace(ending, fixed=state.commits, left=name_failures(checks)))
    signature = hash_failures(list_failures(checks))
    repeats = next(
        (count for count, turn in enumerate(reversed(state.turns)) if turn.signature != signature), state.number - 1
    )
    return Fix(
        number=state.number,
        parts=decision.parts,
        findings=_select_findings(checks, decision.parts, only_critical=state.fixes_only_critical(pull)),
        strategy=choose_strategy(repeats + 1, last=pull.stall_after),
        agent=state.rotation.next,
        feedback=state.turns[-1].feedback if repeats else "",
        only_critical=state.fixes_only_critical(pull),
    )


def can_fix_without_review(tests: TestsResult, ci: CiResult) -> bool:
    """Return True if there is something to fix without a review, while the reviewer is rate limited."""
    return (tests.status != "pass" and not tests.is_blocked) or ci.status == "fail"


def count_round(state: PullRunState, checks: ChecksSnapshot, own: int) -> FindingCounts:
    """Count the findings and the added lines of this iteration. `own`: findings on lines this run wrote."""
    landed = bool(state.turns and state.turns[-1].commit)
    grown = sum(turn.grown_source for turn in state.turns), sum(turn.grown_tests for turn in state.turns)
    return FindingCounts(len(list_failures(checks)), own, landed, *grown)


def list_failures(checks: ChecksSnapshot) -> tuple[Finding, ...]:
    """Return the findings that keep the pull request from being clean, by priority."""
    return tuple(finding for finding in checks.findings if finding.weight != "minor")


def name_failures(checks: ChecksSnapshot) -> tuple[str, ...]:
    """Return the id and the subject of each failure."""
    return tuple(f"{finding.id} {finding.subject}" for finding in list_failures(checks))


def _build_clean_ending(state: PullRunState, checks: ChecksSnapshot) -> Ending:
    """Return the ending if nothing fails: CLEAN only if every test passes and no person must review again."""
    review, tests, ci = summarize_checks(checks)
    results = f"review {checks.review.why or review}, tests {tests}, CI {checks.ci.why or ci}"
    if checks.review.awaited:
        reviewers = ", ".join(checks.review.awaited[:3])
        why = f"nothing fails at {checks.head[:7]} ({results}); {reviewers} requested changes and must review again"
        return Ending("BLOCKED", why, "review", state.commits)
    if checks.tests.flaky:
        why = f"nothing shows that these tests pass: {join_few(checks.tests.flaky)}"
        return Ending(
            "UNVERIFIED", f"nothing else fails at {checks.head[:7]} ({results}); {why}", "flaky", state.commits
        )
    return Ending("CLEAN", f"PR CLEAN at {checks.head[:7]}: {results}", fixed=state.commits)


def _build_environment_ending(state: PullRunState, checks: ChecksSnapshot) -> Ending:
    why = f"not every test can pass here: {render_left_out(checks.tests.left_out)}"
    return Ending("BLOCKED", why, ENVIRONMENT, state.commits)


def _decide_retry(state: PullRunState, checks: ChecksSnapshot, limits: Limits, pull: PullLimits) -> Move:
    if ending := _find_spent_limit(state, limits):
        return StopPullRun(replace(ending, fixed=state.commits))
    if state.errors < pull.error_retries:
        return Wait("error", pull.ci_wait_s, 0)
    why = f"no result after {state.errors} retries: {'; '.join(list_missing_results(checks))}"
    return StopPullRun(Ending("UNVERIFIED", why, "checks", state.commits))


def _decide_wait(state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot, pull: PullLimits) -> Move:
    if state.heads > pull.iterations:
        why = f"the branch moved {state.heads} times while waiting for CI (loop.max_iterations)"
        return StopPullRun(Ending("UNVERIFIED", why, "moving", state.commits))
    waited_s = checks.ci.age_s + state.pending_s
    if waited_s >= pull.ci_patience_s:
        open_checks = [check.name for check in checks.ci.checks if check.state == "pending"]
        names = f" ({', '.join(open_checks[:3])})" if open_checks else ""
        why = f"CI{names} gave no result within {waited_s:.0f} s (checks.ci.patience_s)"
        return StopPullRun(Ending("UNVERIFIED", why, "ci", state.commits))
    if checks.ci.infra_checks and snapshot.barred:
        names = ", ".join(check.name for check in checks.ci.infra_checks[:3])
        why = f"{names} failed on CI infrastructure and may not be re-run here: {snapshot.barred.sentence}"
        return StopPullRun(Ending("UNVERIFIED", why, "ci", state.commits))
    if checks.ci.infra_checks:  # only within the patience: a forge may never allow a re-run
        return Rerun(checks.ci.infra_checks)
    is_settled = all(check.state != "pending" for check in checks.ci.checks)
    if is_settled and checks.ci.age_s < pull.ci_grace_s <= waited_s:
        return Wait("ci", min(1.0, pull.ci_wait_s), 0)  # after the grace period a missing check counts
    if state.pending_looks < 2:
        return Wait("ci", pull.ci_wait_s, 1)
    watched_s = min(pull.ci_watch_s, pull.ci_patience_s - waited_s)  # a watch must not exceed the patience
    return Wait("ci", pull.ci_wait_s, max(1, round(watched_s / pull.ci_wait_s)))


def _find_spent_limit(state: PullRunState, limits: Limits) -> Ending | None:
    if ending := state.rotation.find_ending(limits):
        return ending
    over_budget = (
        state.last_outcome if isinstance(state.last_outcome, Aborted) and state.last_outcome.why == "budget" else None
    )
    if state.spent_usd >= limits.budget_usd or over_budget:
        text = f"{format_spending(state.spent_usd, limits.budget_usd)} spent or reserved (loop.budget_usd)"
        return Ending("OVER_BUDGET", f"{text}; {over_budget.detail}" if over_budget and over_budget.detail else text)
    if state.worked_s >= limits.timeout_s:
        return Ending("EXHAUSTED", f"{state.worked_s:.0f} s of {limits.timeout_s:.0f} s worked (loop.timeout_s)")
    return None


def _find_ending(
    state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot, counts: FindingCounts, pull: PullLimits
) -> Ending | None:
    if snapshot.barred:
        return Ending("BLOCKED", snapshot.barred.sentence, snapshot.barred.cause)
    signatures = [turn.signature for turn in state.turns]
    if is_stalled([*signatures, hash_failures(list_failures(checks))], pull.stall_after + 1):
        return Ending("STALLED", f"{pull.stall_after} fixes in a row left the same failures (loop.stall_after)")
    rounds = [*(turn.counts for turn in state.turns), counts]
    if why := explain_divergence(rounds, pull):
        return Ending("CHURN", f"{why}; {format_curve(rounds)}")
    if state.number > pull.iterations:
        return Ending("EXHAUSTED", f"{pull.iterations} iterations (loop.max_iterations)")
    if state.fruitless >= pull.fruitless:
        why = f"{state.fruitless} fixes in a row did not land (loop.fruitless)"
        return Ending("DEFERRED", why)
    return None


def _select_findings(checks: ChecksSnapshot, parts: tuple[Part, ...], *, only_critical: bool) -> tuple[Finding, ...]:
    by_part = {"tests": checks.tests.findings, "ci": checks.ci.findings, "review": checks.review.findings}
    return select_worth_fixing((finding for part in parts for finding in by_part[part]), only_critical=only_critical)


def set_aside_stale_locks(move: Move, waivers: Waivers, state: PullRunState, checks: ChecksSnapshot) -> Move:
    """Remove findings about stale lockfiles, which no agent may change. If there are no others, end the run."""
    if not isinstance(move, Fix):
        return move
    locks = {finding: path for finding in move.findings if (path := find_lock_to_allow(finding, waivers))}
    others = tuple(finding for finding in move.findings if finding not in locks)
    if others or not locks:
        return replace(move, findings=others) if locks else move
    return _stop_for_person(tuple((RULE, path) for path in locks.values()), waivers, state, checks)


def stop_for_waivers(
    verdict: GateVerdict, waivers: Waivers, move: Fix, state: PullRunState, checks: ChecksSnapshot
) -> StopPullRun | None:
    """Return the ending if only waivers help now.

    None: another attempt may still help.
    """
    missing_waivers = find_needed_waivers(verdict, waivers)
    is_repeated = bool(move.feedback) and all(path in move.feedback for _, path in missing_waivers)
    at_once = len(move.findings) == 1 and can_only_person_help(verdict, (move.findings[0].file,))
    if not should_ask_person(missing_waivers, missing_waivers if is_repeated else (), at_once=at_once):
        return None
    return _stop_for_person(missing_waivers, waivers, state, checks)


def _stop_for_person(
    missing_waivers: Needed, waivers: Waivers, state: PullRunState, checks: ChecksSnapshot
) -> StopPullRun:
    needed = tuple(dict.fromkeys(missing_waivers))
    reason, allow = explain_blocked(needed, waivers), offer_waivers(needed, waivers)
    return StopPullRun(Ending("BLOCKED", reason, WAIVER, state.commits, name_failures(checks), allow))
