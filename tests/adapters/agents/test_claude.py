"""Claude Code's command line, environment and login; the real CLI is tried in tests/e2e."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.agents.claude import CLAUDE
from reknit.adapters.agents.cli_spec import CliStart
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentOrder, AgentSettings
from reknit.core.agents.strategy import Strategy

LOGIN = {"accessToken": "sk-ant-oat01-canary", "refreshToken": "sk-ant-ort01-canary", "scopes": ["user:inference"]}


def start(
    *, strategy: Strategy = "local", role: Role = "fix", sandboxed: bool = True, model: str = "", effort: str = ""
) -> CliStart:
    order = AgentOrder("r", 1, strategy, "Fix it.", 30, 30, turns=7, budget_usd=1.0, folder="/f", role=role)
    return CliStart(order, AgentSettings("c", "claude", effort=effort), model, "TOKEN", "REPORTS", sandboxed)


def option(argv: tuple[str, ...], name: str) -> str:
    return argv[argv.index(name) + 1]


def test_the_command_line_of_a_fixer() -> None:
    command = CLAUDE.command(start(model="opus"))
    argv, reports = command.argv, "<box-home>/.reknit-reports.json"
    assert argv == (
        *("-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"),
        *("--setting-sources", "", "--no-session-persistence", "--max-turns", "7"),
        *("--strict-mcp-config", "--mcp-config", reports, "--allowedTools", "mcp__reknit"),
        *("--tools", "Agent,Bash,Edit,NotebookEdit,Read,Write", "--disallowedTools", "WebFetch,WebSearch"),
        *("--effort", "high", "--model", "opus"),
    )
    assert json.loads(command.files[".reknit-reports.json"])["mcpServers"]["reknit"] == {
        "type": "http",
        "url": "{gateway}/reknit/mcp",
        "headers": {"Authorization": "Bearer REPORTS"},
    }


def test_a_reviewer_only_reads() -> None:
    argv = CLAUDE.command(start(role="review", strategy="search", effort="low")).argv
    assert option(argv, "--tools") == "Glob,Grep,Read"
    assert option(argv, "--permission-mode") == "dontAsk"
    assert option(argv, "--effort") == "low"


@pytest.mark.parametrize(("strategy", "never"), [("search", "WebFetch"), ("deep", "WebFetch,WebSearch")])
def test_search_is_offered_in_its_strategy_only(strategy: Strategy, never: str) -> None:
    argv = CLAUDE.command(start(strategy=strategy)).argv
    assert ("WebSearch" in option(argv, "--tools")) is (strategy == "search")
    assert option(argv, "--disallowedTools") == never


def test_without_walls_the_cli_keeps_its_own() -> None:
    assert option(CLAUDE.command(start(sandboxed=False)).argv, "--permission-mode") == "acceptEdits"


def test_the_environment() -> None:
    env = CLAUDE.command(start()).env
    assert (env["ANTHROPIC_BASE_URL"], env["ANTHROPIC_API_KEY"]) == ("{gateway}", "TOKEN")
    assert env["CLAUDE_CODE_MAX_RETRIES"] == "0"


def log_in(home: Path, content: object) -> None:
    (home / ".claude").mkdir(exist_ok=True)
    (home / ".claude/.credentials.json").write_text(json.dumps(content))


def test_its_own_login_stays_outside_the_box(tmp_path: Path) -> None:
    log_in(tmp_path, {"claudeAiOauth": {**LOGIN, "expiresAt": (time.time() + 60) * 1000}})
    login = CLAUDE.login(str(tmp_path))
    assert login is not None
    assert (login.key, login.bearer) == ("sk-ant-oat01-canary", True)
    shown = json.loads(login.files[".claude/.credentials.json"])["claudeAiOauth"]
    assert (shown["accessToken"], shown["scopes"]) == ("{token}", ["user:inference"])
    assert "canary" not in json.dumps(shown)
    env = CLAUDE.command(replace(start(), login=login)).env
    assert "ANTHROPIC_API_KEY" not in env  # it would be taken before the login


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"claudeAiOauth": {**LOGIN, "expiresAt": 1_000}}, id="expired"),
        pytest.param({"claudeAiOauth": None}, id="logged out"),
        pytest.param({}, id="another file"),
        pytest.param([], id="no object"),
    ],
)
def test_a_login_that_is_of_no_use(content: object, tmp_path: Path) -> None:
    assert CLAUDE.login(str(tmp_path)) is None
    log_in(tmp_path, content)
    assert CLAUDE.login(str(tmp_path)) is None
