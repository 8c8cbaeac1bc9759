"""Makes the boxes, agents and forges of this process. Loads only those that are asked for."""

import functools
from collections.abc import Callable, Mapping

from reknit.adapters import registry
from reknit.app.price_table import price_table
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import ToolMissing
from reknit.core.forge.values import ForgePlace
from reknit.ports.agents import Agent
from reknit.ports.box import Box
from reknit.ports.forge import Forge


@functools.cache
def sound_box(name: str) -> Box:
    """The box of that name, self-tested once per process. If it is not sound: refuse, never degrade."""
    box = registry.box(name)
    leaks = [probe for probe in box.self_test() if not probe.held]
    if leaks:
        what = f"the box failed its self-test: {leaks[0].name} ({leaks[0].detail})"
        raise ToolMissing("box", what, help="`reknit doctor` shows every probe")
    return box


def agent_maker(environment: Mapping[str, str], settings: AgentSettings) -> Agent:
    return registry.agent(settings, environment=environment, prices=price_table(environment.get("REKNIT_PRICES", "")))


def forge_maker(environment: Mapping[str, str]) -> Callable[[ForgePlace], Forge]:
    """One client per place and process: it caches what the forge need not send again."""

    @functools.cache
    def made(place: ForgePlace) -> Forge:
        return registry.forge(place, environment)

    return made
