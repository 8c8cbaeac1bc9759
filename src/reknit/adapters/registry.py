"""Maps names in the configuration to adapters: built-in ones in plain dicts, third-party ones by entry point."""

import difflib
import functools
import importlib.metadata
from collections.abc import Callable, Mapping
from typing import Any

from reknit.adapters.agents.any_command import AnyCommand
from reknit.adapters.agents.claude import CLAUDE
from reknit.adapters.agents.cli_agent import CliAgent
from reknit.adapters.agents.codex import CODEX
from reknit.adapters.agents.gemini import GEMINI
from reknit.adapters.agents.scripted.agent import Scripted
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.host import HostBox
from reknit.adapters.gateway.server import ModelGateway
from reknit.adapters.github.forge import open_forge
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageProblem
from reknit.core.forge.values import ForgePlace
from reknit.core.gateway.prices import PriceTable
from reknit.ports.agents import Agent
from reknit.ports.box import Box
from reknit.ports.forge import Forge

ENTRY_POINTS = "reknit.adapters"
"""Names in this group start with their port: `agent.aider`, `box.podman`."""

Maker = Callable[..., Any]

AGENTS: Mapping[str, Callable[..., Agent]] = {
    "any_command": AnyCommand,
    **{cli.name: functools.partial(CliAgent, cli) for cli in (CLAUDE, CODEX, GEMINI)},
    "scripted": Scripted,
}
BOXES: Mapping[str, Callable[[], Box]] = {"bubblewrap": Bubblewrap, "host": HostBox}
FORGES: Mapping[str, Callable[..., Forge]] = {"github": open_forge}


def agent(settings: AgentSettings, *, environment: Mapping[str, str], prices: PriceTable) -> Agent:
    """Every agent has the same constructor: `(settings, *, environment, make_gateway)`."""
    make: Callable[..., Agent] = _look_up("agent", settings.kind, AGENTS)
    return make(settings, environment=environment, make_gateway=functools.partial(ModelGateway, prices=prices))


def box(name: str) -> Box:
    make: Callable[[], Box] = _look_up("box", name, BOXES)
    return make()


def forge(place: ForgePlace, environment: Mapping[str, str]) -> Forge:
    make: Callable[..., Forge] = _look_up("forge", place.kind, FORGES)
    return make(place, environment, token_variable=place.token_env)


def _look_up(port: str, name: str, ours: Mapping[str, Maker]) -> Maker:
    if name in ours:
        return ours[name]
    others = importlib.metadata.entry_points(group=ENTRY_POINTS)
    for found in others.select(name=f"{port}.{name}"):
        return found.load()  # type: ignore[no-any-return]
    known = [*ours, *(each.name.partition(".")[2] for each in others if each.name.startswith(f"{port}."))]
    nearest = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {nearest[0]!r}?" if nearest else f"available: {', '.join(sorted(known))}"
    raise UsageProblem(f"unknown-{port}", f"there is no {port} named {name!r}", help=hint)
