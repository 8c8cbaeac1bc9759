"""The settings of one agent, from the configuration."""

import pytest

from reknit.app.config.load import Config, load
from reknit.app.start.agent_settings import agent_settings, pull_reader
from reknit.core.errors import UsageProblem


@pytest.mark.parametrize(
    ("name", "agents", "kind"),
    [
        pytest.param("claude", {}, "claude", id="a built-in by its own name"),
        pytest.param("fast", {"fast": {"kind": "claude", "model": "x"}}, "claude", id="a built-in by another name"),
        pytest.param("mine", {"mine": {"command": ["mine"], "env": {"A": "b"}}}, "any_command", id="any command"),
    ],
)
def test_an_agent_is_found_by_name(name: str, agents: dict[str, object], kind: str) -> None:
    settings = agent_settings(_config(agents), name)
    assert (settings.name, settings.kind) == (name, kind)


def test_an_agent_that_nobody_knows_names_the_known_ones() -> None:
    with pytest.raises(UsageProblem, match="no agent 'clod'; known: claude, codex, gemini, mine"):
        agent_settings(_config({"mine": {"command": ["mine"]}}), "clod")


def _config(agents: dict[str, object]) -> Config:
    return load(None, {"agents": agents}, {})


def test_only_a_claude_that_reads_a_pull_request_thinks_more_unless_it_is_set() -> None:
    config = _config({"fast": {"kind": "claude", "thinking_budget": 5000}})
    thinking = [pull_reader(agent_settings(config, name)).thinking_tokens for name in ("claude", "codex", "fast")]
    assert thinking == [20_000, 0, 5000]
