"""Finds the agents that are installed and signed in. Calls no model."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor

from reknit.app.config.load import Config
from reknit.app.installation import Installation
from reknit.app.makers import agent_maker
from reknit.app.start.agent_settings import VENDORS, agent_settings
from reknit.core.agents.call import AgentFacts, AgentSettings


def signed_in(place: Installation, config: Config, *, but: Collection[str] = ()) -> Iterator[AgentSettings]:
    """One agent per vendor, in a fixed order; `but`: vendors to skip without looking."""
    for settings in (agent_settings(config, name) for name in VENDORS):
        facts = agent_maker(place.environment, settings).facts() if settings.vendor not in but else None
        if facts and facts.found and facts.login:
            yield settings


def every_agent(place: Installation, config: Config) -> dict[str, AgentFacts]:
    """Name -> facts of each vendor's agent and each configured one, by name."""
    names = sorted({*VENDORS, config.fixer, *config.fallback, *config.agents})

    def facts(name: str) -> AgentFacts:
        return agent_maker(place.environment, agent_settings(config, name)).facts()

    with ThreadPoolExecutor() as pool:  # each starts a program to get its version
        return dict(zip(names, pool.map(facts, names), strict=True))
