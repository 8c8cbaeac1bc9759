"""One attempt of a fixer in a fresh copy of the tree; what it left is kept under a private ref."""

import asyncio
from dataclasses import dataclass

from reknit.core.agents.call import AgentSettings
from reknit.core.agents.strategy import Strategy
from reknit.core.finding import Finding
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec, attempt_ref
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.agent_call import AgentTask, call_agent, resting
from reknit.workflows.shared.work_folders import attempt_room


@dataclass(frozen=True)
class AttemptJob:
    """One attempt: its number in the run, what it is about, and the commit it starts from."""

    number: int
    finding: Finding
    strategy: Strategy
    agent: AgentSettings
    head: str


async def work(services: Services, spec: RunSpec, job: AttemptJob, prompt: str) -> AttemptResult:
    """Run the agent in a fresh copy of the tree; what it left is kept under a private ref, whatever the outcome."""
    if call := resting(services, job.agent):
        return AttemptResult(call, job.head, (), services.clock(), services.ledger.spent(spec.run_id))
    ledger, name, agent = services.ledger, f"attempt-{job.number}", job.agent.name
    starts = ledger.attempt_started(spec.run_id, job.number, job.finding, job.strategy, agent)
    begins = attempt_events.attempt_begins(job.number, job.finding, job.strategy, agent)
    ledger.event(spec.run_id, f"{name}-begins-{starts}", begins)
    try:
        room = await attempt_room(services, spec, job.number, job.head)
        task = AgentTask(name, job.number, job.agent, prompt, job.strategy)
        call = await call_agent(services, spec, task, room, f"{name}-{starts}")
        repository, ref = services.workspace(spec).repository, attempt_ref(spec.run_id, job.number, "after")
        at = services.clock()
        change = await asyncio.to_thread(repository.snapshot, room.tree, job.head, ref, skip=room.carry, at=at)
    finally:
        await asyncio.to_thread(services.workspace(spec).close, name)
    told = attempt_events.attempt_made(job.number, job.strategy, agent, call, change.paths)
    ledger.event(spec.run_id, f"{name}-made-{starts}", told)
    for place, refusal in enumerate(call.refusals):
        refused = attempt_events.gateway_refused(job.number, refusal)
        ledger.event(spec.run_id, f"{name}-gateway-{starts}-{place}", refused)
    return AttemptResult(call, repository.resolve(ref), change.unsafe, at, ledger.spent(spec.run_id))
