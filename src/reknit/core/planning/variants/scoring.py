"""Scores every variant by the signals and explains which may not be recommended. It ranks and does not pick."""

from collections.abc import Callable, Iterable, Mapping

from reknit.core.planning.constraints import Facts, explain_violations
from reknit.core.planning.context import RepoContext
from reknit.core.planning.exploration.document import Tree
from reknit.core.planning.intent import Intent
from reknit.core.planning.variants.signals import list_changed_files, measure_signals
from reknit.core.planning.variants.variant import Floor, Variant, VariantScore
from reknit.core.text.format import pluralize

CONFIRM = "--confirm-burn-everything"
_BY_VARIANT = ("variant", "model")
"""Limits that one variant breaks and another does not; the others hold for a run of any of them."""


def find_unmet_floors(variant: Variant, context: RepoContext, intent: Intent) -> tuple[str, ...]:
    """Return why each floor that does not hold does not. A floor that cannot be checked does not hold."""
    return tuple(why for floor in variant.floors if (why := FLOORS[floor](context, intent)))


def _check_off_default_branch(context: RepoContext, _intent: Intent) -> str:
    if not context.branch:
        return "it needs a branch of its own, and none is checked out"
    if not context.default_branch:
        return "it must not run on the default branch, and origin does not say which one that is"
    return f"it must not run on the default branch {context.branch}" if context.on_default_branch else ""


def _check_confirmed(_context: RepoContext, intent: Intent) -> str:
    return "" if intent.confirmed else f"it needs {CONFIRM}, which was not given"


def _check_clean_tree(context: RepoContext, _intent: Intent) -> str:
    if not context.has_status:
        return "it needs a clean tree, and git did not say what has changed"
    changed = len(list_changed_files(context))
    return f"it needs a clean tree, and {pluralize(changed, 'file')} changed since the last commit" if changed else ""


def _check_tests(context: RepoContext, _intent: Intent) -> str:
    return "" if context.inventory.tests else "it needs a test command, and none was found"


FLOORS: Mapping[Floor, Callable[[RepoContext, Intent], str]] = {
    "off the default branch": _check_off_default_branch,
    "confirmed": _check_confirmed,
    "clean tree": _check_clean_tree,
    "tests": _check_tests,
}
"""Each check returns why the floor does not hold; empty: it holds."""


def score_variants(context: RepoContext, variants: Iterable[Variant], intent: Intent) -> tuple[VariantScore, ...]:
    """Return the scores, best first; equal ones by name."""
    evidence = measure_signals(context)
    scores = (
        _score_variant(variant, evidence, explain_disqualification(variant, context, intent)) for variant in variants
    )
    return tuple(sorted(scores, key=lambda score: (-score.score_0_100, score.variant)))


def explain_disqualification(variant: Variant, context: RepoContext, intent: Intent) -> tuple[str, ...]:
    """Return why a variant may not be recommended: the operator forbids it, or a floor does not hold."""
    models = ((variant.agent or variant.name, variant.model),) if variant.model else ()
    facts = Facts(context.branch, models=models, variant=variant.name)
    limits = (constraint for constraint in intent.constraints if constraint.kind in _BY_VARIANT)
    operator = (f"the operator forbids it: {why}" for why in explain_violations(limits, facts))
    return (*operator, *find_unmet_floors(variant, context, intent))


def _score_variant(variant: Variant, evidence: Mapping[str, str], excluded: tuple[str, ...]) -> VariantScore:
    hits = [(signal, weight) for signal, weight in variant.signals if signal in evidence]
    total = variant.base + sum(weight for _, weight in hits)
    base = (f"{variant.base:+d} in any repository",) if variant.base else ()
    reasons = (*base, *(f"{weight:+d} {signal}: {evidence[signal]}" for signal, weight in hits))
    return VariantScore(variant.name, max(0, min(100, total)), reasons, excluded)


def scores_to_document(scores: Iterable[VariantScore]) -> dict[str, Tree]:
    """Return the scores for `--stage score`, in the order of the ranking."""
    return {
        "VariantScores": [
            {
                "Variant": score.variant,
                "Score": score.score_0_100,
                "Reasons": list(score.reasons),
                "Disqualifying": list(score.disqualifying),
            }
            for score in scores
        ]
    }
