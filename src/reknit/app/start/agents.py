"""The agents of a run: their settings, which are signed in, and checks before the run starts. Calls no model."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from reknit.app.config.load import Config
from reknit.app.config.sections import AgentSection
from reknit.app.installation import Installation
from reknit.app.makers import make_agent, make_sound_box
from reknit.core.agents.call import PULL_REVIEW_TOKENS, AgentFacts, AgentSettings
from reknit.core.capabilities import find_capability
from reknit.core.errors import LoginNeededError, ToolMissingError, UsageError
from reknit.core.runs.spec import RunSpec

VENDORS = ("claude", "codex", "gemini")


KINDS = (*VENDORS, "scripted", "any_command")


def get_agent_settings(config: Config, name: str) -> AgentSettings:
    """Return the settings of one agent. Raise if its name is unknown."""
    part = config.agents.get(name) or AgentSection()
    kind = part.kind or (name if name in KINDS else "any_command")
    if kind == "any_command" and not part.command:
        known_names = ", ".join(sorted({*VENDORS, *config.agents}))
        raise UsageError("config", f"no agent {name!r}; known: {known_names}", help=f"set agents.{name}.command")
    return AgentSettings(
        name=name,
        kind=kind,
        model=part.model,
        effort=part.effort,
        thinking_tokens=part.thinking_budget,
        binary=part.binary,
        command=part.command,
        upstream=part.upstream,
        provider=part.provider,
        key_env=part.key_env,
        env=tuple(part.env.items()),
        story=part.story,
    )


def list_fixers(config: Config) -> tuple[AgentSettings, ...]:
    """Return the agent that fixes, then those that take over while it is rate limited."""
    others = [name for name in config.fallback if name != config.fixer]
    return tuple(get_agent_settings(config, name) for name in (config.fixer, *others))


def set_pull_thinking(agent: AgentSettings) -> AgentSettings:
    """Set the thinking tokens of an agent that votes on a pull request or reviews it.

    A Claude thinks as much as a fixer, unless it is configured.
    """
    if agent.kind != "claude" or agent.thinking_tokens:
        return agent
    return replace(agent, thinking_tokens=PULL_REVIEW_TOKENS)


def find_signed_in_agents(
    installation: Installation, config: Config, *, but: Collection[str] = ()
) -> Iterator[AgentSettings]:
    """Yield one agent per vendor, in a fixed order; `but`: vendors to skip without looking."""
    for settings in (get_agent_settings(config, name) for name in VENDORS):
        facts = make_agent(installation.environment, settings).read_facts() if settings.vendor not in but else None
        if facts and facts.is_installed and facts.login:
            yield settings


def read_agent_facts(installation: Installation, config: Config) -> dict[str, AgentFacts]:
    """Return the facts of each vendor's agent and each configured one, by name."""
    from concurrent.futures import ThreadPoolExecutor  # late: few commands need it

    names = sorted({*VENDORS, config.fixer, *config.fallback, *config.agents})

    def facts(name: str) -> AgentFacts:
        return make_agent(installation.environment, get_agent_settings(config, name)).read_facts()

    with ThreadPoolExecutor() as pool:  # each starts a program to get its version
        return dict(zip(names, pool.map(facts, names), strict=True))


def check_box(spec: RunSpec) -> None:
    """Raise before anything is recorded or spent, if the box cannot be used."""
    make_sound_box(spec.box)


def check_agents(installation: Installation, spec: RunSpec) -> None:
    """Raise before anything is recorded or spent, if an agent is missing or not signed in."""
    for choice in find_capability(spec.kind).agents(spec):
        _check_agent(installation, choice.agent, choice.option)


def list_unready_agents(installation: Installation, spec: RunSpec) -> dict[str, str]:
    """Return why agents of the run could not start now, in a few words, by agent name.

    Raises nothing, and does not test the box.
    """
    agents = [choice.agent for choice in find_capability(spec.kind).agents(spec)]
    return {agent.name: why for agent in agents if (why := _missing_part(installation, agent))}


def _missing_part(installation: Installation, agent: AgentSettings) -> str:
    facts = make_agent(installation.environment, agent).read_facts()
    if not facts.is_installed:
        return "not found" if agent.binary or agent.command else "not found on PATH"
    return "" if facts.login else "no key"


def _check_agent(installation: Installation, agent: AgentSettings, option: str) -> None:
    """`option`: the option that selects another agent."""
    facts = make_agent(installation.environment, agent).read_facts()
    if not facts.is_installed:
        message = f"the agent {agent.name} was not found: {facts.detail}"
        none = "`--review-agent off` needs none" if option == "--review-agent" else "`reknit demo` needs none"
        raise ToolMissingError("tool-missing", message, help=f"install it, or name another with {option}; {none}")
    if not facts.login:
        raise LoginNeededError(
            "login",
            f"{agent.name} has no key: {facts.detail}",
            help=f"`reknit doctor --agent {agent.name}` says more; {option} selects another; `reknit` lists all",
        )
