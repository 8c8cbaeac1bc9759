"""`plan` as a durable workflow: the stages that follow the start of the run. The rules are in `core/planning`."""

from dbos import DBOS

from reknit.core.agents.call import AgentCall, RateLimited
from reknit.core.plan.decision import ending_of_plan
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.plan import steps
from reknit.workflows.runtime.errors import ending_of, result_or_error
from reknit.workflows.shared.attempt_cycle import sleep_as_planned


@DBOS.workflow(name="plan.v1", max_recovery_attempts=50)
async def plan(spec: RunSpec) -> Ending:
    return await steps.finish(spec, ending_of(await result_or_error(_to_its_end(spec))))


async def _to_its_end(spec: RunSpec) -> Ending:
    result = await steps.judge(spec, await _analysed(spec))
    is_written = await steps.emit(spec, result)
    return ending_of_plan(result, spec.plan_target.file, is_kept=not is_written)


async def _analysed(spec: RunSpec) -> AgentCall:
    """A rate limit is waited for; any other failure is an answer that the plan reports."""
    agent = spec.agent.name
    rotation = AgentRotation((agent,))
    while True:
        call = await steps.analyse(spec)
        if not isinstance(call.outcome, RateLimited):
            return call
        rotation = rotation.limited(call.outcome)
        if rotation.stopped(spec.limits):
            return call
        wait_s = await sleep_as_planned(steps.plan_wait(spec, "analysis", agent, call.outcome, rotation))
        rotation = rotation.rested(agent, call.outcome, wait_s)
