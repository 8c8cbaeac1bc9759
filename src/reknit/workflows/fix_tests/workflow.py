"""`fix tests` as a durable workflow. It only orders: steps act and look, `core/fix_tests/decision.py` decides."""

from dataclasses import replace

from dbos import DBOS

from reknit.core.checks.proof import refuse_by_advice
from reknit.core.fix_tests.decision import StopRepair, begin, decide, should_recheck
from reknit.core.fix_tests.holdout import add_holdout, is_holdout_due
from reknit.core.fix_tests.progress import RepairProgress, Try, build_attempt
from reknit.core.gate.needed_waivers import can_only_person_help, find_needed_waivers
from reknit.core.runs.attempt import AttemptResult, ProvenAttempt
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_tests import steps
from reknit.workflows.fix_tests.holdout_step import hold_out
from reknit.workflows.runtime.step import ending_from_result, result_or_error
from reknit.workflows.shared.attempt_cycle import wait_or_record
from reknit.workflows.shared.criteria import check_criteria
from reknit.workflows.shared.project_setup import set_up


@DBOS.workflow(name="repair.v1", max_recovery_attempts=50)
async def repair(spec: RunSpec) -> Ending:
    """Run `fix tests` to its ending."""
    result = await result_or_error(_run_to_end(spec))
    return result if isinstance(result, Ending) else await steps.finish(spec, ending_from_result(result))


async def _run_to_end(spec: RunSpec) -> Ending:
    if spec.setups.commands and (failed := await set_up(spec)):
        return await steps.finish(spec, failed)
    agents = tuple(agent.name for agent in spec.agents)
    state: RepairProgress | StopRepair = begin(await steps.observe(spec), spec.base, agents)
    if isinstance(state, RepairProgress):
        state = replace(state, waivers=spec.waivers)
    head = spec.base
    while isinstance(state, RepairProgress):
        head = state.head
        state = await _take_turn(spec, state)
    return await steps.finish(spec, await check_criteria(spec, head, state.ending))


async def _take_turn(spec: RunSpec, progress: RepairProgress) -> RepairProgress | StopRepair:
    move = decide(progress, spec.limits)
    if isinstance(move, StopRepair):
        return move
    if should_recheck(progress) and (flaky := await steps.recheck(spec, move, progress)):
        return progress.leave_out_flaky(flaky)
    attempt = await steps.work(spec, move, progress)
    after = progress.without_work(move.agent, attempt)
    if after is None:
        return await _judge_attempt(spec, progress, move, attempt)
    return await wait_or_record(
        after, move.agent, attempt,
        continues=isinstance(decide(after, spec.limits), Try),
        plan=lambda *limit: steps.plan_wait(spec, f"attempt-{move.number}", move.agent, *limit),
        note=lambda: steps.record(spec, move.number, attempt),
    )  # fmt: skip


async def _judge_attempt(spec: RunSpec, progress: RepairProgress, move: Try, attempt: AttemptResult) -> RepairProgress:
    gate = await steps.judge(spec, move, progress, attempt)
    proof = await steps.verify(spec, move, progress, attempt, gate) if gate.is_accepted else None
    spent_usd = attempt.spent_usd
    if proof and is_holdout_due(spec, proof):
        holdout = await hold_out(spec, move, progress, attempt, proof)
        proof, spent_usd = add_holdout(proof, holdout), max(spent_usd, holdout.spent_usd)
    outcome = build_attempt(move, attempt.call.outcome, attempt.call.usage, attempt.call.seconds, gate, proof)
    waivers = find_needed_waivers(refuse_by_advice(gate, proof), spec.waivers)
    outcome = replace(outcome, waivers=waivers, at_once=can_only_person_help(gate, (move.finding.file,)))
    await steps.record(spec, move.number, attempt, gate, proof)
    if not outcome.fixed or proof is None:
        return progress.add_attempt(outcome, progress.head, spent_usd)
    head = await steps.land(spec, move, progress, ProvenAttempt(attempt, gate, proof))
    return progress.add_attempt(outcome, head, spent_usd)
