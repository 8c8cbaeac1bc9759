"""What reknit knows about a vendor's CLI: no secret in its words, and one rule for searching."""

from typing import get_args

import pytest

from reknit.adapters.agents.claude import CLAUDE
from reknit.adapters.agents.cli_spec import Cli, CliStart, Login
from reknit.adapters.agents.codex import CODEX
from reknit.adapters.agents.gemini import GEMINI
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentOrder, AgentSettings
from reknit.core.agents.strategy import Strategy


def start(strategy: Strategy = "local", role: Role = "fix") -> CliStart:
    order = AgentOrder("r-1", 1, strategy, "Fix it.", 30, 30, 7, 1.0, "/nowhere", role)
    settings, tokens = AgentSettings("c", "claude"), ("run-token", "report-token")
    return CliStart(order, settings, "m", *tokens, sandboxed=True, login=Login("sk-secret"))


@pytest.mark.parametrize(
    ("strategy", "role", "searches"),
    [("search", "fix", True), ("deep", "fix", False), ("search", "review", False)],
)
def test_a_cli_is_told_what_the_gateway_would_let_pass(strategy: Strategy, role: Role, searches: bool) -> None:
    assert start(strategy, role).may_search == searches


def test_neither_token_nor_login_is_in_a_log() -> None:
    assert "-token" not in repr(start())
    assert "sk-secret" not in repr(start())


@pytest.mark.parametrize("role", get_args(Role))
@pytest.mark.parametrize("cli", [CLAUDE, CODEX, GEMINI], ids=lambda cli: cli.name)
def test_no_program_that_a_cli_starts_inherits_the_report_token(cli: Cli, role: Role) -> None:
    command = cli.command(start(role=role))
    assert "report-token" not in f"{command.argv} {command.env}"
    assert any(b"report-token" in content for content in command.files.values())
