"""Describes a variant: the kind of work it is for, when it may run, and how."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.agents.strategy import Strategy
from reknit.core.text.format import pluralize, to_one_line

Flow = Literal["tasks", "hygiene", "ci", "report"]
"""The way in which a variant works: `tasks` does the plan's tasks in order, each in a call of its own; `hygiene` does
small ones together; `ci` repairs what CI reports, without the tasks; `report` is a review that changes nothing."""
Floor = Literal["off the default branch", "confirmed", "clean tree", "tests"]
"""Conditions of a run: another branch than the default one; `--confirm-burn-everything`; no uncommitted change; a
test command."""


@dataclass(frozen=True)
class Variant:
    """A way to work on a plan, from its TOML file."""

    name: str
    purpose: str
    """One sentence."""
    flow: Flow = "tasks"
    base: int = 0
    """Its score without any signal."""
    signals: tuple[tuple[str, int], ...] = ()
    """(signal, weight), as `signals.py` names them."""
    floors: tuple[Floor, ...] = ()
    strategy: Strategy = "local"
    """The strategy of an agent from its first attempt on."""
    agent: str = ""
    """Empty: the configured one."""
    model: str = ""
    """Empty: the agent's own."""
    budget_usd: float = 0.0
    """Maximum cost in US dollars; 0: the configured one. A run never gets more than is configured."""
    timeout_s: float = 0.0
    attempts: int = 0
    tasks: int = 0
    """Maximum number of tasks of one run; 0: as configured."""
    origin: str = ""
    """Its file, if it is not one of ours."""

    def describe(self) -> str:
        """Return its name, its purpose and its limits, for people and for the prompt of a plan."""
        minutes = f"{self.timeout_s / 60:.0f} minutes" if self.timeout_s else ""
        limits = [
            f"at most ${self.budget_usd:g}" if self.budget_usd else "",
            minutes,
            pluralize(self.attempts, "attempt") if self.attempts else "",
            pluralize(self.tasks, "task") if self.tasks else "",
            "changes nothing" if self.flow == "report" else "",
            "repairs CI, without tasks" if self.flow == "ci" else "",
            f"only if: {', '.join(self.floors)}" if self.floors else "",
        ]
        conditions = "; ".join(filter(None, limits))
        return to_one_line(f"{self.name}: {self.purpose}{f' ({conditions})' if conditions else ''}")


@dataclass(frozen=True)
class VariantScore:
    """The score of one variant in a repository."""

    variant: str
    score_0_100: int
    reasons: tuple[str, ...] = ()
    disqualifying: tuple[str, ...] = ()
    """Why it may not be recommended here."""
