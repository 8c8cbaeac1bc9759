"""`fix pr` as a durable workflow. It only orders: steps look and act, `core/fix_pr/decision.py` decides."""

import asyncio
from dataclasses import replace

from dbos import DBOS

from reknit.core.agents.call import RateLimited
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.checks.tests import with_unproven
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.fix_pr.decision import goes_without_review, next_move
from reknit.core.fix_pr.forge_endings import blocked_ending, failure_ending
from reknit.core.fix_pr.push import BranchMoved, Candidate, NotPushed, Pushed
from reknit.core.fix_pr.state import Fix, Move, PullRunState, Rerun, StopPullRun, Wait, asked_tests
from reknit.core.fix_pr.turns import fix_turn, last_turn, why_refused
from reknit.core.fix_pr.waivers import after_refusal, known_before
from reknit.core.forge.permission import FixBlocked
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.feedback import feedback
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_pr import act_steps, observe_steps, record_steps
from reknit.workflows.fix_pr.review_step import check_review
from reknit.workflows.runtime.errors import ending_of, result_or_error
from reknit.workflows.runtime.topics import HINT
from reknit.workflows.shared.attempt_cycle import sleep_as_planned, wait_or_record
from reknit.workflows.shared.forge_waits import LAST_TRIES, wait_forge, with_forge_retries
from reknit.workflows.shared.project_setup import set_up

SETTLE_S = 2.0
MOST_HINTS = 100


@DBOS.workflow(name="pull_request.v1", max_recovery_attempts=50)
async def pull_request(spec: RunSpec) -> Ending:
    ending = ending_of(await result_or_error(_to_its_end(spec)))
    # If the report fails, the run still has its ending.
    await result_or_error(with_forge_retries(spec, lambda: record_steps.report(spec, ending)))
    return await record_steps.end(spec, ending)


async def _to_its_end(spec: RunSpec) -> Ending:
    reviewer = spec.pull_target.reviewer
    readers = AgentRotation((reviewer.name,) if reviewer else ())
    where: PullRunState | StopPullRun = PullRunState(
        AgentRotation(tuple(agent.name for agent in spec.agents)), readers=readers
    )
    while isinstance(where, PullRunState):
        where = await _iteration(spec, where)
    return where.ending


async def _iteration(spec: RunSpec, state: PullRunState) -> PullRunState | StopPullRun:
    snapshot = await observe_steps.look(spec, state)
    if isinstance(snapshot, ForgeFailure):
        return await _hindered(spec, state, snapshot)
    if ending := blocked_ending(snapshot, state.commits):
        return StopPullRun(ending)
    if spec.setups and not state.head and (failed := await set_up(spec)):
        return StopPullRun(failed)
    state = state.at(snapshot.head)
    tests, ci, review = await _all_three(spec, state, snapshot)
    tests = with_unproven(tests, state.unproven)
    if isinstance(ci, ForgeFailure):
        return await _hindered(spec, state, ci)
    if isinstance(review, ForgeFailure):
        return await _hindered(spec, state, review)
    if isinstance(review, RateLimited) and goes_without_review(tests, ci):
        review = ReviewResult("error", why="the reviewer is rate limited")
    if isinstance(review, RateLimited):
        return await _unread(spec, state.unread(review), review)
    checks = ChecksSnapshot(snapshot.head, review, tests, ci)
    measured = await observe_steps.measure(spec, state, snapshot, checks)
    return await _decided(spec, state.went_on(measured.seconds, measured.spent_usd), snapshot, checks, measured.seen)


async def _all_three(
    spec: RunSpec, state: PullRunState, snapshot: PullSnapshot
) -> tuple[TestsResult, CiResult | ForgeFailure, ReviewResult | ForgeFailure | RateLimited]:
    """In parallel, started in this order so that a replay matches. If one raises, the others are cancelled."""
    tests = asyncio.ensure_future(observe_steps.check_tests(spec, state, snapshot))
    ci = asyncio.ensure_future(observe_steps.check_ci(spec, state, snapshot))
    review = asyncio.ensure_future(check_review(spec, state, snapshot))
    try:
        return await asyncio.gather(tests, ci, review)
    finally:
        for check in (tests, ci, review):
            check.cancel()


async def _decided(
    spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot, seen: FindingCounts
) -> PullRunState | StopPullRun:
    def decide() -> Move:
        asked = next_move(state, snapshot, checks, seen, spec.limits, spec.pull_target.limits)
        return known_before(asked, spec.waivers, state, checks)

    move = decide()
    while isinstance(move, Wait):
        waited_s, news = await _waited(spec, state, checks, move)
        state = state.waited(move, waited_s)
        if news:
            return state
        move = decide()
    if isinstance(move, Rerun):
        answer = await act_steps.rerun(spec, snapshot, move.checks)
        return await _hindered(spec, state, answer) if isinstance(answer, ForgeFailure) else state
    if isinstance(move, StopPullRun) and move.claims_success:
        holds = await observe_steps.confirm(spec, snapshot, checks)
        if isinstance(holds, ForgeFailure):
            return await _hindered(spec, state, holds)
        if not holds:
            return state  # something changed while we looked
    if isinstance(move, StopPullRun):
        last = last_turn(state, checks, seen, move.ending)
        await record_steps.turn_over(spec, replace(state, turns=(*state.turns, last)), checks, last)
        return move
    return await _fixed(spec, state, snapshot, checks, seen, move)


async def _waited(spec: RunSpec, state: PullRunState, checks: ChecksSnapshot, wait: Wait) -> tuple[float, bool]:
    """(seconds, whether to look at everything again). A webhook ends the wait early."""
    await record_steps.wait_ci(spec, state, checks, wait)
    before_s = age_s = checks.ci.age_s + state.pending_s
    if not wait.looks:
        await DBOS.sleep_async(wait.seconds)
        return wait.seconds, True
    for look in range(wait.looks):
        hint = await DBOS.recv_async(HINT, timeout_seconds=wait.seconds)
        if hint is not None:
            await _let_it_settle(min(SETTLE_S, wait.seconds))
        news, age_s = await observe_steps.poll(spec, checks, wait, state.pending_looks + look, hinted=hint is not None)
        if news:
            return max(0.0, age_s - before_s), True
    return max(0.0, age_s - before_s), False


async def _let_it_settle(seconds: float) -> None:
    """Debounce: webhooks arrive in bursts, many caused by reknit itself; one poll covers them all."""
    await DBOS.sleep_async(seconds)
    for _ in range(MOST_HINTS):
        if await DBOS.recv_async(HINT, timeout_seconds=0) is None:
            return


async def _fixed(
    spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, checks: ChecksSnapshot, seen: FindingCounts, move: Fix
) -> PullRunState | StopPullRun:
    made = await act_steps.fix(spec, snapshot, checks, move)
    outcome, after = made.call.outcome, state.without_work(move.agent, made)
    if after is not None:
        return await _not_worked(spec, after, move, made)
    left = Candidate(made.after, snapshot.head)
    verdict = await act_steps.gate(spec, state, snapshot, left, made, keeps_advice=bool(asked_tests(move)))
    refused = NotPushed(why_refused(verdict, outcome), feedback(verdict, None, outcome))
    stopped = after_refusal(verdict, spec.waivers, move, state, checks)
    end = await _landed(spec, state, snapshot, checks, move, made, verdict) if verdict.accepted else stopped or refused
    told = NotPushed(end.ending.reason) if isinstance(end, StopPullRun) else end
    await record_steps.note(spec, move, made, verdict, told)
    turn = fix_turn(state, checks, seen, move, told, made.spent_usd)
    state = state.with_turn(turn, made.spent_usd, made.call.seconds, outcome)
    await record_steps.turn_over(spec, state, checks, turn)
    if isinstance(end, StopPullRun):
        return end
    if isinstance(end, Pushed):
        await _answered(spec, state, move, end)
    await record_steps.report(spec, None)  # what cannot be reported now is reported with the next turn
    return state


async def _answered(spec: RunSpec, state: PullRunState, move: Fix, landed: Pushed) -> None:
    for _ in range(LAST_TRIES):
        answer = await act_steps.answer_threads(spec, move, landed)
        if not isinstance(answer, ForgeFailure) or isinstance(await _hindered(spec, state, answer), StopPullRun):
            return


async def _landed(
    spec: RunSpec,
    state: PullRunState,
    snapshot: PullSnapshot,
    checks: ChecksSnapshot,
    move: Fix,
    made: AttemptResult,
    gate: GateVerdict,
) -> Pushed | NotPushed | StopPullRun:
    """If the branch moved, put the fix on top, and judge and test it again; never overwrite what others pushed."""
    candidate = await act_steps.draft(spec, snapshot, move, made, gate)
    for _ in range(spec.pull_target.limits.pushes):
        refused = await act_steps.prove(spec, state, checks, move, candidate, at=made.at, advice=gate.advice)
        if isinstance(refused, NotPushed):
            return refused
        answer = await _pushed(spec, state, snapshot, move, candidate)
        if not isinstance(answer, BranchMoved):
            return answer
        again = await act_steps.replay(spec, snapshot, move, candidate, made)
        if isinstance(again, ForgeFailure):
            return NotPushed("the branch moved, and the forge did not report its new head")
        if not isinstance(again, Candidate):
            return again
        gate = await act_steps.gate(spec, state, snapshot, again, made, keeps_advice=bool(asked_tests(move)))
        if not gate.accepted:
            return NotPushed("the gate refused it on the new head")
        candidate = again
    return NotPushed("the branch kept moving")


async def _pushed(
    spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, move: Fix, candidate: Candidate
) -> Pushed | BranchMoved | NotPushed | StopPullRun:
    while True:
        answer = await act_steps.push(spec, snapshot, move, candidate)
        if isinstance(answer, FixBlocked):
            return StopPullRun(Ending("BLOCKED", answer.sentence, answer.cause, state.commits))
        if not isinstance(answer, ForgeFailure):
            return answer
        where = await _hindered(spec, state, answer)
        if isinstance(where, StopPullRun):
            return where
        state = where


async def _hindered(spec: RunSpec, state: PullRunState, failure: ForgeFailure) -> PullRunState | StopPullRun:
    if ending := failure_ending(failure, state.hindered, spec.limits, state.commits):
        return StopPullRun(ending)
    await sleep_as_planned(wait_forge(spec, failure, state.hindered, state.number))
    return state.hindered_once()


async def _not_worked(spec: RunSpec, state: PullRunState, move: Fix, made: AttemptResult) -> PullRunState | StopPullRun:
    if isinstance(made.call.outcome, RateLimited) and (ending := state.rotation.stopped(spec.limits)):
        return StopPullRun(replace(ending, fixed=state.commits))  # no point in waiting first
    return await wait_or_record(
        state, move.agent, made, continues=True,
        plan=lambda *limit: record_steps.wait_agent(spec, f"i{state.number}-{move.agent}", move.agent, *limit),
        note=lambda: record_steps.note(spec, move, made, None, None),
    )  # fmt: skip


async def _unread(spec: RunSpec, state: PullRunState, limited: RateLimited) -> PullRunState | StopPullRun:
    if ending := state.readers.stopped(spec.limits):
        return StopPullRun(replace(ending, fixed=state.commits))
    agent = state.readers.next
    await sleep_as_planned(record_steps.wait_agent(spec, f"i{state.number}-{agent}", agent, limited, state.readers))
    return state
