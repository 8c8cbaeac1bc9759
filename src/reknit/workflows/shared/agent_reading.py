"""One read-only agent call on one commit: what every workflow does before and after it."""

import asyncio
from dataclasses import replace

from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentCall
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.agent_call import AgentTask, call_agent
from reknit.workflows.shared.work_folders import close_folder


async def read(
    services: Services, spec: RunSpec, task: AgentTask, rev: str, role: Role = "review", *, blind: bool = False
) -> AgentCall:
    """Ask the agent, and drop what it says in prose. `blind`: it sees no history, which holds what was tried.

    Its box has the tracked files alone. A set-up, a carried `.venv` or `workspace.setup` could put a program such as
    `git` first on PATH, and that program would report in the agent's place.
    """
    # A new name each time: the cost of a call interrupted by a crash stays counted.
    call_id = f"{task.name}-{services.clock():.3f}"
    try:
        view = await asyncio.to_thread(services.workspace(spec).open_tree, task.name, rev, only_tracked=True)
        view = replace(view, gitdir="") if blind else view
        call = await call_agent(services, spec, replace(task, role=role), view, call_id)
    finally:
        await close_folder(services, spec, task.name)
    return replace(call, said="")
