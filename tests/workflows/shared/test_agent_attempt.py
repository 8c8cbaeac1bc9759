"""One agent call in any run: waits, fall-over, silence, and keys that are not taken, on the real engine."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reknit.adapters.git.demo_commit import commit_all
from reknit.core.agents.call import RateLimited
from reknit.core.finding import Finding
from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.spec import attempt_ref
from reknit.workflows.shared.agent_attempt import work
from reknit.workflows.shared.agent_call import AgentTask
from tests.tools.command_line import Answer, CommandLine
from tests.tools.step_services import scripted
from tests.workflows.shared.conftest import Scene

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
    made = asyncio.run(work(services, spec, AgentTask("attempt-1", 1, spec.agent, "Fix it."), ABOUT, spec.base))
    repository = services.workspace(spec).repository
    assert (made.call.said, made.spent_usd, made.unsafe) == ("Fixed.", 0.25, ())
    assert repository.change(spec.base, made.after).paths == (SOURCE,)
    assert repository.resolve(attempt_ref(spec.run_id, 1, "after")) == made.after
    assert not list(Path(services.workspace(spec).kept("x")).parent.rglob("attempt-1/shop"))


def test_an_account_that_is_limited_is_not_asked(scene: Scene) -> None:
    services, spec = scene
    agent = scripted({**RIGHT, "account": "anns"})
    account = services.agent(agent).account
    services.accounts.limited(account, ProviderRefusal(429, services.clock() + 600))
    made = asyncio.run(work(services, spec, AgentTask("attempt-1", 1, agent, "Fix it."), ABOUT, spec.base))
    assert isinstance(made.call.outcome, RateLimited)
    assert (made.after, made.spent_usd) == (spec.base, 0.0)


def test_ignored_files_that_an_agent_leaves_are_named(here: Here, reknit: CommandLine, shop: Path) -> None:
    (shop / ".gitignore").write_text("*.db\n")
    commit_all(str(shop), "ignore")
    configure(reknit, first=[{**RIGHT, "run": ["touch", "test.db"]}])
    answer = fix(here, shop)
    assert [event["files"] for event in answer.events("files_ignored")] == [["test.db"]]
    assert answer.ending["ending"] == "FIXED"
