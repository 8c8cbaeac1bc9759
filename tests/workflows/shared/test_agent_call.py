"""One agent call: money per call, rate limits per account, and no more than what is left of the budget."""

import asyncio
from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentCall, AgentFacts, AgentOrder, Done, RateLimited
from reknit.core.box import BoxView
from reknit.core.gateway.metering import ProviderRefusal
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting
from reknit.workflows.shared.agent_call import AgentTask, RunCallAccounting, call_agent, resting
from tests.tools.step_services import scripted
from tests.workflows.shared.conftest import Scene


def test_a_call_is_charged_by_its_own_sum_and_calls_add_up(scene: Scene) -> None:
    services, spec = scene
    first, second = (
        RunCallAccounting(services.ledger, services.accounts, spec.run_id, name) for name in ("a-1", "a-2")
    )
    first.spent(0.1)
    first.spent(0.25)  # the sum so far, not one more request
    second.spent(0.5)
    assert services.ledger.spent(spec.run_id) == pytest.approx(0.75)


def test_a_limit_of_an_account_is_known_to_every_call(scene: Scene) -> None:
    services, _spec = scene
    agent = scripted({"account": "anns"})
    assert resting(services, agent) is None
    until = services.clock() + 600
    services.accounts.limited(services.agent(agent).account, ProviderRefusal(429, until))
    found = resting(services, agent)
    assert found is not None
    assert isinstance(found.outcome, RateLimited)
    assert found.outcome.until == pytest.approx(until, abs=1)


class Noting:
    """An agent that only keeps its order."""

    account = "noting"

    def __init__(self) -> None:
        self.orders: list[AgentOrder] = []

    def facts(self) -> AgentFacts:
        raise NotImplementedError

    async def work(self, order: AgentOrder, room: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        self.orders.append(order)
        return AgentCall(Done())


@pytest.mark.parametrize(("share", "budget_usd"), [(1, 3.75), (2, 1.875)], ids=["alone", "two at once"])
def test_a_call_may_spend_its_share_of_what_is_left(scene: Scene, share: int, budget_usd: float) -> None:
    services, spec = scene
    services.ledger.charge(spec.run_id, "earlier", 1.25)
    agent = Noting()
    task = AgentTask("attempt-2", 2, spec.agent, "Fix it.", "search", share=share)
    room = BoxView(spec.repository, spec.repository)
    asyncio.run(call_agent(replace(services, agent=lambda _: agent), spec, task, room, "call-1"))
    (order,) = agent.orders
    assert (order.budget_usd, order.role, order.strategy) == (budget_usd, "fix", "search")
    assert order.folder.endswith("attempt-2.log")
