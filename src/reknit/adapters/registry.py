"""Adapters by their names in the configuration: built-in ones in plain dicts, third-party ones by entry point."""

from __future__ import annotations

import difflib
import importlib.metadata
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from reknit.core.errors import UsageError

if TYPE_CHECKING:
    from reknit.core.agents.call import AgentSettings
    from reknit.core.forge.values import ForgePlace
    from reknit.core.gateway.prices import PriceTable
    from reknit.ports.agents import Agent
    from reknit.ports.box import Box
    from reknit.ports.forge import Forge
    from reknit.ports.gateway import Gateway

ENTRY_POINTS = "reknit.adapters"
"""Names in this group start with their port: `agent.aider`, `box.podman`."""

Maker = Callable[..., Any]

CLIS = {
    "claude": "reknit.adapters.agents.claude:CLAUDE",
    "codex": "reknit.adapters.agents.codex:CODEX",
    "gemini": "reknit.adapters.agents.gemini:GEMINI",
}
AGENTS = {
    "any_command": "reknit.adapters.agents.any_command:AnyCommand",
    **dict.fromkeys(CLIS, "reknit.adapters.agents.cli_agent:CliAgent"),
    "scripted": "reknit.adapters.agents.scripted.agent:ScriptedAgent",
}
"""Name -> `module:name`. Each is imported when it is used, because a command needs few of them."""
BOXES = {"bubblewrap": "reknit.adapters.box.bubblewrap.box:Bubblewrap", "host": "reknit.adapters.box.host:HostBox"}
FORGES = {"github": "reknit.adapters.github.forge:open_forge"}
_GATEWAY = "reknit.adapters.gateway.server:ModelGateway"


def make_agent(
    settings: AgentSettings, *, environment: Mapping[str, str], load_prices: Callable[[], PriceTable]
) -> Agent:
    """Create an agent. All take `(settings, *, environment, make_gateway)`; a vendor's CLI also its description."""
    make: Callable[..., Agent] = _look_up("agent", settings.kind, AGENTS)

    def make_gateway(*access: Any) -> Gateway:
        gateway: Gateway = resolve_name(_GATEWAY)(*access, prices=load_prices())
        return gateway

    cli = (resolve_name(CLIS[settings.kind]),) if settings.kind in CLIS else ()
    return make(*cli, settings, environment=environment, make_gateway=make_gateway)


def make_box(name: str) -> Box:
    """Create the box with this name."""
    make: Callable[[], Box] = _look_up("box", name, BOXES)
    return make()


def make_forge(place: ForgePlace, environment: Mapping[str, str]) -> Forge:
    """Connect to the forge at this place with the login from the environment."""
    make: Callable[..., Forge] = _look_up("forge", place.kind, FORGES)
    return make(place, environment, token_variable=place.token_env)


def _look_up(port: str, name: str, ours: Mapping[str, str]) -> Maker:
    if name in ours:
        return resolve_name(ours[name])  # type: ignore[no-any-return]
    others = importlib.metadata.entry_points(group=ENTRY_POINTS)
    for entry_point in others.select(name=f"{port}.{name}"):
        return entry_point.load()  # type: ignore[no-any-return]
    names = [*ours, *(entry.name.partition(".")[2] for entry in others if entry.name.startswith(f"{port}."))]
    nearest = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {nearest[0]!r}?" if nearest else f"available: {', '.join(sorted(names))}"
    raise UsageError(f"unknown-{port}", f"there is no {port} named {name!r}", help=hint)
