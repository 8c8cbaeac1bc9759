"""Scores every variant by the signals and says which may not be recommended. It ranks; it does not pick."""

from collections.abc import Iterable, Mapping

from reknit.core.planning.constraints import Facts, broken
from reknit.core.planning.context import RepoContext
from reknit.core.planning.exploration.document import Tree
from reknit.core.planning.intent import Intent
from reknit.core.planning.variants.floors import unmet
from reknit.core.planning.variants.signals import measure
from reknit.core.planning.variants.variant import Variant, VariantScore

_BY_VARIANT = ("variant", "model")
"""Limits that one variant breaks and another does not; the others hold for a run of any of them."""


def score(context: RepoContext, variants: Iterable[Variant], intent: Intent) -> tuple[VariantScore, ...]:
    """Best first; equal ones by name."""
    evidence = measure(context)
    scores = (_score(variant, evidence, disqualifying(variant, context, intent)) for variant in variants)
    return tuple(sorted(scores, key=lambda each: (-each.score_0_100, each.variant)))


def disqualifying(variant: Variant, context: RepoContext, intent: Intent) -> tuple[str, ...]:
    """Why a variant may not be recommended here: forbidden by the operator, or a floor does not hold."""
    models = ((variant.agent or variant.name, variant.model),) if variant.model else ()
    facts = Facts(context.branch, context.default_branch, models=models, variant=variant.name)
    limits = (constraint for constraint in intent.constraints if constraint.kind in _BY_VARIANT)
    operator = (f"the operator forbids it: {why}" for why in broken(limits, facts))
    return (*operator, *unmet(variant, context, intent))


def _score(variant: Variant, evidence: Mapping[str, str], excluded: tuple[str, ...]) -> VariantScore:
    counted = [(signal, weight) for signal, weight in variant.signals if signal in evidence]
    total = variant.base + sum(weight for _, weight in counted)
    base = (f"{variant.base:+d} in any repository",) if variant.base else ()
    reasons = (*base, *(f"{weight:+d} {signal}: {evidence[signal]}" for signal, weight in counted))
    return VariantScore(variant.name, max(0, min(100, total)), reasons, excluded)


def scores_document(scores: Iterable[VariantScore]) -> dict[str, Tree]:
    """As `--stage score` shows them, in the order of the ranking."""
    return {
        "VariantScores": [
            {
                "Variant": each.variant,
                "Score": each.score_0_100,
                "Reasons": list(each.reasons),
                "Disqualifying": list(each.disqualifying),
            }
            for each in scores
        ]
    }
