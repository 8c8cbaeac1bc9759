"""A read-only agent's call: its share of the budget, and nothing of its prose."""

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

import pytest

from reknit import workflows
from reknit.core.agent_reports.values import Review, Role
from reknit.core.agents.call import AgentCall, AgentFacts, AgentOrder, AgentSettings, Done
from reknit.core.box import BoxView, Command
from reknit.core.runs.spec import WorkspaceSettings
from reknit.core.setup.values import Setup
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


@dataclass
class Looking:
    """An agent that only looks at its box."""

    output: list[str]
    account: str = ""

    def facts(self) -> AgentFacts:
        return AgentFacts(found=True)

    async def work(self, order: AgentOrder, room: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        look = "echo $PATH; command -v git; ls -Ad .venv node_modules made $HOME/*"
        ended = await box.run(replace(room, read_only=order.reads_only), Command(("sh", "-c", look)))
        self.output += ended.stdout.decode().splitlines()
        return AgentCall(Done())


INSTALL = "mkdir -p node_modules .venv/bin && touch .venv/pyvenv.cfg && cp /bin/true .venv/bin/git"


@pytest.mark.parametrize("role", [role for role in get_args(Role) if role != "fix"])
def test_nothing_that_was_installed_is_in_the_box_of_who_only_reads(scene: Scene, shop: Path, role: Role) -> None:
    services, spec = scene
    output: list[str] = []
    services = replace(services, agent=lambda _settings: Looking(output))
    (shop / "venv/bin").mkdir(parents=True)
    shutil.copy("/bin/true", shop / "venv/bin/git")
    workspace = WorkspaceSettings(carry=("venv",), setup="touch made")
    spec = replace(spec, box="bubblewrap", workspace=workspace, setups=(Setup("", INSTALL),))
    asyncio.run(read(services, spec, AgentTask("review-1", 1, scripted({}), "Review it."), spec.base, role))
    assert output == ["/usr/local/bin:/usr/bin:/bin", "/usr/bin/git"]


def test_every_agent_call_is_an_attempt_or_a_reading() -> None:
    """So what holds for a reading holds for every reviewer, challenger and voter."""
    folder = Path(workflows.__path__[0])
    callers = {path.name for path in folder.rglob("*.py") if "call_agent(" in path.read_text()}
    assert callers == {"agent_call.py", "agent_attempt.py", "agent_reading.py"}
