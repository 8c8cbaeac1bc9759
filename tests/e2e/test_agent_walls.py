"""What the real CLIs can reach: the vendor's search in its strategy alone, no money beyond the cap, no login."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from reknit.adapters import registry
from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import Aborted, AgentOrder, Done
from reknit.core.box import BoxView
from reknit.core.gateway.access import TOO_MANY, compute_request_limit
from tests.e2e.conftest import Recorder
from tests.e2e.real_agents import CASTS, LOOK_FOR_THE_KEY, Cast, agent_of, call_of, play
from tests.tools.gateway_client import PaperClerk
from tests.tools.scripted_model import ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

BURN_REQUESTS = """
import os, urllib.error, urllib.request
address, token = os.environ["REKNIT_GATEWAY"], os.environ["REKNIT_TOKEN"]
body = b'{"model": "m", "max_tokens": 2000, "messages": []}'
try:
    while True:
        urllib.request.urlopen(urllib.request.Request(address + "/v1/messages", body, {"x-api-key": token})).read()
except urllib.error.HTTPError as refused:
    print(refused.code)
"""
LOGIN = "sk-ant-oat01-canary-REAL-login"
DONE: Turn = {"text": "Done."}


@pytest.mark.parametrize(
    ("name", "search", "kind"),
    [
        pytest.param("claude", call_of("WebSearch", query="python add"), "web_search_20250305", id="claude"),
        pytest.param("gemini", call_of("google_web_search", query="python add"), "googleSearch", id="gemini"),
        pytest.param("codex", DONE, "web_search", id="codex"),
    ],
)
def test_a_search_is_run_by_the_vendor_in_its_strategy_only(name: str, search: Turn, kind: str, view: BoxView) -> None:
    played = play(CASTS[name], [search, {"text": "found"}, DONE], view, strategy="search")
    assert (played.call.outcome, played.call.refusals) == (Done(), ())
    assert any(kind in request.tool_types for request in played.model.log)
    played = play(CASTS[name], [search, DONE], view, strategy="local")
    assert played.call.outcome == Done()
    assert not any(kind in request.tool_types for request in played.model.log)


def test_what_else_runs_in_the_box_meets_the_gateways_own_budget(view: BoxView, record: Recorder) -> None:
    """And the CLI's next request, refused with 403, is not taken for a missing login."""
    Path(view.tree, "burn.py").write_text(BURN_REQUESTS)
    played = play(CASTS["claude"], [CASTS["claude"].shell("python3 burn.py"), DONE], view, allowed_turns=2)
    call = record("claude", "another process in the box used up the requests", played.call)
    assert call.outcome == Aborted("turn_limit", TOO_MANY)
    assert call.usage.requests == compute_request_limit(2)
    assert TOO_MANY in call.refusals


def log_in(home: Path) -> str:
    (home / ".claude").mkdir(parents=True)
    login = {
        "accessToken": LOGIN,
        "refreshToken": "sk-ant-ort01-canary-REAL",
        "expiresAt": int((time.time() + 3600) * 1000),
        "scopes": ["user:inference", "user:profile"],
        "subscriptionType": "max",
    }
    (home / ".claude/.credentials.json").write_text(json.dumps({"claudeAiOauth": login}))
    return str(home)


def test_a_login_of_the_cli_is_used_and_stays_outside_the_box(view: BoxView, tmp_path: Path) -> None:
    cast: Cast = CASTS["claude"]
    Path(view.tree, "look.sh").write_text(LOOK_FOR_THE_KEY)
    order = AgentOrder("r", 1, "local", "Do it.", 60, 60, 5, 1.0, str(tmp_path / "attempt-1"))
    with ScriptedModel(turns=[cast.shell("sh look.sh"), DONE]) as model:
        agent = agent_of(cast, model.url, key="", home=log_in(tmp_path / "home"))
        facts = agent.read_facts()
        call = asyncio.run(agent.work(order, view, registry.make_box("bubblewrap"), PaperClerk()))
    assert facts.login
    assert "weaker than a key" in facts.warning
    assert call.outcome == Done()
    assert {request.headers["authorization"] for request in model.work} == {f"Bearer {LOGIN}"}
    assert not any("x-api-key" in request.headers for request in model.work)
    assert Path(view.tree, "hits").read_text() == "0\n"


FORGED = "the words of the repository"
PLANTED = {
    ".gemini/settings.json": json.dumps(
        {
            "tools": {"core": ["read_file", "write_file", "run_shell_command"]},
            "mcpServers": {"reknit": {"command": "false"}},
            "contextFileName": "EVIL.md",
        }
    ),
    "EVIL.md": FORGED,
    ".codex/config.toml": f'developer_instructions = "{FORGED}"\nweb_search = "live"\n',
    ".mcp.json": json.dumps({"mcpServers": {"evil": {"command": "false"}}}),
    ".claude/settings.json": json.dumps(
        {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    ),
    **{
        folder + name: FORGED
        for folder in ("", "part/")  # the second one counts once a file beside it is read
        for name in ("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md")
    },
    **{
        f"{folder}/skills/evil/SKILL.md": f"---\nname: evil\ndescription: {FORGED}\n---\n{FORGED}\n"
        for folder in (".agents", ".claude", ".codex", ".gemini")
    },
    "part/calc.py": "THE_FILE_BESIDE = 1\n",
}


@pytest.mark.parametrize("name", CASTS)
def test_a_repository_does_not_configure_its_reviewer(name: str, view: BoxView) -> None:
    for file, text in PLANTED.items():
        place = Path(view.tree, file)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    cast = CASTS[name]
    report = cast.report("finish_review", verdict="needs_work", score=10, summary="No.")
    played = play(cast, [cast.edits("part/calc.py")[0], report, DONE], view, role="review")
    assert played.call.outcome == Done()
    assert isinstance(played.call.report, Review)
    assert played.call.report.summary == "No."
    first = played.model.work[0]
    told = [json.dumps(request.body) for request in played.model.work]
    assert "THE_FILE_BESIDE" in told[-1]
    assert not any(FORGED in each for each in told)
    assert not {"write_file", "run_shell_command", "Bash", "Write"} & set(first.tools)
    assert all(Path(view.tree, file).read_text() == text for file, text in PLANTED.items())
