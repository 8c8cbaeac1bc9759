"""The page of variants, signals, rules for plans and limits in a person's own words."""

from collections.abc import Iterable, Iterator

from scripts.reference.tables import table

from reknit.app.start.instructions.variant_files import read_variants
from reknit.core.planning.constraints import parse_constraint
from reknit.core.planning.intent import Constraint
from reknit.core.planning.validation.rules import RULES
from reknit.core.planning.variants.scoring import CONFIRM
from reknit.core.planning.variants.signals import SIGNALS
from reknit.core.planning.variants.variant import Variant
from reknit.core.planning.variants.variant_file import FIELDS
from reknit.core.text.format import pluralize

LIMIT_EXAMPLES = (
    "no opus", "no gpt-5", "no grey", "stay under $5", "max 5 USD", "main only", "not on main",
    "only on the default branch", "single session", "~1 hour", "within 2 hours", "no force-push", "no new dependencies",
)  # fmt: skip


def variants_page() -> str:
    variants = read_variants(None)
    weights = table(
        ("signal", "what it looks for", "counts from", "why", "weights"),
        ((f"`{each.name}`", each.looks_for, each.number, each.why, _weights(each.name, variants)) for each in SIGNALS),
    )
    rules = table(
        ("rule", "hard", "what holds"),
        ((f"`{name}`", "yes" if each.hard else "no", each.sentence) for name, each in RULES.items()),
    )
    limits = table(
        ("for example", "kind", "what is compared"),
        ((f"`{text}`", found.kind, f"`{found.value}`" if found.value else "") for text, found in _limits(variants)),
    )
    return f"""# Variants

A variant is a kind of work with limits, and conditions under which it may run. `reknit plan` scores each one from 0 to
100, and the model that proposes a plan chooses from the ranking. A repository can add others in
`.reknit/variants/NAME.toml`, but replace none of these. The fields are
`{"`, `".join(FIELDS)}`.

{table(("variant", "purpose", "flow", "needs", "limits"), map(_variant_row, variants))}
A budget or time limit here only lowers the configured one. The conditions under "needs" are:

- `off the default branch`: the current branch is not the default branch of origin.
- `confirmed`: `{CONFIRM}` was given.
- `clean tree`: no uncommitted change outside `.reknit/plans`.
- `tests`: a test command was found.

A condition that cannot be checked counts as not met.

## Signals

A score is the variant's base plus the weights of the signals that were found, kept between 0 and 100. No model is
involved: the same commit and date give the same scores.

{weights}
Base: {", ".join(f"{each.name} {each.base}" for each in variants if each.base)}; the others 0.

## Rules for a proposed plan

A plan that breaks a hard rule is a `fallback`. A plan that breaks another rule is `provisional` until a person accepts
it (`reknit plan accept TOPIC`).

{rules}
## Limits in your own words

`--constraint` takes a few words. Limits that code understands become rules for the plan and for the run. Any other
text is only shown to the model, and the plan says that no code checks it. The run gets the lowest of all budgets and of
all time limits.

{limits}"""


def _variant_row(variant: Variant) -> tuple[str, ...]:
    limits = (
        (f"${variant.budget_usd:g}", variant.budget_usd),
        (f"{variant.timeout_s / 3600:g} hours", variant.timeout_s),
        (pluralize(variant.attempts, "attempt"), variant.attempts),
        (pluralize(variant.tasks, "task"), variant.tasks),
    )
    named = ", ".join(text for text, value in limits if value)
    return f"`{variant.name}`", variant.purpose, variant.flow, ", ".join(variant.floors), named


def _limits(variants: Iterable[Variant]) -> Iterator[tuple[str, Constraint]]:
    names = [variant.name for variant in variants]
    for text in LIMIT_EXAMPLES:
        yield text, parse_constraint(text, names)


def _weights(signal: str, variants: Iterable[Variant]) -> str:
    return ", ".join(f"{each.name} {weight:+d}" for each in variants for name, weight in each.signals if name == signal)
