"""What a run that makes a plan was asked, and what a run that a plan allowed may do."""

from dataclasses import dataclass

from reknit.core.agents.strategy import Strategy
from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import Intent
from reknit.core.planning.variants.variant import Variant, VariantScore

MIN_CONFIDENCE = 50
"""Below it, a person has to accept the plan."""


@dataclass(frozen=True)
class PlanTarget:
    """What a plan is made from; the repository was explored before the run started."""

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
    """What an agent may use from its first attempt on."""
    left_out: tuple[str, ...] = ()
    """Tasks that this run passes over, each with why."""
    new_files: tuple[str, ...] = ()
    """Files that its tasks create."""
