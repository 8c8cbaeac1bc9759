"""Gemini CLI's command line, environment and settings; the real CLI is tried in tests/e2e."""

import json
from typing import Any

import pytest

from reknit.adapters.agents.cli_spec import CliStart
from reknit.adapters.agents.gemini import GEMINI
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentOrder, AgentSettings
from reknit.core.agents.strategy import Strategy

READ = ["glob", "grep_search", "list_directory", "read_file"]
EDIT = ["replace", "write_file"]
REPORTS = "mcp_reknit_*"


def start(*, strategy: Strategy = "local", role: Role = "fix", sandboxed: bool = True) -> CliStart:
    order = AgentOrder("r", 1, strategy, "Fix it.", 30, 30, turns=7, budget_usd=1.0, folder="/f", role=role)
    return CliStart(order, AgentSettings("g", "gemini"), "gemini-2.5-pro", "TOKEN", "REPORTS", sandboxed)


def settings_of(given: CliStart) -> dict[str, Any]:
    return dict(json.loads(GEMINI.command(given).files[".gemini/settings.json"]))


def test_the_command_line_and_the_environment() -> None:
    command = GEMINI.command(start())
    assert command.argv == (
        *("-o", "stream-json", "-m", "gemini-2.5-pro", "--approval-mode", "yolo"),
        *("--allowed-mcp-server-names", "reknit", "--extensions", "none"),
    )
    assert (command.env["GOOGLE_GEMINI_BASE_URL"], command.env["GEMINI_API_KEY"]) == ("{gateway}", "TOKEN")


@pytest.mark.parametrize(
    ("given", "mode", "tools"),
    [
        pytest.param(start(), "yolo", [*READ, *EDIT, "run_shell_command", REPORTS], id="a fixer"),
        pytest.param(
            start(strategy="search"),
            "yolo",
            [*READ, *EDIT, "run_shell_command", "google_web_search", REPORTS],
            id="a fixer that may search",
        ),
        pytest.param(start(sandboxed=False), "auto_edit", [*READ, *EDIT, REPORTS], id="a fixer without a sandbox"),
        pytest.param(start(role="review", strategy="search"), "default", [*READ, REPORTS], id="a reviewer"),
    ],
)
def test_what_it_may_do(given: CliStart, mode: str, tools: list[str]) -> None:
    assert GEMINI.command(given).argv[5] == mode
    assert settings_of(given)["tools"] == {"core": tools}


def test_the_settings() -> None:
    settings = settings_of(start())
    assert settings["security"]["auth"] == {"selectedType": "gemini-api-key"}
    assert settings["general"]["maxAttempts"] == 1
    assert settings["model"] == {"maxSessionTurns": 7}
    (override,) = settings["modelConfigs"]["customOverrides"]
    assert override["match"] == {"model": "gemini-2.5-pro"}
    assert override["modelConfig"]["generateContentConfig"] == {"thinkingConfig": {"thinkingBudget": 20_000}}
    assert settings["mcpServers"]["reknit"] == {
        "httpUrl": "{gateway}/reknit/mcp",
        "headers": {"Authorization": "Bearer REPORTS"},
        "trust": True,
    }


def test_it_has_no_login_but_a_key() -> None:
    assert GEMINI.login("/anywhere") is None
