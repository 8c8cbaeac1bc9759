"""Describes the plan that lets a variant run, and the confidence that a plan needs."""

from collections.abc import Collection
from dataclasses import dataclass

from reknit.core.agents.strategy import Strategy

MIN_CONFIDENCE = 50
"""Below it, a person has to accept the plan."""


@dataclass(frozen=True)
class VariantTarget:
    """The plan that lets a variant run, as it was when the run started."""

    name: str
    topic: str
    plan: str
    """Its file, from the top of the repository."""
    digest: str
    """SHA-256 of its text."""
    text: str
    criteria: tuple[str, ...]
    grants: tuple[str, ...] = ()
    """Files for which the person who made the plan current lifts the gate's rules."""
    strategy: Strategy = "local"
    """The strategy of an agent from its first attempt on."""
    left_out: tuple[str, ...] = ()
    """Tasks that this run passes over, each with why."""
    new_files: tuple[str, ...] = ()
    """Files that its tasks create."""
    due: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """(task, criteria that are checked right after it)."""

    def list_due(self, titles: Collection[str]) -> tuple[int, ...]:
        """Return the criteria that are checked right after these tasks."""
        return tuple(number for title, numbers in self.due if title in titles for number in numbers)
