"""The page of variants, signals, rules for plans and limits."""

from collections.abc import Iterable

from scripts.reference.tables import table

from reknit.app.start.instructions.variant_files import read_variants
from reknit.core.planning.constraints import LIMITS
from reknit.core.planning.criteria import FORMS
from reknit.core.planning.rules import RULES
from reknit.core.planning.variants.scoring import CONFIRM
from reknit.core.planning.variants.signals import SIGNALS
from reknit.core.planning.variants.variant import Variant
from reknit.core.planning.variants.variant_file import FIELDS
from reknit.core.text.format import pluralize

LIMIT_TEXTS = {
    "deny_models": ("`deny_models: opus, gpt-5`", "no agent may run a model with such a word in its name"),
    "deny_variants": ("`deny_variants: grey`", "these variants are not recommended and do not run"),
    "max_usd": ("`max_usd: 5`", "US dollars that the plan's own call may cost, and each run on it"),
    "branch": ("`branch: main`", "the branch that must be checked out"),
}
"""Limit -> an example and what it does."""


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
    limits = table(("limit", "for example", "what it does"), ((f"`{name}`", *LIMIT_TEXTS[name]) for name in LIMITS))
    forms = "\n".join(f"- `{form}`" for form in FORMS)
    return f"""# Variants

A variant is a kind of work with limits, and conditions under which it may run. `reknit plan` scores each one from 0 to
100, and the model that proposes a plan chooses from the ranking. A repository can add others in
`.reknit/variants/NAME.toml`, but replace none of these. The fields are
`{"`, `".join(FIELDS)}`.

{table(("variant", "purpose", "flow", "needs", "limits"), map(_variant_row, variants))}
How a variant works, its flow:

- `tasks`: does the plan's tasks in their order, each in an agent call and a commit of its own.
- `hygiene`: the same, but small tasks in a row share a call and a commit (`batch.points`, `batch.issues`), except tasks
  that a criterion about their file judges.
- `ci`: works on what the checks of the branch's pull request report, as `reknit fix pr` does; on the default branch, or
  without a remote, on the red tests, as `reknit fix tests` does. The plan's tasks are not done one by one.
- `report`: a review that changes nothing.

Each ends with the plan's acceptance criteria.

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
## Limits

`--constraint` takes one of these, and the plan keeps it among the fields at its top. A text without `:` after its first
word is prose: the agent is told, and a person checks it. A run gets the lowest of all budgets and of all time limits
(`--cap`).

{limits}
## Acceptance criteria

A program can check these. A command passes with exit code 0; a path with blanks stands between backticks. Any other
text is prose, which a person checks.

{forms}
"""


def _variant_row(variant: Variant) -> tuple[str, ...]:
    limits = (
        (f"${variant.budget_usd:g}", variant.budget_usd),
        (f"{variant.timeout_s / 3600:g} hours", variant.timeout_s),
        (pluralize(variant.attempts, "attempt"), variant.attempts),
        (pluralize(variant.tasks, "task"), variant.tasks),
    )
    named = ", ".join(text for text, value in limits if value)
    return f"`{variant.name}`", variant.purpose, variant.flow, ", ".join(variant.floors), named


def _weights(signal: str, variants: Iterable[Variant]) -> str:
    return ", ".join(f"{each.name} {weight:+d}" for each in variants for name, weight in each.signals if name == signal)
