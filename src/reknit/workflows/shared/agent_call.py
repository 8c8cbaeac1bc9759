"""One agent call in a box: its order, its accounting, and a provider that is known to be rate limited."""

from dataclasses import dataclass

from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentCall, AgentOrder, AgentSettings, RateLimited
from reknit.core.agents.strategy import Strategy
from reknit.core.box import BoxView
from reknit.core.runs.spec import RunSpec
from reknit.ports.gateway import Accounts
from reknit.ports.runs import RunLedger
from reknit.workflows.runtime.services import Services


@dataclass(frozen=True)
class AgentTask:
    """What one call asks of an agent."""

    name: str
    """Of its work tree and its log."""
    number: int
    agent: AgentSettings
    prompt: str
    strategy: Strategy = "local"
    role: Role = "fix"
    share: int = 1
    """How many calls run at once; each may spend an equal part of what is left, so together they cannot exceed it."""


@dataclass(frozen=True)
class RunCallAccounting:
    ledger: RunLedger
    accounts: Accounts
    run_id: str
    call: str
    """Unique in the run, and different each time the same attempt is restarted."""

    def spent(self, usd: float, held_usd: float = 0.0) -> None:
        self.ledger.charge(self.run_id, self.call, usd, held_usd)


def resting(services: Services, agent: AgentSettings) -> AgentCall | None:
    """A rate limit known from an earlier call or another run: the provider is not asked at all."""
    until = services.accounts.not_before(services.agent(agent).account)
    return AgentCall(RateLimited("rate_limited", until)) if until else None


async def call_agent(services: Services, spec: RunSpec, task: AgentTask, view: BoxView, call_id: str) -> AgentCall:
    limits = spec.limits
    order = AgentOrder(
        run_id=spec.run_id,
        attempt=task.number,
        strategy=task.strategy,
        prompt=task.prompt,
        wall_s=limits.agent_wall_s,
        idle_s=limits.agent_idle_s,
        turns=limits.agent_turns,
        budget_usd=(limits.budget_usd - services.ledger.spent(spec.run_id)) / task.share,
        folder=services.workspace(spec).kept(f"{task.name}.log"),
        role=task.role,
    )
    accounting = RunCallAccounting(services.ledger, services.accounts, spec.run_id, call_id)
    call = await services.agent(task.agent).work(order, view, services.box(spec.box), accounting)
    accounting.spent(call.usage.cost_usd)
    services.check_surroundings(spec)  # before the tree is removed, and with it what may have filled the disk
    return call
