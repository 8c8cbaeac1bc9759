"""Makes the boxes, agents and forges of this process, and loads the price table. Loads only requested ones."""

from __future__ import annotations

import functools
import importlib.resources
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from reknit.adapters import registry
from reknit.adapters.files.regular_files import read_plain_text
from reknit.core.errors import ToolMissingError, UsageError

if TYPE_CHECKING:
    from reknit.core.gateway.prices import PriceTable


@functools.cache
def load_price_table(path: str) -> PriceTable:
    """Load the rows of the user's own file, then those that ship with reknit.

    `path`: REKNIT_PRICES. Never taken from a repository: prices determine what the spending cap allows.
    """
    from reknit.core.gateway.prices import parse_prices  # late: starting a run only asks whether there is an own file

    own, shipped = find_own_prices(path), _read_shipped_prices()
    return (
        parse_prices(read_plain_text(own), source=str(own), fallback=parse_prices(shipped))
        if own
        else parse_prices(shipped)
    )


def find_own_prices(path: str) -> Path | None:
    """Return the path of the user's own price file, if there is one."""
    own = Path(path) if path else platformdirs.user_config_path("reknit", appauthor=False) / "prices.toml"
    if own.is_file():
        return own
    if path:
        raise UsageError("prices", f"REKNIT_PRICES names {path!r}, which is not a file")
    return None


def _read_shipped_prices() -> str:
    return importlib.resources.files("reknit").joinpath("prices.toml").read_text("utf-8")


if TYPE_CHECKING:
    from reknit.core.agents.call import AgentSettings
    from reknit.core.forge.values import ForgePlace
    from reknit.ports.agents import Agent
    from reknit.ports.box import Box
    from reknit.ports.forge import Forge


def make_sound_box(name: str) -> Box:
    """Make the box of that name, self-tested once per process and PATH. Refuse a box that is not sound."""
    return _make_tested_box(name, os.environ.get("PATH", os.defpath))


@functools.cache
def _make_tested_box(name: str, _path: str) -> Box:
    """Make and test the box. `_path`: a box shows the programs that were on PATH when it was made."""
    box = registry.make_box(name)
    leaks = [probe for probe in box.self_test() if not probe.has_passed]
    if leaks:
        message = f"the box failed its self-test: {leaks[0].name} ({leaks[0].detail})"
        raise ToolMissingError("box", message, help="`reknit doctor` shows every probe")
    return box


def make_agent(environment: Mapping[str, str], settings: AgentSettings) -> Agent:
    """Make an agent. Errors in the user's own prices raise now; the shipped prices are read when a model is called."""
    prices_path = environment.get("REKNIT_PRICES", "")
    load_prices = functools.partial(load_price_table, prices_path)
    if find_own_prices(prices_path):
        load_prices()
    return registry.make_agent(settings, environment=environment, load_prices=load_prices)


def make_forge_maker(environment: Mapping[str, str]) -> Callable[[ForgePlace], Forge]:
    """Return a maker with one client per place and process: each caches what the forge need not send again."""

    @functools.cache
    def make_forge(place: ForgePlace) -> Forge:
        return registry.make_forge(place, environment)

    return make_forge
