"""What is known of an agent before it is called."""

import pytest

from reknit.core.agent_reports.values import Role
from reknit.core.agents import call as agents_call
from reknit.core.agents.call import Aborted, AgentOrder, AgentSettings, Done, Outcome, RateLimited, Unusable


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
    assert agents_call.outcome_word(outcome) == word


def test_only_a_fixer_may_write() -> None:
    roles: tuple[Role, ...] = ("fix", "review", "plan")
    orders = [AgentOrder("r", 1, "local", "", 1.0, 1.0, 1, 1.0, "/f", role) for role in roles]
    assert [order.reads_only for order in orders] == [False, True, True]


@pytest.mark.parametrize(("kind", "can"), [("claude", True), ("scripted", True), ("any_command", False)])
def test_a_command_of_ones_own_has_no_way_to_hand_in_an_answer(kind: str, can: bool) -> None:
    assert AgentSettings("x", kind).can_report is can
