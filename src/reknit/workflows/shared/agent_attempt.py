"""One agent call in a fresh copy of the tree: what every workflow does before, during and after it."""

import asyncio
from dataclasses import dataclass

from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentCall, AgentOrder, AgentSettings, RateLimited
from reknit.core.agents.strategy import Strategy
from reknit.core.finding import Finding
from reknit.core.runs import attempt_events
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.backoff import wait_for_first
from reknit.core.runs.spec import RunSpec, attempt_ref
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.call_accounting import RunCallAccounting
from reknit.workflows.shared.work_folders import attempt_room


@dataclass(frozen=True)
class AttemptJob:
    """One attempt: its number in the run, what it is about, and the commit it starts from."""

    number: int
    finding: Finding
    strategy: Strategy
    agent: AgentSettings
    head: str


def resting(services: Services, agent: AgentSettings) -> AgentCall | None:
    """A rate limit known from an earlier call or another run: the provider is not asked at all."""
    until = services.accounts.not_before(services.agent(agent).account)
    return AgentCall(RateLimited("rate_limited", until)) if until else None


def order(
    services: Services, spec: RunSpec, name: str, number: int, strategy: Strategy, prompt: str, role: Role = "fix"
) -> AgentOrder:
    limits = spec.limits
    return AgentOrder(
        run_id=spec.run_id,
        attempt=number,
        strategy=strategy,
        prompt=prompt,
        wall_s=limits.agent_wall_s,
        idle_s=limits.agent_idle_s,
        turns=limits.agent_turns,
        budget_usd=limits.budget_usd - services.ledger.spent(spec.run_id),
        folder=services.workspace(spec).kept(f"{name}.log"),
        role=role,
    )


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
        accounting = RunCallAccounting(ledger, services.accounts, spec.run_id, f"{name}-{starts}")
        asked = order(services, spec, name, job.number, job.strategy, prompt)
        call = await services.agent(job.agent).work(asked, room, services.box(spec.box), accounting)
        accounting.spent(call.usage.cost_usd)
        services.check_surroundings(spec)  # before the tree is removed, and with it what may have filled the disk
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


def plan_wait(
    services: Services, spec: RunSpec, key: str, agent: str, limited: RateLimited, rotation: AgentRotation
) -> float:
    """Returns 0 if another agent takes over instead."""
    now = services.clock()
    times = [limited.until, *(until for _, until in rotation.tired)]
    wait_s = wait_for_first(times, rotation.unnamed_waits - 1, spec.limits, now, spec.run_id)
    key = f"{key}-wait-{rotation.waits - 1}"
    if rotation.falls_over(agent, wait_s, spec.limits):
        after = next(name for name in rotation.ready if name != agent)
        services.ledger.event(spec.run_id, key, attempt_events.falling_over(limited, agent, after, wait_s))
        return 0.0
    told = attempt_events.waiting(limited, agent, now + wait_s, wait_s)
    services.ledger.event(spec.run_id, key, told)
    services.ledger.waiting(spec.run_id, told.text, now + wait_s)
    return wait_s
