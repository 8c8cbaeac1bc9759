"""Describes what a plan is made from."""

from dataclasses import dataclass
from typing import ClassVar

from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import Intent
from reknit.core.planning.targets import MIN_CONFIDENCE
from reknit.core.planning.variants.variant import Variant, VariantScore
from reknit.core.runs.spec import Task


@dataclass(frozen=True)
class WritePlan(Task):
    """Write a plan; the repository was explored before the run started."""

    kind: ClassVar[str] = "plan"
    intent: Intent
    context: RepoContext
    scores: tuple[VariantScore, ...]
    """Best first."""
    variants: tuple[Variant, ...]
    """Every registered one."""
    file: str
    """The plan, from the top of the repository."""
    min_confidence_0_100: int = MIN_CONFIDENCE
    replaces: bool = False
    """A plan that a person has edited may be overwritten."""
    models: tuple[tuple[str, str], ...] = ()
    """(agent, model) of the agents that would run the plan."""
