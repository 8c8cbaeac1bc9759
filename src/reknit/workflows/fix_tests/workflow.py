"""`fix tests` as a durable workflow. It only orders: steps act and look, `core/fix_tests/decision.py` decides."""

from dbos import DBOS

from reknit.core.agents.call import RateLimited, Unusable
from reknit.core.fix_tests.decision import RepairProgress, StopRepair, Try, begin, decide, finished_attempt
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_tests import steps
from reknit.workflows.runtime.step import ending_of


@DBOS.workflow(name="repair.v1", max_recovery_attempts=50)
async def repair(spec: RunSpec) -> Ending:
    try:
        agents = tuple(agent.name for agent in spec.agents)
        where: RepairProgress | StopRepair = begin(await steps.observe(spec), spec.base, agents)
        while isinstance(where, RepairProgress):
            where = await _turn(spec, where)
        return await steps.finish(spec, where.ending)
    except Exception as problem:  # noqa: BLE001 - the step boundary: a run always ends in a typed ending
        return await steps.finish(spec, ending_of(problem))


async def _turn(spec: RunSpec, progress: RepairProgress) -> RepairProgress | StopRepair:
    move = decide(progress, spec.limits)
    if isinstance(move, StopRepair):
        return move
    made = await steps.attempt(spec, move, progress)
    outcome = made.call.outcome
    if isinstance(outcome, RateLimited):
        waited = progress.with_wait(outcome, made.call.seconds, made.spent_usd)
        if isinstance(last := decide(waited, spec.limits), StopRepair):
            await steps.record(spec, move, made, None, None)
            return last  # no point in waiting first
        wait_s = await steps.plan_wait(spec, move, outcome, waited)
        await DBOS.sleep_async(wait_s)
        return waited.rested(move.agent, outcome, wait_s)
    if isinstance(outcome, Unusable):
        await steps.record(spec, move, made, None, None)
        return progress.with_block(move.agent, outcome, made.spent_usd)
    return await _judged(spec, progress, move, made)


async def _judged(spec: RunSpec, progress: RepairProgress, move: Try, made: AttemptResult) -> RepairProgress:
    gate = await steps.judge(spec, move, progress, made)
    proof = await steps.verify(spec, move, progress, made) if gate.accepted else None
    tried = finished_attempt(move, made.call.outcome, made.call.usage, made.call.seconds, gate, proof)
    await steps.record(spec, move, made, gate, proof)
    if not tried.fixed or proof is None:
        return progress.with_attempt(tried, progress.head, made.spent_usd)
    return progress.with_attempt(tried, await steps.land(spec, move, progress, made, gate, proof), made.spent_usd)
