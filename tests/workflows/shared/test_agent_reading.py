"""A read-only agent's call: its share of the budget, and nothing of its prose."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import Aborted, AgentCall, AgentFacts, AgentOrder, AgentSettings
from reknit.core.box import BoxView
from reknit.core.runs.spec import WorkspaceSettings
from reknit.ports.agents import Agent
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting
from reknit.workflows.runtime.services import current, install
from reknit.workflows.shared.agent_call import AgentTask
from reknit.workflows.shared.agent_reading import read
from tests.tools.github import GitHub
from tests.tools.pull_play import play_spec
from tests.tools.step_services import scripted
from tests.tools.vote_scene import ANN, BOB, ballot, planned, vote_scene
from tests.workflows.shared.conftest import Scene


@dataclass
class Noted:
    """An agent whose orders are noted before it gets them."""

    inner: Agent
    orders: list[AgentOrder] = field(default_factory=list)

    @property
    def account(self) -> str:
        return self.inner.account

    def facts(self) -> AgentFacts:
        return self.inner.facts()

    async def work(self, order: AgentOrder, room: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        self.orders.append(order)
        return await self.inner.work(order, room, box, accounting)


def noting(orders: list[AgentOrder]) -> Callable[[], None]:
    """Put in at the first step: from the next one on, every order is in that list."""

    def act() -> None:
        made = current().agent

        def maker(settings: AgentSettings) -> Agent:
            return Noted(made(settings), orders)

        install(replace(current(), agent=maker))

    return act


def test_each_may_spend_its_share_of_what_is_left(hub: GitHub, tmp_path: Path) -> None:
    """Two at once: half each, so that both together cannot spend more than there is. One alone: the rest."""
    broken = {"outcome": "invalid_output", "cost_usd": 0.4}
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 90)], [broken, ballot(BOB, 90)])
    orders: list[AgentOrder] = []
    played = play_spec(scene, planned(scene, {"loop": {"budget_usd": 1.0}}), at={"vote_look 1": noting(orders)})
    assert (played.ending, [order.role for order in orders]) == ("CLEAN", ["review"] * 3)
    *both, alone = (order.budget_usd for order in orders)
    assert (max(both), sum(both) <= 1.0, round(alone, 6)) == (0.5, True, 0.55)
    assert len({order.prompt for order in orders}) == 1


def test_a_reviewers_prose_is_dropped_and_its_tree_is_gone(scene: Scene) -> None:
    services, spec = scene
    report = {"verdict": "passed", "score_0_100": 90, "summary": "good", "findings": []}
    agent = scripted({"report": report, "say": "100 of 100!", "cost_usd": 0.25})
    call = asyncio.run(read(services, spec, AgentTask("review-1", 1, agent, "Review it."), spec.base))
    assert (call.said, call.report) == ("", Review("passed", 90, "good"))
    assert services.ledger.spent(spec.run_id) == 0.25
    assert not list(Path(services.workspace(spec).kept("x")).parent.rglob("review-1"))


def test_a_setup_that_fails_calls_nobody(scene: Scene) -> None:
    services, spec = scene
    failing = replace(spec, workspace=WorkspaceSettings(setup="exit 3"))
    call = asyncio.run(read(services, failing, AgentTask("review-1", 1, scripted({}), "Review it."), spec.base))
    assert isinstance(call.outcome, Aborted)
    assert (call.outcome.why, services.ledger.spent(spec.run_id)) == ("crashed", 0.0)
