"""What reknit knows about a vendor's CLI: no secret in its words, and one rule for searching."""

import pytest

from reknit.adapters.agents.cli_spec import CliStart, Login
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentOrder, AgentSettings
from reknit.core.agents.strategy import Strategy


def start(strategy: Strategy = "local", role: Role = "fix") -> CliStart:
    order = AgentOrder("r-1", 1, strategy, "Fix it.", 30, 30, 7, 1.0, "/nowhere", role)
    return CliStart(order, AgentSettings("c", "claude"), "m", "run-token", sandboxed=True, login=Login("sk-secret"))


@pytest.mark.parametrize(
    ("strategy", "role", "searches"),
    [("search", "fix", True), ("deep", "fix", False), ("search", "review", False)],
)
def test_a_cli_is_told_what_the_gateway_would_let_pass(strategy: Strategy, role: Role, searches: bool) -> None:
    assert start(strategy, role).may_search == searches


def test_neither_token_nor_login_is_in_a_log() -> None:
    assert "run-token" not in repr(start())
    assert "sk-secret" not in repr(start())
