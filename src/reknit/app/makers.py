"""Makes the boxes, agents and forges of this process. Loads only those that are asked for."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from reknit.adapters import registry
from reknit.app.price_table import own_prices, price_table
from reknit.core.errors import ToolMissing

if TYPE_CHECKING:
    from reknit.core.agents.call import AgentSettings
    from reknit.core.forge.values import ForgePlace
    from reknit.ports.agents import Agent
    from reknit.ports.box import Box
    from reknit.ports.forge import Forge


def sound_box(name: str) -> Box:
    """The box of that name, self-tested once per process and PATH. If it is not sound: refuse, never degrade."""
    return _self_tested(name, os.environ.get("PATH", os.defpath))


@functools.cache
def _self_tested(name: str, _path: str) -> Box:
    """`_path`: a box shows the programs that were on it when the box was made."""
    box = registry.box(name)
    leaks = [probe for probe in box.self_test() if not probe.held]
    if leaks:
        what = f"the box failed its self-test: {leaks[0].name} ({leaks[0].detail})"
        raise ToolMissing("box", what, help="`reknit doctor` shows every probe")
    return box


def agent_maker(environment: Mapping[str, str], settings: AgentSettings) -> Agent:
    """What is wrong in the user's own prices is said at once; the shipped ones are read when a model is called."""
    given = environment.get("REKNIT_PRICES", "")
    load_prices = functools.partial(price_table, given)
    if own_prices(given):
        load_prices()
    return registry.agent(settings, environment=environment, load_prices=load_prices)


def forge_maker(environment: Mapping[str, str]) -> Callable[[ForgePlace], Forge]:
    """One client per place and process: it caches what the forge need not send again."""

    @functools.cache
    def made(place: ForgePlace) -> Forge:
        return registry.forge(place, environment)

    return made
