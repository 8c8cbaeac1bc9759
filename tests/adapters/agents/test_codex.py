"""Codex's command line, environment and configuration; the real CLI is tried in tests/e2e."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.agents.cli_spec import CliStart
from reknit.adapters.agents.codex import CODEX
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentOrder, AgentSettings
from reknit.core.agents.strategy import Strategy


def start(*, strategy: Strategy = "local", role: Role = "fix", sandboxed: bool = True) -> CliStart:
    order = AgentOrder("r", 1, strategy, "Fix it.", 30, 30, turns=7, budget_usd=1.0, folder="/f", role=role)
    return CliStart(order, AgentSettings("x", "codex"), "gpt-5.5", "TOKEN", "REPORTS", sandboxed)


def configuration(given: CliStart) -> dict[str, Any]:
    return tomllib.loads(CODEX.command(given).files[".codex/config.toml"].decode())


def test_the_command_line() -> None:
    argv = CODEX.command(start()).argv
    assert argv[:4] == ("exec", "--json", "--ephemeral", "--skip-git-repo-check")
    assert argv[-1] == "-"
    disabled = {argv[at + 1] for at, word in enumerate(argv) if word == "--disable"}
    assert {"plugins", "unbounded_connection_retries"} <= disabled


@pytest.mark.parametrize(
    ("given", "sandbox"),
    [
        pytest.param(start(), "danger-full-access", id="the box is the wall"),
        pytest.param(start(role="review"), "danger-full-access", id="for a reviewer too"),
        pytest.param(start(sandboxed=False), "workspace-write", id="a fixer without a sandbox"),
        pytest.param(start(sandboxed=False, role="review"), "read-only", id="a reviewer without a sandbox"),
    ],
)
def test_its_own_sandbox_stands_where_there_is_no_other(given: CliStart, sandbox: str) -> None:
    command = CODEX.command(given)
    assert command.argv[command.argv.index("--sandbox") + 1] == sandbox
    assert ("TMPDIR" in command.env) is not given.sandboxed


def test_the_configuration() -> None:
    given = configuration(start())
    assert (given["model"], given["model_reasoning_effort"], given["web_search"]) == ("gpt-5.5", "high", "disabled")
    assert configuration(start(strategy="search"))["web_search"] == "live"
    assert configuration(start(strategy="search", role="review"))["web_search"] == "disabled"
    assert "project_doc_max_bytes" not in given
    assert configuration(start(role="review"))["project_doc_max_bytes"] == 0
    provider = given["model_providers"][given["model_provider"]]
    assert (provider["base_url"], provider["env_key"]) == ("{gateway}/v1", "REKNIT_TOKEN")
    assert (provider["request_max_retries"], provider["stream_max_retries"]) == (0, 0)
    assert given["mcp_servers"]["reknit"] == {
        "url": "{gateway}/reknit/mcp",
        "http_headers": {"Authorization": "Bearer REPORTS"},
        "default_tools_approval_mode": "approve",
    }


@pytest.mark.parametrize(
    ("content", "key"),
    [
        pytest.param({"OPENAI_API_KEY": "sk-canary"}, "sk-canary", id="logged in with a key"),
        pytest.param({"OPENAI_API_KEY": None, "tokens": {"access_token": "x"}}, None, id="logged in with ChatGPT"),
        pytest.param({}, None, id="another file"),
        pytest.param([], None, id="no object"),
        pytest.param(None, None, id="no file"),
    ],
)
def test_a_key_that_its_login_left_is_used_like_any_other(content: object, key: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / ".codex").mkdir()
        (tmp_path / ".codex/auth.json").write_text(json.dumps(content))
    login = CODEX.login(str(tmp_path))
    assert (login.key if login else None) == key
    assert login is None or (not login.bearer and not login.files)
