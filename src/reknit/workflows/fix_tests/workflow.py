"""`fix tests` as a durable workflow. It only orders: steps act and look, `core/fix_tests/decision.py` decides."""

from dataclasses import replace

from dbos import DBOS

from reknit.core.checks.honesty import with_counting_advice
from reknit.core.fix_tests.decision import StopRepair, begin, decide, is_to_recheck
from reknit.core.fix_tests.holdout import is_holdout_due, with_holdout
from reknit.core.fix_tests.progress import RepairProgress, Try, finished_attempt
from reknit.core.gate.needed_waivers import needed_waivers, only_a_person_helps
from reknit.core.runs.attempt import AttemptResult, ProvenAttempt
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_tests import steps
from reknit.workflows.fix_tests.holdout_step import hold_out
from reknit.workflows.runtime.errors import ending_of, result_or_error
from reknit.workflows.shared.attempt_cycle import wait_or_record
from reknit.workflows.shared.project_setup import set_up


@DBOS.workflow(name="repair.v1", max_recovery_attempts=50)
async def repair(spec: RunSpec) -> Ending:
    result = await result_or_error(_to_its_end(spec))
    return result if isinstance(result, Ending) else await steps.finish(spec, ending_of(result))


async def _to_its_end(spec: RunSpec) -> Ending:
    if spec.setups and (failed := await set_up(spec)):
        return await steps.finish(spec, failed)
    agents = tuple(agent.name for agent in spec.agents)
    where: RepairProgress | StopRepair = begin(await steps.observe(spec), spec.base, agents)
    if isinstance(where, RepairProgress):
        where = replace(where, waivers=spec.waivers)
    while isinstance(where, RepairProgress):
        where = await _turn(spec, where)
    return await steps.finish(spec, where.ending)


async def _turn(spec: RunSpec, progress: RepairProgress) -> RepairProgress | StopRepair:
    move = decide(progress, spec.limits)
    if isinstance(move, StopRepair):
        return move
    if is_to_recheck(progress) and (flaky := await steps.recheck(spec, move, progress)):
        return progress.without_flaky(flaky)
    made = await steps.attempt(spec, move, progress)
    after = progress.without_work(move.agent, made)
    if after is None:
        return await _judged(spec, progress, move, made)
    return await wait_or_record(
        after, move.agent, made,
        continues=isinstance(decide(after, spec.limits), Try),
        plan=lambda *limit: steps.plan_wait(spec, f"attempt-{move.number}", move.agent, *limit),
        note=lambda: steps.record(spec, move.number, made),
    )  # fmt: skip


async def _judged(spec: RunSpec, progress: RepairProgress, move: Try, made: AttemptResult) -> RepairProgress:
    gate = await steps.judge(spec, move, progress, made)
    proof = await steps.verify(spec, move, progress, made, gate) if gate.accepted else None
    spent_usd = made.spent_usd
    if proof and is_holdout_due(spec, proof):
        holdout = await hold_out(spec, move, progress, made, proof)
        proof, spent_usd = with_holdout(proof, holdout), max(spent_usd, holdout.spent_usd)
    tried = finished_attempt(move, made.call.outcome, made.call.usage, made.call.seconds, gate, proof)
    needed = needed_waivers(with_counting_advice(gate, proof), spec.waivers)
    tried = replace(tried, needed=needed, at_once=only_a_person_helps(gate, (move.finding.file,)))
    await steps.record(spec, move.number, made, gate, proof)
    if not tried.fixed or proof is None:
        return progress.with_attempt(tried, progress.head, spent_usd)
    head = await steps.land(spec, move, progress, ProvenAttempt(made, gate, proof))
    return progress.with_attempt(tried, head, spent_usd)
