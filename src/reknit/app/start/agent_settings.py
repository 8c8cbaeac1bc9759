"""The settings of one agent, from the configuration."""

from dataclasses import replace

from reknit.app.config.load import Config
from reknit.app.config.sections import AgentSection
from reknit.core.agents.call import PULL_REVIEW_TOKENS, AgentSettings
from reknit.core.errors import UsageProblem

VENDORS = ("claude", "codex", "gemini")


KINDS = (*VENDORS, "scripted", "any_command")


def agent_settings(config: Config, name: str) -> AgentSettings:
    part = config.agents.get(name) or AgentSection()
    kind = part.kind or (name if name in KINDS else "any_command")
    if kind == "any_command" and not part.command:
        known = ", ".join(sorted({*VENDORS, *config.agents}))
        raise UsageProblem("config", f"no agent {name!r}; known: {known}", help=f"set agents.{name}.command")
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


def fixers(config: Config) -> tuple[AgentSettings, ...]:
    """The agent that fixes, then those that take over while it is rate limited."""
    others = [name for name in config.fallback if name != config.fixer]
    return tuple(agent_settings(config, name) for name in (config.fixer, *others))


def pull_reader(agent: AgentSettings) -> AgentSettings:
    """An agent that votes on a pull request or reviews it: a Claude thinks as much as a fixer, unless it is set."""
    if agent.kind != "claude" or agent.thinking_tokens:
        return agent
    return replace(agent, thinking_tokens=PULL_REVIEW_TOKENS)
