"""What a pull-request run does next, based on what it has seen and done so far. No model is involved."""

from dataclasses import replace

from reknit.core.agents.call import Aborted
from reknit.core.agents.strategy import strategy_of
from reknit.core.causes.left_out import left_out_text
from reknit.core.checks.status import CiResult, TestsResult
from reknit.core.finding import Finding, worth_fixing
from reknit.core.fix_pr.check_summary import shown
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.convergence import FindingCounts, curve, diverges
from reknit.core.fix_pr.matrix import Part, decide, unseen
from reknit.core.fix_pr.stall import is_stalled, signature
from reknit.core.fix_pr.state import Fix, Move, PullRunState, Rerun, StopPullRun, Wait
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.runs.ending import ENVIRONMENT, Ending
from reknit.core.runs.limits import Limits, PullLimits
from reknit.core.text.format import first_few, spent_of


def next_move(
    state: PullRunState,
    snapshot: PullSnapshot,
    checks: ChecksSnapshot,
    seen: FindingCounts,
    limits: Limits,
    pull: PullLimits,
) -> Move:
    """The matrix decides what the checks call for; the limits decide whether it may still be done."""
    blocked = checks.tests.is_blocked
    if blocked and not checks.tests.passed:  # no fix could be proven
        return StopPullRun(_environment(state, checks))
    asked = decide(checks.review.status, "pass" if blocked else checks.tests.status, checks.ci.status)
    if asked.word == "clean" and blocked:
        return StopPullRun(_environment(state, checks))
    if asked.word == "clean":
        return StopPullRun(_clean(state, checks))
    if asked.word == "retry":
        return _retry(state, checks, limits, pull)
    if asked.word == "wait":
        return _wait(state, snapshot, checks, pull)
    if ending := _spent(state, limits) or _at_an_end(state, snapshot, checks, seen, pull):
        return StopPullRun(replace(ending, fixed=state.commits, left=left(checks)))
    now = signature(failing(checks))
    same = next((count for count, turn in enumerate(reversed(state.turns)) if turn.signature != now), state.number - 1)
    return Fix(
        number=state.number,
        parts=asked.parts,
        findings=_to_fix(checks, asked.parts, only_critical=state.only_critical(pull)),
        strategy=strategy_of(same + 1, last=pull.stall_after),
        agent=state.rotation.next,
        feedback=state.turns[-1].feedback if same else "",
        only_critical=state.only_critical(pull),
    )


def goes_without_review(tests: TestsResult, ci: CiResult) -> bool:
    """Red tests and a red CI can be worked on while the reviewer is rate limited."""
    return (tests.status != "pass" and not tests.is_blocked) or ci.status == "fail"


def round_of(state: PullRunState, checks: ChecksSnapshot, own: int) -> FindingCounts:
    """`own`: findings on lines this run wrote."""
    landed = bool(state.turns and state.turns[-1].commit)
    grown = sum(turn.grown_source for turn in state.turns), sum(turn.grown_tests for turn in state.turns)
    return FindingCounts(len(failing(checks)), own, landed, *grown)


def failing(checks: ChecksSnapshot) -> tuple[Finding, ...]:
    """What keeps the pull request from being clean, by priority."""
    return tuple(finding for finding in checks.findings if finding.weight != "minor")


def left(checks: ChecksSnapshot) -> tuple[str, ...]:
    return tuple(f"{finding.id} {finding.subject}" for finding in failing(checks))


def _clean(state: PullRunState, checks: ChecksSnapshot) -> Ending:
    """States what was seen at which commit; claims nothing that was not checked."""
    review, tests, of_ci = shown(checks)
    text = f"review {checks.review.why or review}, tests {tests}, CI {checks.ci.why or of_ci}"
    if checks.review.awaited:
        who = ", ".join(checks.review.awaited[:3])
        why = f"nothing fails at {checks.head[:7]} ({text}); {who} requested changes and must review again"
        return Ending("BLOCKED", why, "review", state.commits)
    if checks.tests.flaky:
        why = f"nothing shows that these tests pass: {first_few(checks.tests.flaky)}"
        return Ending("UNVERIFIED", f"nothing else fails at {checks.head[:7]} ({text}); {why}", "flaky", state.commits)
    return Ending("CLEAN", f"PR CLEAN at {checks.head[:7]}: {text}", fixed=state.commits)


def _environment(state: PullRunState, checks: ChecksSnapshot) -> Ending:
    why = f"not every test can pass here: {left_out_text(checks.tests.left_out)}"
    return Ending("BLOCKED", why, ENVIRONMENT, state.commits)


def _retry(state: PullRunState, checks: ChecksSnapshot, limits: Limits, pull: PullLimits) -> Move:
    if ending := _spent(state, limits):
        return StopPullRun(replace(ending, fixed=state.commits))
    if state.errors < pull.error_retries:
        return Wait("error", pull.ci_wait_s, 0)
    why = f"no result after {state.errors} retries: {'; '.join(unseen(checks))}"
    return StopPullRun(Ending("UNVERIFIED", why, "checks", state.commits))


def _wait(state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot, pull: PullLimits) -> Move:
    if state.heads > pull.iterations:
        why = f"the branch moved {state.heads} times while waiting for CI (loop.max_iterations)"
        return StopPullRun(Ending("UNVERIFIED", why, "moving", state.commits))
    waited_s = checks.ci.age_s + state.pending_s
    if waited_s >= pull.ci_patience_s:
        open_checks = [check.name for check in checks.ci.checks if check.state == "pending"]
        named = f" ({', '.join(open_checks[:3])})" if open_checks else ""
        why = f"CI{named} gave no result within {waited_s:.0f} s (checks.ci.patience_s)"
        return StopPullRun(Ending("UNVERIFIED", why, "ci", state.commits))
    if checks.ci.infra and snapshot.barred:
        named = ", ".join(check.name for check in checks.ci.infra[:3])
        why = f"{named} failed on CI infrastructure and may not be re-run here: {snapshot.barred.sentence}"
        return StopPullRun(Ending("UNVERIFIED", why, "ci", state.commits))
    if checks.ci.infra:  # after the patience: a forge that never allows a re-run must not be asked forever
        return Rerun(checks.ci.infra)
    is_settled = all(check.state != "pending" for check in checks.ci.checks)
    if is_settled and checks.ci.age_s < pull.ci_grace_s <= waited_s:
        return Wait("ci", min(1.0, pull.ci_wait_s), 0)  # past the grace period, a check that is still missing counts
    if state.pending_looks < 2:
        return Wait("ci", pull.ci_wait_s, 1)
    watched_s = min(pull.ci_watch_s, pull.ci_patience_s - waited_s)  # or a whole watch could exceed the patience
    return Wait("ci", pull.ci_wait_s, max(1, round(watched_s / pull.ci_wait_s)))


def _spent(state: PullRunState, limits: Limits) -> Ending | None:
    if nobody := state.rotation.stopped(limits):
        return nobody
    over = state.broke if isinstance(state.broke, Aborted) and state.broke.why == "budget" else None
    if state.spent_usd >= limits.budget_usd or over:
        text = f"{spent_of(state.spent_usd, limits.budget_usd)} spent (loop.budget_usd)"
        return Ending("OVER_BUDGET", f"{text}; {over.detail}" if over and over.detail else text)
    if state.worked_s >= limits.timeout_s:
        return Ending("EXHAUSTED", f"{state.worked_s:.0f} s of {limits.timeout_s:.0f} s worked (loop.timeout_s)")
    return None


def _at_an_end(
    state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot, now: FindingCounts, pull: PullLimits
) -> Ending | None:
    if snapshot.barred:
        return Ending("BLOCKED", snapshot.barred.sentence, snapshot.barred.cause)
    seen = [turn.signature for turn in state.turns]
    if is_stalled([*seen, signature(failing(checks))], pull.stall_after + 1):
        return Ending("STALLED", f"{pull.stall_after} fixes in a row left the same failures (loop.stall_after)")
    rounds = [*(turn.seen for turn in state.turns), now]
    if why := diverges(rounds, pull):
        return Ending("CHURN", f"{why}; {curve(rounds)}")
    if state.number > pull.iterations:
        return Ending("EXHAUSTED", f"{pull.iterations} iterations (loop.max_iterations)")
    if state.fruitless >= pull.fruitless:
        why = f"{state.fruitless} fixes in a row did not land (loop.fruitless)"
        return Ending("DEFERRED", why)
    return None


def _to_fix(checks: ChecksSnapshot, parts: tuple[Part, ...], *, only_critical: bool) -> tuple[Finding, ...]:
    by_part = {"tests": checks.tests.findings, "ci": checks.ci.findings, "review": checks.review.findings}
    return worth_fixing((finding for part in parts for finding in by_part[part]), only_critical=only_critical)
