"""The effective price table: the rows of the user's own file, then those that ship with reknit."""

import functools
import importlib.resources
from pathlib import Path

import platformdirs

from reknit.adapters.files.regular_files import read_plain_text
from reknit.core.errors import UsageProblem
from reknit.core.gateway.prices import PriceTable, parse


@functools.cache
def price_table(given: str) -> PriceTable:
    """`given`: REKNIT_PRICES. Never taken from a repository: prices determine what the spending cap allows."""
    shipped = _shipped()
    own = Path(given) if given else platformdirs.user_config_path("reknit", appauthor=False) / "prices.toml"
    if own.is_file():
        return parse(read_plain_text(own), where=str(own), below=parse(shipped))
    if given:
        raise UsageProblem("prices", f"REKNIT_PRICES names {given!r}, which is not a file")
    return parse(shipped)


def _shipped() -> str:
    return importlib.resources.files("reknit").joinpath("prices.toml").read_text("utf-8")
