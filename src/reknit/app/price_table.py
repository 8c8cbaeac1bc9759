"""The effective price table: the rows of the user's own file, then those that ship with reknit."""

from __future__ import annotations

import functools
import importlib.resources
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from reknit.adapters.files.regular_files import read_plain_text
from reknit.core.errors import UsageProblem

if TYPE_CHECKING:
    from reknit.core.gateway.prices import PriceTable


@functools.cache
def price_table(given: str) -> PriceTable:
    """`given`: REKNIT_PRICES. Never taken from a repository: prices determine what the spending cap allows."""
    from reknit.core.gateway.prices import parse  # late: starting a run only asks whether there is an own file

    own, shipped = own_prices(given), _shipped()
    return parse(read_plain_text(own), where=str(own), below=parse(shipped)) if own else parse(shipped)


def own_prices(given: str) -> Path | None:
    """The user's own file, if there is one."""
    own = Path(given) if given else platformdirs.user_config_path("reknit", appauthor=False) / "prices.toml"
    if own.is_file():
        return own
    if given:
        raise UsageProblem("prices", f"REKNIT_PRICES names {given!r}, which is not a file")
    return None


def _shipped() -> str:
    return importlib.resources.files("reknit").joinpath("prices.toml").read_text("utf-8")
