"""Any command as an agent, in the real box, with and without a model behind the gateway."""

import asyncio
import functools
import os
from pathlib import Path

import pytest

from reknit.adapters.agents.any_command import AnyCommand
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.gateway.server import ModelGateway
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import Aborted, AgentCall, AgentOrder, AgentSettings, Done, Outcome, RateLimited, Unusable
from reknit.core.agents.strategy import Strategy
from reknit.core.box import BoxView
from reknit.core.gateway.access import TOO_MANY
from tests.tools.gateway_client import PRICES, PaperClerk
from tests.tools.scripted_model import ScriptedModel

KEY = "sk-real-canary-0815"
ASK = """
import json, os, sys, urllib.error, urllib.request
tools = json.loads(os.environ.get("TOOLS", '[{"name": "Bash"}]'))
body = json.dumps({"model": "m", "messages": [], "tools": tools, "metadata": {"user_id": sys.stdin.read()}}).encode()
request = urllib.request.Request(os.environ["BASE"] + "/v1/messages", body, {"x-api-key": os.environ["KEY"]})
try:
    print(json.load(urllib.request.urlopen(request))["content"][0]["text"])
except urllib.error.HTTPError as problem:
    print(problem.code, problem.read().decode())
    sys.exit(1)
"""


def made(*argv: str, key: str = KEY, upstream: str = "", provider: str = "", **env: str) -> AnyCommand:
    settings = AgentSettings(
        "a",
        "any_command",
        command=argv,
        upstream=upstream,
        key_env="MY_KEY" if upstream else "",
        provider=provider,
        env=(("BASE", "{gateway}"), ("KEY", "{token}"), *env.items()),
    )
    environment = {"PATH": os.environ["PATH"], "MY_KEY": key}
    return AnyCommand(settings, environment=environment, make_gateway=functools.partial(ModelGateway, prices=PRICES))


def work(
    agent: AnyCommand,
    view: BoxView,
    strategy: Strategy = "local",
    *,
    turns: int = 5,
    role: Role = "fix",
    budget_usd: float = 1.0,
) -> AgentCall:
    folder = str(Path(view.tree).parent / "attempt-1")
    order = AgentOrder("r", 1, strategy, "Fix é.", 30, 30, turns, budget_usd, folder, role)
    return asyncio.run(agent.work(order, view, Bubblewrap(), PaperClerk()))


def test_the_prompt_comes_on_stdin_and_the_box_knows_no_key(view: BoxView) -> None:
    call = work(made("sh", "-c", "cat > prompt; env; echo '\x1b[1mbye'"), view)
    assert call.outcome == Done()
    assert Path(view.tree, "prompt").read_text(encoding="utf-8") == "Fix é."
    assert call.last_message.endswith("\nbye")
    transcript = Path(view.tree).parent.joinpath("attempt-1/transcript.txt").read_text()
    assert KEY not in transcript
    assert "MY_KEY" not in transcript


def test_a_model_is_reached_through_the_gateway(view: BoxView) -> None:
    with ScriptedModel(turns=[{"text": "hello"}]) as model:
        call = work(made("python3", "-c", ASK, upstream=model.url), view)
    assert (call.outcome, call.last_message) == (Done(), "hello")
    assert (call.usage.requests, call.usage.input_tokens, call.usage.output_tokens) == (1, 100, 20)
    (request,) = model.log
    assert request.headers["x-api-key"] == KEY
    assert request.body["metadata"]["user_id"] == "Fix é."


def test_search_is_open_in_its_strategy_only(view: BoxView) -> None:
    tools = '[{"type": "web_search_20250305", "name": "web_search"}]'
    with ScriptedModel(turns=[{"text": "found"}]) as model:
        agent = made("python3", "-c", ASK, upstream=model.url, TOOLS=tools)
        refused = work(agent, view, "local")
        assert refused.outcome == Aborted("crashed", "exit code 1")
        assert refused.refusals == ("tool run by the vendor not allowed: web_search_20250305",)
        assert work(agent, view, "search").last_message == "found"


@pytest.mark.parametrize(
    ("turn", "outcome"),
    [
        pytest.param(
            {"status": 429, "headers": {"retry-after": "Wed, 18 May 2033 03:33:20 GMT"}},
            RateLimited("rate_limited", 2e9),
            id="429",
        ),
        pytest.param({"status": 529}, RateLimited("overloaded"), id="529"),
    ],
)
@pytest.mark.parametrize("code", [0, 1])
def test_limits_come_from_the_gateway(turn: dict[str, object], outcome: Outcome, code: int, view: BoxView) -> None:
    """Also when the command ends well all the same, as some do."""
    ask = ASK.replace("sys.exit(1)", f"sys.exit({code})")
    with ScriptedModel(turns=[turn]) as model:
        assert work(made("python3", "-c", ask, upstream=model.url), view).outcome == outcome


@pytest.mark.parametrize(("status", "code", "why"), [(400, 1, "bad_request"), (401, 1, "auth"), (401, 0, "auth")])
def test_a_refusal_of_the_model_comes_with_the_commands_words(status: int, code: int, why: str, view: BoxView) -> None:
    ask = ASK.replace("sys.exit(1)", f"sys.exit({code})")
    with ScriptedModel(turns=[{"status": status}]) as model:
        outcome = work(made("python3", "-c", ask, upstream=model.url), view).outcome
    assert isinstance(outcome, Unusable)
    assert outcome.why == why
    assert str(status) in outcome.detail


def test_too_many_requests_are_told_apart(view: BoxView) -> None:
    many = ASK.replace("try:", "for _ in range(99): urllib.request.urlopen(request).read()\ntry:")
    with ScriptedModel(turns=[{"text": "on", "repeat": True}]) as model:
        call = work(made("python3", "-c", many, upstream=model.url), view, turns=1)
    assert call.outcome == Aborted("turn_limit", TOO_MANY)
    assert call.usage.requests == len(model.log) == 24


@pytest.mark.parametrize(
    ("agent", "refused"),
    [
        pytest.param(made(), Unusable("config", "the agent has no command"), id="no command"),
        pytest.param(made("no-such-agent"), Unusable("config", "'no-such-agent' is not on PATH"), id="not there"),
        pytest.param(
            made("sh", provider="acme"),
            Unusable("config", "'acme' is not a provider; available: anthropic, gemini, openai, openai_chat"),
            id="a wire nobody speaks",
        ),
        pytest.param(made("sh", key="", upstream="http://x"), Unusable("login", "MY_KEY is not set"), id="no key"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_starts(
    agent: AnyCommand, refused: Unusable, view: BoxView
) -> None:
    assert work(agent, view) == AgentCall(refused)
    assert not Path(view.tree).parent.joinpath("attempt-1").exists()
    facts = agent.read_facts()
    assert facts.detail == refused.detail
    assert (facts.is_installed, facts.login) == (refused.why != "config", refused.why != "login")


def test_it_speaks_the_wire_it_is_set_to(view: BoxView) -> None:
    ask = (
        ASK.replace("/v1/messages", "/v1/chat/completions")
        .replace('["content"][0]["text"]', '["choices"]')
        .replace('[{"name": "Bash"}]', '[{"type": "function", "function": {"name": "Bash"}}]')
    )
    with ScriptedModel(turns=[{"text": "hello"}]) as model:
        agent = made("python3", "-c", ask, upstream=model.url, provider="openai_chat")
        call = work(agent, view)
    assert (call.outcome, call.usage.requests) == (Done(), 1)
    assert model.log[0].headers["authorization"] == f"Bearer {KEY}"
    assert agent.account.startswith("openai_chat:")


def test_a_reviewer_owes_a_report_and_cannot_write(view: BoxView) -> None:
    call = work(made("sh", "-c", "touch x"), view, role="review")
    assert isinstance(call.outcome, Aborted)
    assert call.outcome.why == "crashed"
    assert not Path(view.tree, "x").exists()
    assert work(made("true"), view, role="review").outcome == Aborted("invalid_output", "no report received")


def test_nothing_is_left_to_spend(view: BoxView) -> None:
    agent = made("true", upstream="http://127.0.0.1:9")
    assert work(agent, view, budget_usd=0).outcome == Aborted("budget", "nothing is left to spend")
    assert work(made("true"), view, budget_usd=0).outcome == Done()
    assert made("true").account == ""
