"""Boxes, agents and forges, made as they are asked for."""

import os
from pathlib import Path

import pytest

from reknit.app.makers import load_price_table, make_agent, make_forge_maker, make_sound_box
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageError
from reknit.core.forge.values import ForgePlace
from reknit.core.gateway.metering import Tokens
from reknit.core.gateway.prices import PER_USD


def test_a_box_is_tested_once_and_an_unknown_one_is_refused() -> None:
    assert make_sound_box("host") is make_sound_box("host")
    with pytest.raises(UsageError, match="there is no box named 'hots'") as caught:
        make_sound_box("hots")
    assert caught.value.help == "did you mean 'host'?"


def test_a_box_shows_the_programs_of_the_path_it_was_asked_for_with(monkeypatch: pytest.MonkeyPatch) -> None:
    first = make_sound_box("host")
    monkeypatch.setenv("PATH", f"/opt/other/bin:{os.environ['PATH']}")
    assert make_sound_box("host") is not first


def test_one_client_serves_all_that_is_asked_of_a_place() -> None:
    make = make_forge_maker({"GH_TOKEN": "t"})
    first = ForgePlace("github", "https://api.github.com", "acme/shop")
    assert make(first) is make(ForgePlace("github", "https://api.github.com", "acme/shop"))
    assert make(first) is not make(ForgePlace("github", "https://api.github.com", "acme/other"))


def test_an_agent_gets_the_environment_of_the_place_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of this process")
    settings = AgentSettings("claude", "claude")
    assert make_agent({}, settings).account == ""
    assert make_agent({"ANTHROPIC_API_KEY": "key"}, settings).account.startswith("anthropic:")


def test_own_prices_that_are_wrong_are_named_before_a_model_is_called(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("[[openai]]\nmodel = 1\n")
    with pytest.raises(UsageError, match="openai row 1"):
        make_agent({"REKNIT_PRICES": str(tmp_path / "own.toml")}, AgentSettings("claude", "claude"))


OWN = """
[[openai_chat]]
model = "my-model"
input = 1.0
cached = 0.0
cache_write = 1.0
output = 2.0
"""


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    load_price_table.cache_clear()


def test_the_shipped_table_prices_every_provider() -> None:
    table = load_price_table("")
    for provider, model in (("anthropic", "claude-haiku-5-5"), ("gemini", "gemini-2.5-pro"), ("openai", "gpt-5.5")):
        row = table.find_row(provider, model)  # type: ignore[arg-type]
        assert row.is_for(model)
        assert row.compute_cost(Tokens(input=1_000_000, output=1_000_000)) > 0


@pytest.mark.parametrize("place", ["named", "beside the config"])
def test_own_rows_come_first_and_the_rest_stays(place: str, tmp_path: Path) -> None:
    named = tmp_path / ("own.toml" if place == "named" else ".config/reknit/prices.toml")
    named.parent.mkdir(parents=True, exist_ok=True)
    named.write_text(OWN)
    table = load_price_table(str(named) if place == "named" else "")
    assert table.find_row("openai_chat", "my-model").compute_cost(Tokens(input=1_000_000)) == PER_USD
    assert table.find_row("anthropic", "claude-haiku-5-5").is_for("claude-haiku-5-5")


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="REKNIT_PRICES"):
        load_price_table(str(tmp_path / "typo.toml"))


def test_what_is_wrong_in_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN.replace("output = 2.0", "output = -2.0"))
    with pytest.raises(UsageError, match=r"openai_chat row 1 \(my-model\): output"):
        load_price_table(str(tmp_path / "own.toml"))
