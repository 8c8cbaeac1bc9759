"""The Claude adapter with a stand-in for its CLI in the real box; the real CLI is tried in tests/e2e."""

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest

from reknit.adapters.agents.claude import Claude
from reknit.adapters.boxes.bubblewrap import Bubblewrap
from reknit.adapters.boxes.host import HostBox
from reknit.adapters.gateway import ModelGateway
from reknit.core.agent_call import AgentCall, AgentOrder, AgentSettings, Broke, Done, Limited, Refused, Usage
from reknit.core.box import Room
from reknit.core.metering import dearest_usd
from reknit.core.strategy import Strategy
from reknit.ports import Box
from tests.tools.scripted_model import ScriptedModel

KEY = "sk-real-canary-2342"
PLAIN = AgentSettings("c", "claude")
RESULT = {
    "type": "result", "subtype": "success", "is_error": False, "result": "Fixed.", "total_cost_usd": 0.5,
    "modelUsage": {"m": {"inputTokens": 7, "outputTokens": 3, "cacheReadInputTokens": 2}},
}  # fmt: skip
TELL = f"""#!/usr/bin/python3
import json, os, sys
json.dump({{"argv": sys.argv[1:], "env": dict(os.environ), "prompt": sys.stdin.read()}}, open("told", "w"))
print({json.dumps(json.dumps(RESULT))})
"""
ASK = """#!/usr/bin/python3
import json, os, urllib.request
body = json.dumps({"model": "m", "messages": [], "tools": [{"name": "Bash"}]}).encode()
headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"]}
urllib.request.urlopen(urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body, headers)).read()
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def room(tmp_path: Path) -> Room:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
    return Room(str(tmp_path / "repository"), str(tmp_path / "tree"))


def install(room: Room, program: str) -> str:
    """The program as `claude`, by a link, in a folder that can be a PATH."""
    folder = Path(room.tree).parent / "bin"
    folder.mkdir()
    real = folder / "claude-1.2.3"
    real.write_text(program)
    real.chmod(0o755)
    (folder / "claude").symlink_to(real)
    return str(folder)


def made(
    path: str,
    *,
    key: str = KEY,
    upstream: str = "http://127.0.0.1:9",
    settings: AgentSettings = PLAIN,
) -> Claude:
    environment = {"PATH": path, "ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": upstream}
    return Claude(settings, environment=environment, make_gateway=ModelGateway)


def fix(
    agent: Claude,
    room: Room,
    *,
    strategy: Strategy = "local",
    idle_s: float = 30,
    budget_usd: float = 2.0,
    box: Box | None = None,
) -> AgentCall:
    folder = str(Path(room.tree).parent / "attempt-1")
    order = AgentOrder("r", 1, strategy, "Fix é.", 30, 30, turns=7, budget_usd=budget_usd, folder=folder)
    return asyncio.run(agent.fix(order, room, box or Bubblewrap()))


def test_the_command_line_the_environment_and_the_answer(room: Room) -> None:
    call = fix(made(install(room, TELL), settings=AgentSettings("c", "claude", model="opus", effort="high")), room)
    assert (call.outcome, call.said, call.refusals) == (Done(), "Fixed.", ())
    assert call.usage == Usage(input_tokens=7, cached_tokens=2, output_tokens=3, cost_usd=0.5)
    told = json.loads(Path(room.tree, "told").read_text())
    assert told["prompt"] == "Fix é."
    assert told["argv"] == [
        *("-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"),
        *("--setting-sources", "", "--strict-mcp-config", "--no-session-persistence"),
        *("--max-turns", "7", "--max-budget-usd", "2.0000"),
        *("--tools", "Agent,Bash,Edit,NotebookEdit,Read,Write", "--disallowedTools", "WebFetch,WebSearch"),
        *("--model", "opus", "--effort", "high"),
    ]
    assert told["env"]["ANTHROPIC_BASE_URL"].startswith("http://127.0.0.1:")
    assert told["env"]["CLAUDE_CODE_MAX_RETRIES"] == "0"
    assert told["env"]["ANTHROPIC_API_KEY"] not in ("", KEY)
    assert KEY not in json.dumps(told)
    transcript = Path(room.tree).parent / "attempt-1/transcript.jsonl"
    assert json.loads(transcript.read_text()) == RESULT


def test_search_is_offered_in_its_strategy_only(room: Room) -> None:
    agent = made(install(room, TELL))
    offers: dict[Strategy, str] = {"search": "WebFetch", "deep": "WebFetch,WebSearch"}
    for strategy, never in offers.items():
        fix(agent, room, strategy=strategy)
        argv = json.loads(Path(room.tree, "told").read_text())["argv"]
        assert ("WebSearch" in argv[argv.index("--tools") + 1]) is (strategy == "search")
        assert argv[argv.index("--disallowedTools") + 1] == never


def test_without_walls_the_cli_keeps_its_own(room: Room) -> None:
    fix(made(install(room, TELL)), room, box=HostBox())
    argv = json.loads(Path(room.tree, "told").read_text())["argv"]
    assert argv[argv.index("--permission-mode") + 1] == "acceptEdits"


def test_a_killed_call_is_counted_by_the_gateway(room: Room) -> None:
    with ScriptedModel(turns=[{"text": "a", "usage": {"input": 5, "output": 6, "cached": 7}}]) as model:
        call = fix(made(install(room, ASK), upstream=model.url), room)
    assert call.outcome == Broke("crashed")
    counted = Usage(input_tokens=5, cached_tokens=7, output_tokens=6, requests=1)
    assert call.usage == dataclasses.replace(counted, cost_usd=dearest_usd(counted))
    assert model.log[0].headers["x-api-key"] == KEY


def test_a_limit_is_timed_by_the_gateway(room: Room) -> None:
    failed = json.dumps({**RESULT, "is_error": True, "api_error_status": 429})
    program = ASK.replace("urllib.request.urlopen", "try: urllib.request.urlopen").replace(
        "os.kill(os.getpid(), 9)", f"except Exception: print({failed!r}); raise SystemExit(1)"
    )
    turn = {"status": 429, "headers": {"retry-after": "Wed, 18 May 2033 03:33:20 GMT"}}
    with ScriptedModel(turns=[turn]) as model:
        call = fix(made(install(room, program), upstream=model.url), room)
    assert call.outcome == Limited("rate_limited", 2e9)


def test_what_cannot_work_is_refused_before_anything_starts(room: Room) -> None:
    path = install(room, TELL)
    no_key = Refused("auth", "ANTHROPIC_API_KEY is not set: export a key, or set the agent's key_env")
    assert fix(made(path, key=""), room) == AgentCall(no_key)
    assert fix(made(path, settings=AgentSettings("c", "claude", key_env="OTHER")), room).outcome == Refused(
        "auth", no_key.detail.replace("ANTHROPIC_API_KEY", "OTHER")
    )
    assert fix(made(path), room, budget_usd=0).outcome == Broke("budget", "nothing is left to spend")
    missing = fix(made("/nowhere"), room).outcome
    assert isinstance(missing, Refused)
    assert missing.why == "config"
    assert not Path(room.tree, "told").exists()


def test_facts(room: Room) -> None:
    folder = install(
        room, '#!/bin/sh\n[ "$1" = --version ] && echo \'1.2.3 (Claude Code)\'\n[ -z "$ANTHROPIC_API_KEY" ]\n'
    )
    facts = made(folder).facts()
    assert (facts.found, facts.version, facts.login, facts.detail) == (True, "1.2.3", True, "")
    assert facts.extra == {"binary": f"{folder}/claude-1.2.3"}
    assert made(folder, key="").facts().login is False
    assert "ANTHROPIC_API_KEY" in made(folder, key="").facts().detail
    assert made("/nowhere").facts().found is False
    assert made("", settings=AgentSettings("c", "claude", binary=f"{folder}/claude")).facts().version == "1.2.3"


def test_a_binary_that_does_not_start_is_not_found(room: Room) -> None:
    facts = made(install(room, "#!/nowhere/sh\n")).facts()
    assert facts.found is False
    assert "could not be started" in facts.detail
