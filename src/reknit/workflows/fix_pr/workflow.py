"""`fix pr` as a durable workflow. It only orders: steps look and act, `core/fix_pr/decision.py` decides."""

import asyncio
from dataclasses import replace

from dbos import DBOS

from reknit.core.agents.call import RateLimited
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.checks.tests import mark_unproven
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.fix_pr.decision import (
    can_fix_without_review,
    decide_next_move,
    set_aside_stale_locks,
    stop_for_waivers,
)
from reknit.core.fix_pr.push import BranchMoved, Candidate, NotPushed, Pushed, find_blocked_ending, find_failure_ending
from reknit.core.fix_pr.state import Fix, Move, PullRunState, Rerun, StopPullRun, Wait, list_target_tests
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.fix_pr.turns import build_fix_turn, build_last_turn, explain_refusal
from reknit.core.forge.permission import FixBlocked, PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.feedback import explain_failure
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_pr import act_steps, observe_steps, record_steps
from reknit.workflows.fix_pr.review_step import check_review
from reknit.workflows.runtime.codec import HINT
from reknit.workflows.runtime.step import ending_from_result, result_or_error
from reknit.workflows.shared.attempt_cycle import (
    LAST_TRIES,
    report_with_retries,
    sleep_as_planned,
    wait_forge,
    wait_or_record,
)
from reknit.workflows.shared.criteria import check_criteria
from reknit.workflows.shared.project_setup import set_up

SETTLE_S = 2.0
MAX_HINTS = 100


@DBOS.workflow(name="pull_request.v1", max_recovery_attempts=50)
async def pull_request(spec: RunSpec) -> Ending:
    """Run `fix pr` to its ending."""
    ending = ending_from_result(await result_or_error(_run_to_end(spec)))
    # If the report fails, the run still has its ending.
    await result_or_error(report_with_retries(spec, lambda: record_steps.report(spec, ending)))
    return await record_steps.end(spec, ending)


async def _run_to_end(spec: RunSpec) -> Ending:
    reviewer = spec.task_as(FixPullRequest).reviewer
    readers = AgentRotation((reviewer.name,) if reviewer else ())
    next_state: PullRunState | StopPullRun = PullRunState(
        AgentRotation(tuple(agent.name for agent in spec.agents)), readers=readers
    )
    while isinstance(next_state, PullRunState):
        next_state = await _iterate(spec, next_state)
    return await check_criteria(spec, next_state.head or spec.base, next_state.ending)


async def _iterate(spec: RunSpec, state: PullRunState) -> PullRunState | StopPullRun:
    snapshot = await observe_steps.look(spec, state)
    if isinstance(snapshot, ForgeFailure):
        return await _wait_for_forge(spec, state, snapshot)
    if ending := find_blocked_ending(snapshot, state.commits):
        return StopPullRun(ending)
    if spec.setups.commands and not state.head and (failed := await set_up(spec)):
        return StopPullRun(failed)
    state = state.with_head(snapshot.head)
    tests, ci, review = await _run_checks(spec, state, snapshot)
    tests = mark_unproven(tests, state.unproven)
    if isinstance(ci, ForgeFailure):
        return await _wait_for_forge(spec, state, ci)
    if isinstance(review, ForgeFailure):
        return await _wait_for_forge(spec, state, review)
    if isinstance(review, RateLimited) and can_fix_without_review(tests, ci):
        review = ReviewResult("error", why="the reviewer is rate limited")
    if isinstance(review, RateLimited):
        return await _wait_for_reviewer(spec, state.with_limited_reader(review), review)
    checks = ChecksSnapshot(snapshot.head, review, tests, ci)
    measured = await observe_steps.measure(spec, state, snapshot, checks)
    return await _act_on_checks(
        spec, state.with_progress(measured.seconds, measured.spent_usd), snapshot, checks, measured.counts
    )


async def _run_checks(
    spec: RunSpec, state: PullRunState, snapshot: PullSnapshot
) -> tuple[TestsResult, CiResult | ForgeFailure, ReviewResult | ForgeFailure | RateLimited]:
    """Run all checks in parallel, started in this order so that a replay matches. If one raises, cancel the others."""
    tests = asyncio.ensure_future(observe_steps.check_tests(spec, state, snapshot))
    ci = asyncio.ensure_future(observe_steps.check_ci(spec, state, snapshot))
    review = asyncio.ensure_future(check_review(spec, state, snapshot))
    try:
        return await asyncio.gather(tests, ci, review)
    finally:
        for check in (tests, ci, review):
            check.cancel()


async def _act_on_checks(
    spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot, counts: FindingCounts
) -> PullRunState | StopPullRun:
    def decide() -> Move:
        move = decide_next_move(state, snapshot, checks, counts, spec.limits, spec.task_as(FixPullRequest).limits)
        return set_aside_stale_locks(move, spec.waivers, state, checks)

    move = decide()
    while isinstance(move, Wait):
        waited_s, news = await _wait_for_ci(spec, state, checks, move)
        state = state.with_pull_wait(move, waited_s)
        if news:
            return state
        move = decide()
    if isinstance(move, Rerun):
        answer = await act_steps.rerun(spec, snapshot, move.checks)
        return await _wait_for_forge(spec, state, answer) if isinstance(answer, ForgeFailure) else state
    if isinstance(move, StopPullRun) and move.claims_success:
        holds = await observe_steps.confirm(spec, snapshot, checks)
        if isinstance(holds, ForgeFailure):
            return await _wait_for_forge(spec, state, holds)
        if not holds:
            return state  # something changed while we looked
    if isinstance(move, StopPullRun):
        last = build_last_turn(state, checks, counts, move.ending)
        await record_steps.save_turn(spec, replace(state, turns=(*state.turns, last)), checks, last)
        return replace(move, head=checks.head)
    return await _fix(spec, state, snapshot, checks, counts, move)


async def _wait_for_ci(spec: RunSpec, state: PullRunState, checks: ChecksSnapshot, wait: Wait) -> tuple[float, bool]:
    """Return (seconds waited, whether to look at everything again). A webhook ends the wait early."""
    await record_steps.wait_ci(spec, state, checks, wait)
    before_s = age_s = checks.ci.age_s + state.pending_s
    if not wait.looks:
        await DBOS.sleep_async(wait.seconds)
        return wait.seconds, True
    for look in range(wait.looks):
        hint = await DBOS.recv_async(HINT, timeout_seconds=wait.seconds)
        if hint is not None:
            await _debounce_hints(min(SETTLE_S, wait.seconds))
        news, age_s = await observe_steps.poll(spec, checks, wait, state.pending_looks + look, hinted=hint is not None)
        if news:
            return max(0.0, age_s - before_s), True
    return max(0.0, age_s - before_s), False


async def _debounce_hints(seconds: float) -> None:
    """Debounce: webhooks arrive in bursts, many caused by reknit itself; one poll covers them all."""
    await DBOS.sleep_async(seconds)
    for _ in range(MAX_HINTS):
        if await DBOS.recv_async(HINT, timeout_seconds=0) is None:
            return


async def _fix(
    spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot, counts: FindingCounts, move: Fix
) -> PullRunState | StopPullRun:
    attempt = await act_steps.fix(spec, snapshot, checks, move)
    outcome, after = attempt.call.outcome, state.without_work(move.agent, attempt)
    if after is not None:
        return await _handle_idle_agent(spec, after, move, attempt)
    candidate = Candidate(attempt.after, snapshot.head)
    verdict = await act_steps.gate(
        spec, state, snapshot, candidate, attempt, keeps_advice=bool(list_target_tests(move))
    )
    refusal = NotPushed(explain_refusal(verdict, outcome), explain_failure(verdict, None, outcome))
    stop = stop_for_waivers(verdict, spec.waivers, move, state, checks)
    end = await _land(spec, state, snapshot, checks, move, attempt, verdict) if verdict.is_accepted else stop or refusal
    recorded_end = NotPushed(end.ending.reason) if isinstance(end, StopPullRun) else end
    await record_steps.note(spec, move, attempt, verdict, recorded_end)
    turn = build_fix_turn(state, checks, counts, move, recorded_end, attempt.spent_usd)
    state = state.with_turn(turn, attempt.spent_usd, attempt.call.seconds, outcome)
    await record_steps.save_turn(spec, state, checks, turn)
    if isinstance(end, StopPullRun):
        return end
    if isinstance(end, Pushed):
        await _answer_threads(spec, state, move, end)
    await record_steps.report(spec, None)  # what cannot be reported now is reported with the next turn
    return state


async def _answer_threads(spec: RunSpec, state: PullRunState, move: Fix, landed: Pushed) -> None:
    for _ in range(LAST_TRIES):
        answer = await act_steps.answer_threads(spec, move, landed)
        if not isinstance(answer, ForgeFailure) or isinstance(await _wait_for_forge(spec, state, answer), StopPullRun):
            return


async def _land(
    spec: RunSpec,
    state: PullRunState,
    snapshot: PullSnapshot,
    checks: ChecksSnapshot,
    move: Fix,
    attempt: AttemptResult,
    gate: GateVerdict,
) -> Pushed | NotPushed | StopPullRun:
    """Land a fix. If the branch moved, put it on top, and judge and test it again; never overwrite others' commits."""
    candidate = await act_steps.draft(spec, snapshot, move, attempt, gate)
    for _ in range(spec.task_as(FixPullRequest).limits.pushes):
        refusal = await act_steps.prove(spec, state, checks, move, candidate, at=attempt.at, advice=gate.advice)
        if isinstance(refusal, NotPushed):
            return refusal
        answer = await _push(spec, state, snapshot, move, candidate)
        if not isinstance(answer, BranchMoved):
            return answer
        again = await act_steps.replay(spec, snapshot, move, candidate, attempt)
        if isinstance(again, ForgeFailure):
            return NotPushed("the branch moved, and the forge did not report its new head")
        if not isinstance(again, Candidate):
            return again
        gate = await act_steps.gate(spec, state, snapshot, again, attempt, keeps_advice=bool(list_target_tests(move)))
        if not gate.is_accepted:
            return NotPushed("the gate refused it on the new head")
        candidate = again
    return NotPushed("the branch kept moving")


async def _push(
    spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, move: Fix, candidate: Candidate
) -> Pushed | BranchMoved | NotPushed | StopPullRun:
    while True:
        answer = await act_steps.push(spec, snapshot, move, candidate)
        if isinstance(answer, FixBlocked):
            return StopPullRun(Ending("BLOCKED", answer.sentence, answer.cause, state.commits))
        if not isinstance(answer, ForgeFailure):
            return answer
        next_state = await _wait_for_forge(spec, state, answer)
        if isinstance(next_state, StopPullRun):
            return next_state
        state = next_state


async def _wait_for_forge(spec: RunSpec, state: PullRunState, failure: ForgeFailure) -> PullRunState | StopPullRun:
    if ending := find_failure_ending(failure, state.forge_waits, spec.limits, state.commits):
        return StopPullRun(ending)
    await sleep_as_planned(wait_forge(spec, failure, state.forge_waits, state.number))
    return state.with_forge_wait()


async def _handle_idle_agent(
    spec: RunSpec, state: PullRunState, move: Fix, attempt: AttemptResult
) -> PullRunState | StopPullRun:
    if isinstance(attempt.call.outcome, RateLimited) and (ending := state.rotation.find_ending(spec.limits)):
        return StopPullRun(replace(ending, fixed=state.commits))  # no point in waiting first
    return await wait_or_record(
        state, move.agent, attempt, continues=True,
        plan=lambda *limit: record_steps.wait_agent(spec, f"i{state.number}-{move.agent}", move.agent, *limit),
        note=lambda: record_steps.note(spec, move, attempt, None, None),
    )  # fmt: skip


async def _wait_for_reviewer(spec: RunSpec, state: PullRunState, limited: RateLimited) -> PullRunState | StopPullRun:
    if ending := state.readers.find_ending(spec.limits):
        return StopPullRun(replace(ending, fixed=state.commits))
    agent = state.readers.next
    await sleep_as_planned(record_steps.wait_agent(spec, f"i{state.number}-{agent}", agent, limited, state.readers))
    return state
