"""What is known of an agent before it is called."""

import pytest

from reknit.core.agent_reports.values import Role
from reknit.core.agents import call as agents_call
from reknit.core.agents.call import (
    Aborted,
    AgentOrder,
    AgentSettings,
    Done,
    Outcome,
    RateLimited,
    Unusable,
    choose_claude_effort,
    choose_codex_effort,
    choose_gemini_thinking,
)


@pytest.mark.parametrize(
    ("settings", "vendor"),
    [
        pytest.param(AgentSettings("claude", "claude"), "anthropic", id="by its kind"),
        pytest.param(AgentSettings("mine", "any_command", provider="openai"), "openai", id="by the API that it speaks"),
        pytest.param(AgentSettings("mine", "any_command", provider="other"), "mine", id="unknown"),
        pytest.param(AgentSettings("demo", "scripted"), "demo", id="without a model"),
    ],
)
def test_two_agents_are_of_one_vendor_if_one_model_maker_is_behind_both(settings: AgentSettings, vendor: str) -> None:
    assert settings.vendor == vendor


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        pytest.param(Done(), "done", id="done"),
        pytest.param(RateLimited("overloaded"), "overloaded", id="limited"),
        pytest.param(Unusable("auth"), "auth", id="refused"),
        pytest.param(Aborted("idle"), "idle", id="broke"),
    ],
)
def test_an_outcome_has_one_word(outcome: Outcome, word: str) -> None:
    assert agents_call.to_outcome_word(outcome) == word


def test_only_a_fixer_may_write() -> None:
    roles: tuple[Role, ...] = ("fix", "review", "plan")
    orders = [AgentOrder("r", 1, "local", "", 1.0, 1.0, 1, 1.0, "/f", role) for role in roles]
    assert [order.reads_only for order in orders] == [False, True, True]


@pytest.mark.parametrize(("kind", "can"), [("claude", True), ("scripted", True), ("any_command", False)])
def test_a_command_of_ones_own_has_no_way_to_hand_in_an_answer(kind: str, can: bool) -> None:
    assert AgentSettings("x", kind).can_report is can


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
    assert (choose_claude_effort(settings(tokens), role), choose_codex_effort(settings(tokens), role)) == (
        claude,
        codex,
    )


def test_the_users_own_word_wins() -> None:
    told = settings(100_000, effort="minimal")
    assert (choose_claude_effort(told, "fix"), choose_codex_effort(told, "fix")) == ("minimal", "minimal")


def test_codex_has_no_word_above_xhigh() -> None:
    told = AgentSettings("a", "codex", effort="max")
    assert (choose_claude_effort(told, "fix"), choose_codex_effort(told, "fix")) == ("max", "xhigh")


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
    assert choose_gemini_thinking(model, settings(tokens), "fix") == config
