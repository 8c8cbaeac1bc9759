"""A read-only agent reviews one commit: what every workflow does before and after the call."""

import asyncio
from dataclasses import replace

from reknit.core.agents.call import Aborted, AgentCall, AgentSettings
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.agent_attempt import order
from reknit.workflows.shared.call_accounting import RunCallAccounting
from reknit.workflows.shared.work_folders import prepare_folder


async def read(
    services: Services, spec: RunSpec, name: str, number: int, rev: str, agent: AgentSettings, prompt: str,
    *, share: int = 1,
) -> AgentCall:  # fmt: skip
    """`name` names its work tree and its log; what the agent said in prose is dropped.

    `share`: how many calls run at once; each may spend an equal part of what is left, so that together they cannot
    exceed it.
    """
    workspace = services.workspace(spec)
    room = await prepare_folder(services, spec, name, rev)
    if isinstance(room, TestReport):
        return AgentCall(Aborted("crashed", room.why))
    asked = order(services, spec, name, number, "local", prompt, "review")
    asked = replace(asked, budget_usd=asked.budget_usd / share)
    # A new name each time: the cost of a call interrupted by a crash stays counted.
    accounting = RunCallAccounting(services.ledger, services.accounts, spec.run_id, f"{name}-{services.clock():.3f}")
    try:
        call = await services.agent(agent).work(asked, room, services.box(spec.box), accounting)
        services.check_surroundings(spec)
    finally:
        await asyncio.to_thread(workspace.close, name)
    accounting.spent(call.usage.cost_usd)
    return replace(call, said="")
