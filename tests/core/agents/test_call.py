"""What is known of an agent before it is called."""

import pytest

from reknit.core.agents.call import AgentSettings


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
