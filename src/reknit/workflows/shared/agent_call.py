"""Calls of agents in a box: an attempt that changes a tree, or a read-only call on one commit."""

import asyncio
from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentCall, AgentOrder, AgentSettings, RateLimited
from reknit.core.agents.strategy import Strategy
from reknit.core.box import BoxView
from reknit.core.finding import Finding
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec, name_attempt_ref
from reknit.core.setup.layers import list_mount_points
from reknit.ports.gateway import Accounts
from reknit.ports.runs import RunLedger
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.activity import show_activity
from reknit.workflows.shared.work_folders import close_folder, open_attempt_folder


@dataclass(frozen=True)
class AgentTask:
    """One call's order to an agent."""

    name: str
    """Name of the call's work tree and log."""
    number: int
    agent: AgentSettings
    prompt: str
    strategy: Strategy = "local"
    role: Role = "fix"
    share: int = 1
    """Number of calls that run at once; each may spend an equal part of the budget, so together they keep it."""


@dataclass(frozen=True)
class RunCallAccounting:
    """Charges the cost of one call to its run."""

    ledger: RunLedger
    accounts: Accounts
    run_id: str
    call: str
    """Unique in the run, and different each time the same attempt is restarted."""

    def record_cost(self, usd: float, held_usd: float = 0.0) -> None:
        self.ledger.charge(self.run_id, self.call, usd, held_usd)


def rate_limited_call(services: Services, agent: AgentSettings) -> AgentCall | None:
    """Return a rate-limited call if a limit is known from an earlier call or another run: nobody is asked."""
    until = services.accounts.not_before(services.agent(agent).account)
    return AgentCall(RateLimited("rate_limited", until)) if until else None


async def call_agent(services: Services, spec: RunSpec, task: AgentTask, view: BoxView, call_id: str) -> AgentCall:
    """Call the agent on a prepared tree, within the budget of the run."""
    limits = spec.limits
    order = AgentOrder(
        run_id=spec.run_id,
        attempt=task.number,
        strategy=task.strategy,
        prompt=task.prompt,
        wall_s=limits.agent_wall_s,
        idle_s=limits.agent_idle_s,
        turns=limits.agent_turns,
        budget_usd=(limits.budget_usd - services.ledger.total_cost(spec.run_id)) / task.share,
        folder=services.workspace(spec).kept_folder(f"{task.name}.log"),
        role=task.role,
    )
    accounting = RunCallAccounting(services.ledger, services.accounts, spec.run_id, call_id)
    watch = services.watch_call(task.agent, order.folder, view)
    async with show_activity(services, spec, watch):
        call = await services.agent(task.agent).work(order, view, services.box(spec.box), accounting)
    accounting.record_cost(call.usage.cost_usd, call.usage.held_usd)
    services.check_surroundings(spec)  # before the tree is removed, and with it what may have filled the disk
    return call


async def run_attempt(services: Services, spec: RunSpec, task: AgentTask, finding: Finding, head: str) -> AttemptResult:
    """Run the agent in a fresh copy of the tree, and keep its tree under a private ref, whatever the outcome.

    `task.name` is `attempt-N`; `head`: the commit it starts from.
    """
    if call := rate_limited_call(services, task.agent):
        return AttemptResult(call, head, (), services.clock(), services.ledger.total_cost(spec.run_id))
    ledger, name, number, agent = services.ledger, task.name, task.number, task.agent.name
    starts = ledger.start_attempt(spec.run_id, number, finding, task.strategy, agent)
    begins = attempt_events.announce_attempt(number, finding, task.strategy, agent)
    ledger.put_event(spec.run_id, f"{name}-begins-{starts}", begins)
    try:
        view = await open_attempt_folder(services, spec, number, head)
        call = await call_agent(services, spec, task, view, f"{name}-{starts}")
        repository, ref = services.workspace(spec).repository, name_attempt_ref(spec.run_id, number, "after")
        at = services.clock()
        change = await asyncio.to_thread(repository.snapshot, view.tree, head, ref, skip=list_mount_points(view), at=at)
    finally:
        await close_folder(services, spec, name)
    event = attempt_events.report_attempt(number, task.strategy, agent, call, change.paths)
    ledger.put_event(spec.run_id, f"{name}-made-{starts}", event)
    if change.left_out:
        ledger.put_event(
            spec.run_id, f"{name}-ignored-{starts}", attempt_events.report_ignored_files(number, change.left_out)
        )
    for place, refusal in enumerate(call.refusals):
        refused = attempt_events.report_gateway_refusal(number, refusal)
        ledger.put_event(spec.run_id, f"{name}-gateway-{starts}-{place}", refused)
    return AttemptResult(call, repository.resolve(ref), change.unsafe, at, ledger.total_cost(spec.run_id))


async def call_read_only_agent(
    services: Services, spec: RunSpec, task: AgentTask, rev: str, role: Role = "review", *, blind: bool = False
) -> AgentCall:
    """Ask a read-only agent, and drop its prose. `blind`: it sees no history, which contains earlier attempts.

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
    return replace(call, last_message="")
