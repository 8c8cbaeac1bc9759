"""One agent call: money per call, rate limits per account, and no more than what is left of the budget."""

import asyncio
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from reknit import workflows
from reknit.adapters.git.landing import commit_all
from reknit.core.agent_reports.values import Review, Role
from reknit.core.agents.call import AgentCall, AgentFacts, AgentOrder, AgentSettings, Done, RateLimited
from reknit.core.box import BoxView, Command
from reknit.core.finding import Finding
from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.spec import ProjectSetups, WorkspaceSettings, name_attempt_ref
from reknit.core.setup.layers import Setup
from reknit.ports.agents import Agent
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting
from reknit.workflows.runtime.services import current_services, install
from reknit.workflows.shared.agent_call import (
    AgentTask,
    RunCallAccounting,
    call_agent,
    call_read_only_agent,
    rate_limited_call,
    run_attempt,
)
from tests.tools.command_line import Answer, CommandLine
from tests.tools.github import GitHub
from tests.tools.pull_play import play_spec
from tests.tools.step_services import scripted
from tests.tools.vote_scene import ANN, BOB, ballot, planned, vote_scene
from tests.workflows.shared.conftest import Scene


def test_a_call_is_charged_by_its_own_sum_and_calls_add_up(scene: Scene) -> None:
    services, spec = scene
    first, second = (
        RunCallAccounting(services.ledger, services.accounts, spec.run_id, name) for name in ("a-1", "a-2")
    )
    first.record_cost(0.1)
    first.record_cost(0.25)  # the sum so far, not one more request
    second.record_cost(0.5)
    assert services.ledger.total_cost(spec.run_id) == pytest.approx(0.75)


def test_a_limit_of_an_account_is_known_to_every_call(scene: Scene) -> None:
    services, _spec = scene
    agent = scripted({"account": "anns"})
    assert rate_limited_call(services, agent) is None
    until = services.clock() + 600
    services.accounts.record_limit(services.agent(agent).account, ProviderRefusal(429, until))
    found = rate_limited_call(services, agent)
    assert found is not None
    assert isinstance(found.outcome, RateLimited)
    assert found.outcome.until == pytest.approx(until, abs=1)


class Noting:
    """An agent that only keeps its order."""

    account = "noting"

    def __init__(self) -> None:
        self.orders: list[AgentOrder] = []

    def read_facts(self) -> AgentFacts:
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


Here = Callable[..., Answer]
SOURCE = "shop/pricing.py"
RIGHT: dict[str, Any] = {"replace": {SOURCE: ["price - percent", "price * (1 - percent / 100)"]}}


def fix(here: Here, shop: Path, *arguments: str) -> Answer:
    return here("fix", "tests", "--agent", "first", "--format", "json", *arguments, cwd=shop)


def configure(reknit: CommandLine, loop: dict[str, Any] | None = None, **stories: list[dict[str, Any]]) -> None:
    """The first agent is the fixer, the others its fallback, in this order."""
    agents = {name: {"kind": "scripted", "story": json.dumps(story)} for name, story in stories.items()}
    fixer, *fallback = agents
    reknit.configure(fixer=fixer, fallback=fallback, agents=agents, loop=loop or {})


def outcomes(answer: Answer) -> list[str]:
    return [attempt["outcome"] for attempt in answer.ending["attempts"]]


def test_a_long_wait_is_not_waited_out_while_another_agent_is_ready(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    limited = {**RIGHT, "outcome": "rate_limited", "wait_s": 3600}
    configure(reknit, first=[limited], second=[RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], outcomes(answer)) == ("FIXED", ["done"])
    assert [(event["from"], event["to"]) for event in answer.events("fall_over")] == [("first", "second")]
    assert answer.ending["receipt"]["agent"] == "second"
    assert answer.events("waiting") == []


def test_a_short_wait_is_waited_out(here: Here, reknit: CommandLine, shop: Path) -> None:
    limited = {**RIGHT, "outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1}
    configure(reknit, first=[limited], second=[RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], answer.ending["receipt"]["agent"]) == ("FIXED", "first")
    assert len(answer.events("waiting")) == 1


def test_when_all_agents_are_limited_the_run_waits(here: Here, reknit: CommandLine, shop: Path) -> None:
    first, second = ({**RIGHT, "outcome": "overloaded", "limited_times": times} for times in (1, 2))
    configure(reknit, {"wait_s": 0.3, "patience_s": 0.1}, first=[first], second=[second])
    answer = fix(here, shop)
    assert answer.ending["ending"] == "FIXED"
    assert (len(answer.events("fall_over")), len(answer.events("waiting"))) == (1, 1)
    assert answer.ending["receipt"]["agent"] == "first"


def test_a_key_that_is_not_taken_is_tried_three_times(here: Here, reknit: CommandLine, shop: Path) -> None:
    configure(reknit, first=[{"outcome": "auth"}])
    answer = fix(here, shop)
    assert (answer.ending["ending"], answer.exit_code) == ("BLOCKED", 4)
    assert [event["outcome"] for event in answer.events("attempt_ended")] == ["auth"] * 3


def test_an_agent_whose_key_is_not_taken_leaves_the_work_to_the_next(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    configure(reknit, first=[{"outcome": "auth"}], second=[RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], answer.ending["receipt"]["agent"]) == ("FIXED", "second")


def test_silence_that_left_nothing_uses_up_no_attempt_until_it_is_too_much(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    silent, more_than_a_start_takes_s = {"outcome": "idle"}, 5
    loop = {"attempts": 1, "idles": 2, "agent_idle_s": more_than_a_start_takes_s}
    configure(reknit, loop, first=[silent, silent, RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], outcomes(answer)) == ("FIXED", ["idle", "idle", "done"])
    assert {attempt["strategy"] for attempt in answer.ending["attempts"]} == {"local"}


def test_silence_has_an_end(here: Here, reknit: CommandLine, shop: Path) -> None:
    configure(reknit, {"attempts": 1, "idles": 1, "agent_idle_s": 0.3}, first=[{"outcome": "idle"}])
    answer = fix(here, shop)
    assert (answer.ending["ending"], outcomes(answer)) == ("DEFERRED", ["idle", "idle"])


ABOUT = Finding("T-1", "tests", "test-failed", "tests/test_pricing.py::PricingTest::test_discount_is_a_share")


def test_what_an_agent_left_is_kept_and_its_copy_is_gone(scene: Scene) -> None:
    services, spec = scene
    made = asyncio.run(run_attempt(services, spec, AgentTask("attempt-1", 1, spec.agent, "Fix it."), ABOUT, spec.base))
    repository = services.workspace(spec).repository
    assert (made.call.last_message, made.spent_usd, made.unsafe) == ("Fixed.", 0.25, ())
    assert repository.change(spec.base, made.after).paths == (SOURCE,)
    assert repository.resolve(name_attempt_ref(spec.run_id, 1, "after")) == made.after
    assert not list(Path(services.workspace(spec).kept_folder("x")).parent.rglob("attempt-1/shop"))


def test_an_account_that_is_limited_is_not_asked(scene: Scene) -> None:
    services, spec = scene
    agent = scripted({**RIGHT, "account": "anns"})
    account = services.agent(agent).account
    services.accounts.record_limit(account, ProviderRefusal(429, services.clock() + 600))
    made = asyncio.run(run_attempt(services, spec, AgentTask("attempt-1", 1, agent, "Fix it."), ABOUT, spec.base))
    assert isinstance(made.call.outcome, RateLimited)
    assert (made.after, made.spent_usd) == (spec.base, 0.0)


def test_ignored_files_that_an_agent_leaves_are_named(here: Here, reknit: CommandLine, shop: Path) -> None:
    (shop / ".gitignore").write_text("*.db\n")
    commit_all(str(shop), "ignore")
    configure(reknit, first=[{**RIGHT, "run": ["touch", "test.db"]}])
    answer = fix(here, shop)
    assert [event["files"] for event in answer.events("files_ignored")] == [["test.db"]]
    assert answer.ending["ending"] == "FIXED"


@dataclass
class Noted:
    """An agent whose orders are noted before it gets them."""

    inner: Agent
    orders: list[AgentOrder] = field(default_factory=list)

    @property
    def account(self) -> str:
        return self.inner.account

    def read_facts(self) -> AgentFacts:
        return self.inner.read_facts()

    async def work(self, order: AgentOrder, room: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        self.orders.append(order)
        return await self.inner.work(order, room, box, accounting)


def noting(orders: list[AgentOrder]) -> Callable[[], None]:
    """Put in at the first step: from the next one on, every order is in that list."""

    def act() -> None:
        made = current_services().agent

        def maker(settings: AgentSettings) -> Agent:
            return Noted(made(settings), orders)

        install(replace(current_services(), agent=maker))

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
    call = asyncio.run(call_read_only_agent(services, spec, AgentTask("review-1", 1, agent, "Review it."), spec.base))
    assert (call.last_message, call.report) == ("", Review("passed", 90, "good"))
    assert services.ledger.total_cost(spec.run_id) == 0.25
    assert not list(Path(services.workspace(spec).kept_folder("x")).parent.rglob("review-1"))


@dataclass
class Looking:
    """An agent that only looks at its box."""

    output: list[str]
    account: str = ""

    def read_facts(self) -> AgentFacts:
        return AgentFacts(is_installed=True)

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
    spec = replace(spec, setups=ProjectSetups(commands=(Setup("", INSTALL),)), box="bubblewrap", workspace=workspace)
    asyncio.run(
        call_read_only_agent(services, spec, AgentTask("review-1", 1, scripted({}), "Review it."), spec.base, role)
    )
    assert output == ["/usr/local/bin:/usr/bin:/bin", "/usr/bin/git"]


def test_every_agent_call_is_an_attempt_or_a_reading() -> None:
    """So what holds for a reading holds for every reviewer, challenger and voter."""
    folder = Path(workflows.__path__[0])
    callers = {path.name for path in folder.rglob("*.py") if "call_agent(" in path.read_text()}
    assert callers == {"agent_call.py"}
