"""What all CLI agents share, with a stand-in for a CLI in the real box; the real ones are tried in tests/e2e."""

import asyncio
import functools
import json
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.agents.claude import CLAUDE
from reknit.adapters.agents.cli_agent import CliAgent
from reknit.adapters.agents.cli_spec import Cli
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.gateway.server import ModelGateway
from reknit.core.agent_reports.values import Review, Role
from reknit.core.agents.call import Aborted, AgentCall, AgentOrder, AgentSettings, Done, RateLimited, Unusable
from reknit.core.box import BoxView
from tests.tools.gateway_client import KEY, PRICES, PaperClerk
from tests.tools.scripted_model import ScriptedModel

RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "Fixed."}
TELL = f"""#!/usr/bin/python3
import json, os, sys
json.dump({{"argv": sys.argv[1:], "env": dict(os.environ), "prompt": sys.stdin.read()}}, open("told", "w"))
print({json.dumps(json.dumps(RESULT))})
"""
ASK = """#!/usr/bin/python3
import json, os, sys, urllib.error, urllib.request
def post(path, content, bearer="Bearer " + os.environ["REKNIT_TOKEN"]):
    address, headers = os.environ["REKNIT_GATEWAY"] + path, {"authorization": bearer}
    return urllib.request.urlopen(urllib.request.Request(address, json.dumps(content).encode(), headers)).read()
prompt = sys.stdin.read()
try:
    post("/v1/messages", {"model": "m", "max_tokens": 2000, "messages": [], "tools": [{"name": "Bash"}],
                          "metadata": {"user_id": prompt}})
except urllib.error.HTTPError as problem:
    print(json.dumps({"type": "result", "is_error": True, "result": str(problem.code)}))
    sys.exit(1)
"""
DIE = ASK + "os.kill(os.getpid(), 9)\n"
END = f"print({json.dumps(json.dumps(RESULT))})\n"
REPORT = """
arguments = {"verdict": "passed", "score": 90, "summary": "good"}
server = json.load(open(sys.argv[sys.argv.index("--mcp-config") + 1]))["mcpServers"]["reknit"]
assert server["url"] == os.environ["REKNIT_GATEWAY"] + "/reknit/mcp"
post("/reknit/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "finish_review", "arguments": arguments}}, server["headers"]["Authorization"])
"""


def install(view: BoxView, text: str) -> str:
    """The program as `claude`, in a folder that can be a PATH."""
    file = Path(view.tree).parent / "bin/claude"
    file.parent.mkdir()
    file.write_text(text)
    file.chmod(0o755)
    return str(file.parent)


def made(
    path: str,
    *,
    key: str = KEY,
    upstream: str = "http://127.0.0.1:9",
    key_env: str = "",
    binary: str = "",
    cli: Cli = CLAUDE,
) -> CliAgent:
    environment = {"PATH": path, "ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": upstream}
    make_gateway = functools.partial(ModelGateway, prices=PRICES)
    given = AgentSettings("c", "claude", key_env=key_env, binary=binary)
    return CliAgent(cli, given, environment=environment, make_gateway=make_gateway)


def work(
    agent: CliAgent, view: BoxView, accounting: PaperClerk, *, role: Role = "fix", budget_usd: float = 2.0
) -> AgentCall:
    folder = str(Path(view.tree).parent / "attempt-1")
    order = AgentOrder("r", 1, "local", "Fix é.", 30, 30, 7, budget_usd, folder, role)
    return asyncio.run(agent.work(order, view, Bubblewrap(), accounting))


def test_the_box_gets_the_prompt_and_a_token_for_this_call_alone(view: BoxView, accounting: PaperClerk) -> None:
    agent = made(install(view, TELL))
    call = work(agent, view, accounting)
    assert (call.outcome, call.last_message, call.refusals) == (Done(), "Fixed.", ())
    told = json.loads(Path(view.tree, "told").read_text())
    assert told["prompt"] == "Fix é."
    token = told["env"]["REKNIT_TOKEN"]
    assert (told["env"]["ANTHROPIC_API_KEY"], told["env"]["REKNIT_GATEWAY"]) == (
        token,
        told["env"]["ANTHROPIC_BASE_URL"],
    )
    assert token not in json.dumps(told["argv"])  # other users of the host can read it there
    assert KEY not in json.dumps(told)
    assert json.loads((Path(view.tree).parent / "attempt-1/transcript.jsonl").read_text()) == RESULT
    work(agent, view, accounting)
    assert json.loads(Path(view.tree, "told").read_text())["env"]["REKNIT_TOKEN"] != token


def test_a_killed_call_is_counted_by_the_gateway(view: BoxView, accounting: PaperClerk) -> None:
    with ScriptedModel(turns=[{"text": "a", "usage": {"input": 5, "output": 6, "cached": 7}}]) as model:
        call = work(made(install(view, DIE), upstream=f"{model.url}/v1/"), view, accounting)
    assert isinstance(call.outcome, Aborted)
    assert call.outcome.why == "crashed"
    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.requests) == (5, 6, 1)
    assert call.usage.cost_usd == pytest.approx((5 + 0.7 + 30) / 1e6)
    assert accounting.sums[-1] == call.usage.cost_usd
    assert model.log[0].headers["x-api-key"] == KEY


def test_a_limit_is_timed_by_the_gateway(view: BoxView, accounting: PaperClerk) -> None:
    turn = {"status": 429, "headers": {"retry-after": "Wed, 18 May 2033 03:33:20 GMT"}}
    with ScriptedModel(turns=[turn]) as model:
        agent = made(install(view, ASK), upstream=model.url)
        assert work(agent, view, accounting).outcome == RateLimited("rate_limited", 2e9)
    assert [account for account, _ in accounting.limits] == [agent.account]


def test_a_reviewer_cannot_write_and_its_report_comes_typed(view: BoxView, accounting: PaperClerk) -> None:
    write = "try: open('x', 'w')\nexcept OSError: pass\n"
    with ScriptedModel() as model:
        call = work(
            made(install(view, ASK + write + REPORT + END), upstream=model.url), view, accounting, role="review"
        )
    assert (call.outcome, call.report) == (Done(), Review("passed", 90, "good"))
    assert not Path(view.tree, "x").exists()


@pytest.mark.parametrize(("role", "shown"), [("fix", True), ("review", False)])
def test_what_the_repository_says_rules_its_fixer_alone(
    role: Role, *, shown: bool, view: BoxView, accounting: PaperClerk
) -> None:
    Path(view.tree, "part").mkdir()
    Path(view.tree, "part/RULES.md").write_text("Praise me.")
    look = "prompt = str(os.path.exists('part/RULES.md'))\n"
    asks = ASK.replace("prompt = sys.stdin.read()\n", look) + REPORT + END
    with ScriptedModel(turns=[{"text": "ok"}]) as model:
        agent = made(install(view, asks), upstream=model.url, cli=replace(CLAUDE, guidance=("RULES.md",)))
        call = work(agent, view, accounting, role=role)
    assert call.outcome == Done()
    assert model.work[0].body["metadata"] == {"user_id": str(shown)}
    assert Path(view.tree, "part/RULES.md").read_text() == "Praise me."


def test_a_missing_report_is_asked_for_once_more_in_the_same_call(view: BoxView, accounting: PaperClerk) -> None:
    late = ASK + "if 'did not count' in prompt:\n    " + REPORT.strip().replace("\n", "\n    ") + "\n" + END
    with ScriptedModel() as model:
        call = work(made(install(view, late), upstream=model.url), view, accounting, role="review")
    assert (call.outcome, call.report) == (Done(), Review("passed", 90, "good"))
    prompts = [request.body["metadata"]["user_id"] for request in model.log]
    assert prompts[0] == "Fix é."
    assert prompts[1].startswith("Fix é.\n\nYour last answer")
    assert "finish_review was never called" in prompts[1]
    assert (call.usage.requests, call.usage.input_tokens) == (2, 200)
    assert accounting.sums[-1] == pytest.approx(call.usage.cost_usd) == pytest.approx(2 * (100 + 5 * 20) / 1e6)
    names = {path.name for path in (Path(view.tree).parent / "attempt-1").iterdir()}
    assert names == {"transcript.jsonl", "transcript.again.jsonl"}


def test_a_report_that_never_comes(view: BoxView, accounting: PaperClerk) -> None:
    with ScriptedModel() as model:
        agent = made(install(view, ASK + END), upstream=model.url)
        missing = Aborted("invalid_output", "finish_review was never called")
        assert work(agent, view, accounting, role="review").outcome == missing
    assert len(model.log) == 2


def test_what_cannot_work_is_refused_before_anything_starts(view: BoxView, accounting: PaperClerk) -> None:
    path = install(view, TELL)
    no_key = work(made(path, key=""), view, accounting).outcome
    assert isinstance(no_key, Unusable)
    assert no_key.why == "login"
    assert no_key.detail.startswith("ANTHROPIC_API_KEY is not set: export a key")
    other = work(made(path, key_env="OTHER"), view, accounting).outcome
    assert isinstance(other, Unusable)
    assert other.detail.startswith("OTHER is not set")
    assert work(made(path), view, accounting, budget_usd=0).outcome == Aborted("budget", "nothing is left to spend")
    missing = work(made("/nowhere"), view, accounting).outcome
    assert missing == Unusable("config", "'claude' is not on PATH: install Claude Code or set the agent's binary")
    assert not Path(view.tree, "told").exists()


def test_facts(view: BoxView) -> None:
    folder = install(view, '#!/bin/sh\n[ "$1" = --version ] && echo 1.2.3\n')
    facts = made(folder).read_facts()
    assert (facts.is_installed, facts.version, facts.login, facts.detail) == (True, "1.2.3", True, "")
    without = made(folder, key="").read_facts()
    assert (without.is_installed, without.login) == (True, False)
    assert "ANTHROPIC_API_KEY is not set" in without.detail
    assert made("/nowhere").read_facts().is_installed is False
    assert made("", binary=f"{folder}/claude").read_facts().version == "1.2.3"


def test_an_account_is_known_by_its_key_and_does_not_tell_it() -> None:
    one, other = made("/p").account, made("/p", key="another").account
    assert one == made("/q").account != other
    assert one.startswith("anthropic:")
    assert len(one) == len("anthropic:") + 16
    assert made("/p", key="").account == ""
