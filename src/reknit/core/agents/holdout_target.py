"""Who writes further test cases for a fix without seeing it, and what that may cost."""

from dataclasses import dataclass

from reknit.core.agents.call import AgentSettings


@dataclass(frozen=True)
class HoldoutTarget:
    agents: tuple[AgentSettings, ...]
    """In the order in which they are preferred."""
    budget_usd: float
    """Per fix; it counts into the budget of the run."""

    def writer_for(self, fixer: AgentSettings) -> AgentSettings | None:
        """The first of another vendor than that of the fix."""
        return next((agent for agent in self.agents if agent.vendor != fixer.vendor), None)
