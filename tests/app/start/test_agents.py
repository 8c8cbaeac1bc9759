"""The settings of one agent, from the configuration."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reknit.app.config.load import Config, load
from reknit.app.installation import Installation, find_installation
from reknit.app.start.agents import (
    check_agents,
    find_signed_in_agents,
    get_agent_settings,
    list_unready_agents,
    set_pull_thinking,
)
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import LoginNeededError, ReknitError, ToolMissingError, UsageError
from reknit.core.fix_issues.task import FixIssues
from reknit.core.runs.spec import RunSpec
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import spec as order
from tests.tools.vote_samples import TARGET as VOTE


@pytest.mark.parametrize(
    ("name", "agents", "kind"),
    [
        pytest.param("claude", {}, "claude", id="a built-in by its own name"),
        pytest.param("fast", {"fast": {"kind": "claude", "model": "x"}}, "claude", id="a built-in by another name"),
        pytest.param("mine", {"mine": {"command": ["mine"], "env": {"A": "b"}}}, "any_command", id="any command"),
    ],
)
def test_an_agent_is_found_by_name(name: str, agents: dict[str, object], kind: str) -> None:
    settings = get_agent_settings(_config(agents), name)
    assert (settings.name, settings.kind) == (name, kind)


def test_an_agent_that_nobody_knows_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no agent 'clod'; known: claude, codex, gemini, mine"):
        get_agent_settings(_config({"mine": {"command": ["mine"]}}), "clod")


def _config(agents: dict[str, object]) -> Config:
    return load(None, {"agents": agents}, {})


def test_only_a_claude_that_reads_a_pull_request_thinks_more_unless_it_is_set() -> None:
    config = _config({"fast": {"kind": "claude", "thinking_budget": 5000}})
    thinking = [
        set_pull_thinking(get_agent_settings(config, name)).thinking_tokens for name in ("claude", "codex", "fast")
    ]
    assert thinking == [20_000, 0, 5000]


KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}


@pytest.mark.parametrize(
    ("installed", "keys", "but", "found"),
    [
        pytest.param("claude codex gemini", "gemini claude codex", (), ["claude", "codex", "gemini"], id="in order"),
        pytest.param("claude gemini", "claude codex", (), ["claude"], id="installed and with a key"),
        pytest.param("claude codex", "claude codex", ("anthropic",), ["codex"], id="but one vendor"),
        pytest.param("", "claude", (), [], id="none"),
    ],
)
def test_who_is_installed_and_signed_in(
    tmp_path: Path, installed: str, keys: str, but: tuple[str, ...], found: list[str]
) -> None:
    for name in installed.split():
        (tmp_path / name).write_text("#!/bin/sh\necho 1.2.3\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), **{KEYS[name]: "key" for name in keys.split()}}
    agents = find_signed_in_agents(find_installation(environment), load(None, {}, {}), but=but)
    assert [agent.name for agent in agents] == found


READY = AgentSettings("scripted", "scripted", story="[{}]")
AWAY = AgentSettings("claude", "claude")
CODEX = AgentSettings("codex", "codex")
LOST = AgentSettings("mine", "any_command", command=("no-such-program",))


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Install a codex that has no key."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/codex").write_text("#!/bin/sh\necho 1.2.3\n")
    (tmp_path / "bin/codex").chmod(0o755)
    return find_installation(
        {"REKNIT_STATE": str(tmp_path / "state"), "PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
    )


def spec(agent: AgentSettings = READY, fallback: tuple[AgentSettings, ...] = (), **more: Any) -> RunSpec:
    return replace(order(box="host", **more), agents=(agent, *fallback))


@pytest.mark.parametrize(
    ("wanted", "problem", "option"),
    [
        pytest.param(spec(AWAY), ToolMissingError, "--agent;", id="the fixer is not installed"),
        pytest.param(spec(CODEX), LoginNeededError, "--agent selects", id="the fixer has no key"),
        pytest.param(spec(fallback=(AWAY,)), ToolMissingError, "--agent;", id="one that would take over"),
        pytest.param(
            spec(task=FixIssues("key", (), CODEX)),
            LoginNeededError,
            "--challenger selects",
            id="the challenger",
        ),
        pytest.param(spec(task=VOTE), ToolMissingError, "--agents;", id="a voter"),
    ],
)
def test_who_cannot_work_is_named_with_the_way_out(
    installation: Installation, wanted: RunSpec, problem: type[ReknitError], option: str
) -> None:
    with pytest.raises(problem) as caught:
        check_agents(installation, wanted)
    assert option in caught.value.help
    assert not installation.state.exists(), "nothing was recorded"


def test_a_reviewer_may_be_left_out(installation: Installation) -> None:
    with pytest.raises(ToolMissingError) as caught:
        check_agents(installation, spec(task=replace(TARGET, reviewer=AWAY)))
    assert "`--review-agent off` needs none" in caught.value.help
    check_agents(installation, spec(task=replace(TARGET, reviewer=READY)))


def test_a_forecast_only_says_who_is_missing(installation: Installation) -> None:
    wanted = spec(AWAY, fallback=(LOST, READY), task=FixIssues("key", (), CODEX))
    assert list_unready_agents(installation, wanted) == {
        "claude": "not found on PATH",
        "mine": "not found",
        "codex": "no key",
    }
    assert list_unready_agents(installation, spec()) == {}
