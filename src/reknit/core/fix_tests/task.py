"""The task of a `fix tests` run."""

from dataclasses import dataclass
from typing import ClassVar

from reknit.core.agents.call import AgentSettings
from reknit.core.planning.targets import VariantTarget
from reknit.core.runs.spec import Task


@dataclass(frozen=True)
class HoldoutWriters:
    """The agents that may write test cases for a fix without seeing it, and their budget."""

    agents: tuple[AgentSettings, ...]
    """The agents, the preferred one first."""
    budget_usd: float
    """Maximum cost per fix in US dollars, as a part of the run's budget."""

    def writer_for(self, fixer: AgentSettings) -> AgentSettings | None:
        """Return the first agent of another vendor than the fixer's."""
        return next((agent for agent in self.agents if agent.vendor != fixer.vendor), None)


@dataclass(frozen=True)
class FixTests(Task):
    """Repair red tests."""

    kind: ClassVar[str] = "fix tests"
    named_tests: tuple[str, ...] = ()
    """Ids of the tests that the user named; empty: every red test."""
    again: bool = False
    """True if agents are called even if an earlier run gave up on the same problem."""
    bug: str = ""
    """The id that a person gave to the bug; empty: it has none."""
    hint: str = ""
    """Advice of the person who started the run, for its agents."""
    writes_state: bool = False
    """True if the person wants the state of the bug in a file of the repository while the run works."""
    holdout: HoldoutWriters | None = None
    """Writers of hold-out cases; None: there is no hold-out."""
    variant: VariantTarget | None = None
    """The plan that started this run; None: a person did."""
