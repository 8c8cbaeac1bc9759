"""A budget of tokens in the words of each CLI."""

import pytest

from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.thinking import claude_effort, codex_effort, gemini_thinking


def settings(tokens: int = 0, effort: str = "") -> AgentSettings:
    return AgentSettings("a", "claude", thinking_tokens=tokens, effort=effort)


@pytest.mark.parametrize(
    ("tokens", "role", "claude", "codex"),
    [
        pytest.param(0, "fix", "high", "high", id="a fixer, unless told"),
        pytest.param(0, "review", "medium", "medium", id="a reviewer, unless told"),
        pytest.param(1_000, "fix", "low", "low", id="little"),
        pytest.param(32_000, "fix", "xhigh", "xhigh", id="much"),
        pytest.param(100_000, "fix", "max", "xhigh", id="as much as there is"),
    ],
)
def test_tokens_become_an_effort(tokens: int, role: Role, claude: str, codex: str) -> None:
    assert (claude_effort(settings(tokens), role), codex_effort(settings(tokens), role)) == (claude, codex)


def test_the_users_own_word_wins() -> None:
    told = settings(100_000, effort="minimal")
    assert (claude_effort(told, "fix"), codex_effort(told, "fix")) == ("minimal", "minimal")


def test_codex_has_no_word_above_xhigh() -> None:
    told = AgentSettings("a", "codex", effort="max")
    assert (claude_effort(told, "fix"), codex_effort(told, "fix")) == ("max", "xhigh")


@pytest.mark.parametrize(
    ("model", "tokens", "config"),
    [
        pytest.param("gemini-2.5-pro", 0, {"thinkingBudget": 20_000}, id="by its role"),
        pytest.param("gemini-2.5-pro", 1, {"thinkingBudget": 128}, id="not less than it takes"),
        pytest.param("gemini-2.5-flash", 90_000, {"thinkingBudget": 24_576}, id="not more than it takes"),
        pytest.param("gemini-3-pro-preview", 0, {"thinkingLevel": "HIGH"}, id="a level, not a budget"),
        pytest.param("gemini-3-pro-preview", 1_000, {"thinkingLevel": "LOW"}, id="a low level"),
    ],
)
def test_gemini_takes_tokens_or_a_level(model: str, tokens: int, config: dict[str, object]) -> None:
    assert gemini_thinking(model, settings(tokens), "fix") == config
