"""Any command as an agent, in the real box, with and without a model behind the gateway."""

import asyncio
import os
from pathlib import Path

import pytest

from reknit.adapters.agents.any_command import AnyCommand
from reknit.adapters.boxes.bubblewrap import Bubblewrap
from reknit.adapters.gateway import ModelGateway
from reknit.core.agent_call import AgentCall, AgentOrder, AgentSettings, Broke, Done, Limited, Outcome, Refused
from reknit.core.box import Room
from reknit.core.strategy import Strategy
from tests.tools.scripted_model import ScriptedModel

KEY = "sk-real-canary-0815"
ASK = """
import json, os, sys, urllib.error, urllib.request
tools = json.loads(os.environ.get("TOOLS", '[{"name": "Bash"}]'))
body = json.dumps({"model": "m", "messages": [], "tools": tools, "prompt": sys.stdin.read()}).encode()
request = urllib.request.Request(os.environ["BASE"] + "/v1/messages", body, {"x-api-key": os.environ["KEY"]})
try:
    print(json.load(urllib.request.urlopen(request))["content"][0]["text"])
except urllib.error.HTTPError as problem:
    print(problem.code, problem.read().decode())
    sys.exit(1)
"""


@pytest.fixture
def room(tmp_path: Path) -> Room:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
    return Room(str(tmp_path / "repository"), str(tmp_path / "tree"))


def made(*argv: str, key: str = KEY, upstream: str = "", **env: str) -> AnyCommand:
    settings = AgentSettings(
        "a",
        "any_command",
        command=argv,
        upstream=upstream,
        key_env="MY_KEY" if upstream else "",
        env=(("BASE", "{gateway}"), ("KEY", "{token}"), *env.items()),
    )
    environment = {"PATH": os.environ["PATH"], "MY_KEY": key}
    return AnyCommand(settings, environment=environment, make_gateway=ModelGateway)


def fix(agent: AnyCommand, room: Room, strategy: Strategy = "local", turns: int = 5) -> AgentCall:
    folder = str(Path(room.tree).parent / "attempt-1")
    order = AgentOrder("r", 1, strategy, "Fix é.", wall_s=30, idle_s=30, turns=turns, budget_usd=1.0, folder=folder)
    return asyncio.run(agent.fix(order, room, Bubblewrap()))


def test_the_prompt_comes_on_stdin_and_the_box_knows_no_key(room: Room) -> None:
    call = fix(made("sh", "-c", "cat > prompt; env; echo '\x1b[1mbye'"), room)
    assert call.outcome == Done()
    assert Path(room.tree, "prompt").read_text(encoding="utf-8") == "Fix é."
    assert call.said.endswith("\nbye")
    transcript = Path(room.tree).parent.joinpath("attempt-1/transcript.txt").read_text()
    assert KEY not in transcript
    assert "MY_KEY" not in transcript


def test_a_model_is_reached_through_the_gateway(room: Room) -> None:
    with ScriptedModel(turns=[{"text": "hello"}]) as model:
        call = fix(made("python3", "-c", ASK, upstream=model.url), room)
    assert (call.outcome, call.said) == (Done(), "hello")
    assert (call.usage.requests, call.usage.input_tokens, call.usage.output_tokens) == (1, 100, 20)
    (request,) = model.log
    assert request.headers["x-api-key"] == KEY
    assert request.body["prompt"] == "Fix é."


def test_search_is_open_in_its_strategy_only(room: Room) -> None:
    tools = '[{"type": "web_search_20250305", "name": "web_search"}]'
    with ScriptedModel(turns=[{"text": "found"}]) as model:
        agent = made("python3", "-c", ASK, upstream=model.url, TOOLS=tools)
        refused = fix(agent, room, "local")
        assert refused.outcome == Broke("crashed", "exit code 1")
        assert refused.refusals == ("tool run by the vendor not allowed: web_search_20250305",)
        assert fix(agent, room, "search").said == "found"


@pytest.mark.parametrize(
    ("turn", "outcome"),
    [
        pytest.param(
            {"status": 429, "headers": {"retry-after": "Wed, 18 May 2033 03:33:20 GMT"}},
            Limited("rate_limited", 2e9),
            id="429",
        ),
        pytest.param({"status": 529}, Limited("overloaded"), id="529"),
        pytest.param({"status": 400}, Broke("crashed", "exit code 1"), id="400"),
    ],
)
def test_limits_come_from_the_gateway(turn: dict[str, object], outcome: Outcome, room: Room) -> None:
    with ScriptedModel(turns=[turn]) as model:
        assert fix(made("python3", "-c", ASK, upstream=model.url), room).outcome == outcome


def test_a_spent_budget_is_told_apart(room: Room) -> None:
    many = ASK.replace("try:", "for _ in range(99): urllib.request.urlopen(request).read()\ntry:")
    with ScriptedModel(turns=[{"text": "on", "repeat": True}]) as model:
        call = fix(made("python3", "-c", many, upstream=model.url), room, turns=1)
    assert call.outcome == Broke("budget")
    assert call.usage.requests == len(model.log) == 24


@pytest.mark.parametrize(
    ("agent", "refused"),
    [
        pytest.param(made(), Refused("config", "the agent has no command"), id="no command"),
        pytest.param(made("no-such-agent"), Refused("config", "'no-such-agent' is not on PATH"), id="not there"),
        pytest.param(made("sh", key="", upstream="http://x"), Refused("auth", "MY_KEY is not set"), id="no key"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_starts(agent: AnyCommand, refused: Refused, room: Room) -> None:
    assert fix(agent, room) == AgentCall(refused)
    assert not Path(room.tree).parent.joinpath("attempt-1").exists()
    facts = agent.facts()
    assert facts.detail == refused.detail
    assert (facts.found, facts.login) == (refused.why != "config", refused.why != "auth")
