"""Boxes, agents and forges, made as they are asked for."""

import os
from pathlib import Path

import pytest

from reknit.app.makers import agent_maker, forge_maker, sound_box
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageProblem
from reknit.core.forge.values import ForgePlace


def test_a_box_is_tested_once_and_an_unknown_one_is_refused() -> None:
    assert sound_box("host") is sound_box("host")
    with pytest.raises(UsageProblem, match="there is no box named 'hots'") as caught:
        sound_box("hots")
    assert caught.value.help == "did you mean 'host'?"


def test_a_box_shows_the_programs_of_the_path_it_was_asked_for_with(monkeypatch: pytest.MonkeyPatch) -> None:
    first = sound_box("host")
    monkeypatch.setenv("PATH", f"/opt/other/bin:{os.environ['PATH']}")
    assert sound_box("host") is not first


def test_one_client_serves_all_that_is_asked_of_a_place() -> None:
    make = forge_maker({"GH_TOKEN": "t"})
    first = ForgePlace("github", "https://api.github.com", "acme/shop")
    assert make(first) is make(ForgePlace("github", "https://api.github.com", "acme/shop"))
    assert make(first) is not make(ForgePlace("github", "https://api.github.com", "acme/other"))


def test_an_agent_gets_the_environment_of_the_place_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of this process")
    settings = AgentSettings("claude", "claude")
    assert agent_maker({}, settings).account == ""
    assert agent_maker({"ANTHROPIC_API_KEY": "key"}, settings).account.startswith("anthropic:")


def test_own_prices_that_are_wrong_are_named_before_a_model_is_called(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("[[openai]]\nmodel = 1\n")
    with pytest.raises(UsageProblem, match="openai row 1"):
        agent_maker({"REKNIT_PRICES": str(tmp_path / "own.toml")}, AgentSettings("claude", "claude"))
