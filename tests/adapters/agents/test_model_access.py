"""The model access of one agent call: whose key, whose account, and what it may do."""

import pytest

from reknit.adapters.agents.model_access import account_of, admission, key_in
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentOrder
from reknit.core.agents.strategy import Strategy
from reknit.core.gateway.access import request_cap


@pytest.mark.parametrize(
    ("given", "key"),
    [
        pytest.param("sk-1\r\n", "sk-1", id="the end of a line"),
        pytest.param("sk-1\nx-evil: 1", "", id="a second line"),
        pytest.param("sk 1", "", id="a blank"),
        pytest.param("sk-ü", "", id="a letter no key has"),
    ],
)
def test_a_key_is_one_word(given: str, key: str) -> None:
    assert key_in({"K": given}, "K") == key


def test_an_account_is_the_same_for_the_same_key_of_the_same_provider() -> None:
    assert account_of("openai", "sk-1") == account_of("openai", "sk-1") != account_of("anthropic", "sk-1")
    assert "sk-1" not in account_of("openai", "sk-1")
    assert account_of("openai", "") == ""


@pytest.mark.parametrize(
    ("strategy", "role", "searches"),
    [
        pytest.param("search", "fix", True, id="a fixer whose turn it is to search"),
        pytest.param("local", "fix", False, id="a fixer before that"),
        pytest.param("search", "review", False, id="a reviewer never"),
    ],
)
def test_only_a_fixer_may_search(strategy: Strategy, role: Role, searches: bool) -> None:
    order = AgentOrder("r-1", 1, strategy, "Fix it.", 30, 30, 7, 1.5, "/nowhere", role)
    access = admission(order, "openai", upstream="https://x", key="sk-1", model="m")
    assert (access.allow_search, access.role, access.budget_usd) == (searches, role, 1.5)
    assert (access.max_requests, access.account) == (request_cap(7), account_of("openai", "sk-1"))
    assert "sk-1" not in repr(access)
