"""One read-only agent call on one commit: what every workflow does before and after it."""

from dataclasses import replace

from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import Aborted, AgentCall
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.agent_call import AgentTask, call_agent
from reknit.workflows.shared.work_folders import close_folder, prepare_folder


async def read(
    services: Services, spec: RunSpec, task: AgentTask, rev: str, role: Role = "review", *, blind: bool = False
) -> AgentCall:
    """What the agent said in prose is dropped. `blind`: it sees no history, which holds what was tried."""
    # A new name each time: the cost of a call interrupted by a crash stays counted.
    call_id = f"{task.name}-{services.clock():.3f}"
    try:
        view = await prepare_folder(services, spec, task.name, rev)
        if isinstance(view, TestReport):
            return AgentCall(Aborted("crashed", view.why))
        view = replace(view, gitdir="") if blind else view
        call = await call_agent(services, spec, replace(task, role=role), view, call_id)
    finally:
        await close_folder(services, spec, task.name)
    return replace(call, said="")
