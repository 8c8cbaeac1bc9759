"""Checks before a run starts: the box is sound, and its agents are installed and signed in."""

from reknit.app.installation import Installation
from reknit.app.makers import agent_maker, sound_box
from reknit.core.agents.call import AgentSettings
from reknit.core.capabilities import capability_of
from reknit.core.errors import LoginNeeded, ToolMissing
from reknit.core.runs.spec import RunSpec


def check_box(spec: RunSpec) -> None:
    """Raises before anything is recorded or spent."""
    sound_box(spec.box)


def check_agents(place: Installation, spec: RunSpec) -> None:
    """Raises before anything is recorded or spent."""
    for choice in capability_of(spec.kind).agents(spec):
        _check_agent(place, choice.agent, choice.option)


def unready(place: Installation, spec: RunSpec) -> dict[str, str]:
    """Agent of the run -> why it could not start now, in a few words; raises nothing, and does not test the box."""
    agents = [choice.agent for choice in capability_of(spec.kind).agents(spec)]
    return {agent.name: why for agent in agents if (why := _lacking(place, agent))}


def _lacking(place: Installation, agent: AgentSettings) -> str:
    facts = agent_maker(place.environment, agent).facts()
    if not facts.found:
        return "not found" if agent.binary or agent.command else "not found on PATH"
    return "" if facts.login else "no key"


def _check_agent(place: Installation, agent: AgentSettings, option: str) -> None:
    """`option`: the option that selects another agent."""
    facts = agent_maker(place.environment, agent).facts()
    if not facts.found:
        what = f"the agent {agent.name} was not found: {facts.detail}"
        none = "`--reviewer off` needs none" if option == "--reviewer" else "`reknit demo` needs none"
        raise ToolMissing("tool-missing", what, help=f"install it, or name another with {option}; {none}")
    if not facts.login:
        raise LoginNeeded(
            "login",
            f"{agent.name} has no key: {facts.detail}",
            help=f"`reknit doctor --agent {agent.name}` says more; {option} selects another; `reknit` lists all",
        )
