"""The real Claude Code in the real box against a scripted model: edits, limits, endings, and the tools it offers."""

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from reknit.adapters import registry
from reknit.core.agent_call import AgentCall, AgentOrder, AgentSettings, Broke, Done, Limited, Refused
from reknit.core.box import Room
from reknit.core.gateway import OVER_BUDGET
from reknit.core.strategy import Strategy
from tests.tools.claude_binary import binary
from tests.tools.scripted_model import ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

CANARY = "sk-ant-canary-REAL-key-7f3a91"
BROKEN, FIXED = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
# The bracket keeps the search from finding itself in a command line.
LOOK_FOR_THE_KEY = (
    "(env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; grep -rs 'canary-RE[A]L' /home /tmp /run /etc .) 2>/dev/null "
    "| grep -ac 'canary-RE[A]L' > hits; true"
)
BURN_REQUESTS = """
import os, urllib.error, urllib.request
request = urllib.request.Request(
    os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", b"{}", {"x-api-key": os.environ["ANTHROPIC_API_KEY"]}
)
try:
    while True: urllib.request.urlopen(request).read()
except urllib.error.HTTPError as refused:
    print(refused.code)
"""
WORK_TOOLS = {"Agent", "Bash", "Edit", "NotebookEdit", "Read", "Write"}
PLACEHOLDER = "DeferredToolPlaceholder"
"""An empty tool that the CLI adds of itself."""


def call_of(tool: str, **arguments: object) -> Turn:
    return {"tools": [{"name": tool, "input": arguments}]}


@pytest.fixture
def room(tmp_path: Path) -> Room:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "calc.py").write_text(BROKEN)
    return Room(str(tmp_path / "repository"), str(tmp_path / "tree"))


def settings(model: str = "") -> AgentSettings:
    return AgentSettings("claude", "claude", binary=binary(), model=model)


def fix(
    turns: Sequence[Turn],
    room: Room,
    *,
    strategy: Strategy = "local",
    allowed_turns: int = 10,
    idle_s: float = 60.0,
    budget_usd: float = 5.0,
) -> tuple[AgentCall, ScriptedModel]:
    folder = str(Path(room.tree).parent / "attempt-1")
    order = AgentOrder("r", 1, strategy, "Fix it.", 90.0, idle_s, allowed_turns, budget_usd, folder)
    with ScriptedModel(turns=turns) as model:
        environment = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": CANARY, "ANTHROPIC_BASE_URL": model.url}
        agent = registry.agent(settings(), environment=environment)
        return asyncio.run(agent.fix(order, room, registry.box("bubblewrap"))), model


def edit(room: Room) -> list[Turn]:
    file = f"{room.repository}/calc.py"
    return [
        call_of("Read", file_path=file),
        call_of("Edit", file_path=file, old_string="a - b", new_string="a + b"),
    ]


def test_it_edits_the_tree_and_never_sees_the_key(room: Room) -> None:
    look = call_of("Bash", command=LOOK_FOR_THE_KEY, description="look")
    call, model = fix([*edit(room), look, {"text": "Fixed."}], room)
    assert (call.outcome, call.said, call.refusals) == (Done(), "Fixed.", ())
    assert Path(room.tree, "calc.py").read_text() == FIXED
    assert Path(room.repository, "calc.py").read_text() == BROKEN
    assert Path(room.tree, "hits").read_text() == "0\n"
    assert (call.usage.requests, call.usage.input_tokens, call.usage.output_tokens) == (4, 400, 80)
    assert call.usage.cost_usd > 0
    assert {request.headers["x-api-key"] for request in model.log} == {CANARY}
    folder = Path(room.tree).parent
    held = [path for path in folder.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    assert held == []
    assert "Fixed." in (folder / "attempt-1/transcript.jsonl").read_text()


@pytest.mark.parametrize(("strategy", "extra"), [("local", set()), ("search", {"WebSearch"}), ("deep", set())])
def test_the_tools_it_offers(strategy: Strategy, extra: set[str], room: Room) -> None:
    call, model = fix([{"text": "Nothing to do."}], room, strategy=strategy)
    assert call.outcome == Done()
    assert set(model.work[0].tools) - {PLACEHOLDER} == WORK_TOOLS | extra
    assert model.work[0].tool_types == {"custom"}


def test_a_search_is_run_by_the_vendor_and_passes_in_its_strategy_only(room: Room) -> None:
    turns: list[Turn] = [call_of("WebSearch", query="python add"), {"text": "found"}, {"text": "Done."}]
    call, model = fix(turns, room, strategy="search")
    assert (call.outcome, call.refusals) == (Done(), ())
    assert model.log[1].tool_types == {"web_search_20250305"}
    call, model = fix(turns, room, strategy="local")
    assert all(request.tool_types == {"custom"} for request in model.log)


def test_a_rate_limit_comes_back_at_once_with_its_time(room: Room) -> None:
    before = time.time()
    call, model = fix([{"status": 429, "headers": {"retry-after": "900"}, "repeat": True}], room)
    assert isinstance(call.outcome, Limited)
    assert call.outcome.why == "rate_limited"
    assert call.outcome.until is not None
    assert before + 900 <= call.outcome.until <= time.time() + 900
    assert len(model.work) == 1


def test_an_overload_comes_back_at_once(room: Room) -> None:
    call, model = fix([{"status": 529, "repeat": True}], room)
    assert call.outcome == Limited("overloaded")
    assert len(model.work) == 1


def test_an_overload_inside_the_stream(room: Room) -> None:
    assert fix([{"sse_error": "overloaded_error", "repeat": True}], room)[0].outcome == Limited("overloaded")


def test_a_stream_that_is_cut_is_not_taken_for_the_end(room: Room) -> None:
    call, _ = fix([{"text": "half of it", "drop": True}, *edit(room), {"text": "Fixed."}], room)
    assert call.outcome == Done()
    assert Path(room.tree, "calc.py").read_text() == FIXED


def test_a_key_that_is_not_accepted(room: Room) -> None:
    call, _ = fix([{"status": 401, "error": "invalid x-api-key", "repeat": True}], room)
    assert isinstance(call.outcome, Refused)
    assert call.outcome.why == "auth"
    assert "Invalid API key" in call.outcome.detail


def test_the_turns_run_out(room: Room) -> None:
    look = call_of("Bash", command="true", description="look")
    call, _ = fix([{**look, "repeat": True}], room, allowed_turns=2)
    assert call.outcome == Broke("turn_limit")
    assert call.usage.requests > 0


def test_the_money_runs_out(room: Room) -> None:
    look = call_of("Bash", command="true", description="look")
    call, _ = fix([{**look, "usage": {"input": 1000, "output": 1000}, "repeat": True}], room, budget_usd=0.01)
    assert call.outcome == Broke("budget")
    assert call.usage.cost_usd >= 0.01


def test_what_else_runs_in_the_box_meets_the_gateways_own_budget(room: Room) -> None:
    """And the CLI's next request, refused with 403, is not taken for a missing login."""
    burn = call_of("Bash", command=f"python3 -c '{BURN_REQUESTS}'", description="burn")
    call, _ = fix([burn, {"text": "Done."}], room, allowed_turns=2)
    assert call.outcome == Broke("budget")
    assert call.usage.requests == 4 * 2 + 20
    assert OVER_BUDGET in call.refusals


def test_silence_ends_it(room: Room) -> None:
    call, model = fix([{"hang": True}], room, idle_s=8.0)
    assert call.outcome == Broke("idle")
    assert len(model.work) == 1


def test_a_killed_cli_is_a_crash_and_what_it_used_is_counted(room: Room) -> None:
    kill = call_of("Bash", command="kill -9 $(pgrep -x claude || echo $PPID)", description="kill")
    call, _ = fix([*edit(room), kill, {"text": "Fixed."}], room)
    assert isinstance(call.outcome, Broke)
    assert call.outcome.why == "crashed"
    assert call.usage.input_tokens == 300
    assert Path(room.tree, "calc.py").read_text() == FIXED


def test_an_address_without_a_model(room: Room) -> None:
    with ScriptedModel() as gone:
        url = gone.url
    order = AgentOrder("r", 1, "local", "Fix it.", 90.0, 60.0, 5, 1.0, str(Path(room.tree).parent / "attempt-1"))
    environment = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": CANARY, "ANTHROPIC_BASE_URL": url}
    agent = registry.agent(settings(), environment=environment)
    call = asyncio.run(agent.fix(order, room, registry.box("bubblewrap")))
    assert call.outcome == Limited("unreachable")


def test_facts_ask_no_model() -> None:
    with ScriptedModel() as model:
        environment = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": CANARY, "ANTHROPIC_BASE_URL": model.url}
        facts = registry.agent(settings(), environment=environment).facts()
    assert (facts.found, facts.login) == (True, True)
    assert facts.version.count(".") == 2
    assert model.log == []
