"""One attempt of a fixer: what every loop does before, during and after its agent call."""

import asyncio

from reknit.core.finding import Finding
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec, attempt_ref
from reknit.core.setup.results import mount_points
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.agent_call import AgentTask, call_agent, resting
from reknit.workflows.shared.work_folders import attempt_view, close_folder


async def work(services: Services, spec: RunSpec, task: AgentTask, finding: Finding, head: str) -> AttemptResult:
    """Run the agent in a fresh copy of the tree; what it left is kept under a private ref, whatever the outcome.

    `task.name` is `attempt-N`; `head`: the commit it starts from.
    """
    if call := resting(services, task.agent):
        return AttemptResult(call, head, (), services.clock(), services.ledger.spent(spec.run_id))
    ledger, name, number, agent = services.ledger, task.name, task.number, task.agent.name
    starts = ledger.attempt_started(spec.run_id, number, finding, task.strategy, agent)
    begins = attempt_events.attempt_begins(number, finding, task.strategy, agent)
    ledger.event(spec.run_id, f"{name}-begins-{starts}", begins)
    try:
        view = await attempt_view(services, spec, number, head)
        call = await call_agent(services, spec, task, view, f"{name}-{starts}")
        repository, ref = services.workspace(spec).repository, attempt_ref(spec.run_id, number, "after")
        at = services.clock()
        change = await asyncio.to_thread(repository.snapshot, view.tree, head, ref, skip=mount_points(view), at=at)
    finally:
        await close_folder(services, spec, name)
    told = attempt_events.attempt_made(number, task.strategy, agent, call, change.paths)
    ledger.event(spec.run_id, f"{name}-made-{starts}", told)
    if change.left_out:
        ledger.event(spec.run_id, f"{name}-ignored-{starts}", attempt_events.files_ignored(number, change.left_out))
    for place, refusal in enumerate(call.refusals):
        refused = attempt_events.gateway_refused(number, refusal)
        ledger.event(spec.run_id, f"{name}-gateway-{starts}-{place}", refused)
    return AttemptResult(call, repository.resolve(ref), change.unsafe, at, ledger.spent(spec.run_id))
