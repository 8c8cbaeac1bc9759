"""Which prices hold: the rows of the user's own file first, then those that ship with reknit."""

from pathlib import Path

import pytest

from reknit.app.price_table import price_table
from reknit.core.errors import UsageProblem
from reknit.core.gateway.metering import Tokens
from reknit.core.gateway.prices import PER_USD

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
    price_table.cache_clear()


def test_the_shipped_table_prices_every_provider() -> None:
    table = price_table("")
    for provider, model in (("anthropic", "claude-haiku-5-5"), ("gemini", "gemini-2.5-pro"), ("openai", "gpt-5.5")):
        row = table.row(provider, model)  # type: ignore[arg-type]
        assert row.is_for(model)
        assert row.cost(Tokens(input=1_000_000, output=1_000_000)) > 0


@pytest.mark.parametrize("place", ["named", "beside the config"])
def test_own_rows_come_first_and_the_rest_stays(place: str, tmp_path: Path) -> None:
    named = tmp_path / ("own.toml" if place == "named" else ".config/reknit/prices.toml")
    named.parent.mkdir(parents=True, exist_ok=True)
    named.write_text(OWN)
    table = price_table(str(named) if place == "named" else "")
    assert table.row("openai_chat", "my-model").cost(Tokens(input=1_000_000)) == PER_USD
    assert table.row("anthropic", "claude-haiku-5-5").is_for("claude-haiku-5-5")


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="REKNIT_PRICES"):
        price_table(str(tmp_path / "typo.toml"))


def test_what_is_wrong_in_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN.replace("output = 2.0", "output = -2.0"))
    with pytest.raises(UsageProblem, match=r"openai_chat row 1 \(my-model\): output"):
        price_table(str(tmp_path / "own.toml"))
