"""Reads limits such as `max_usd: 3`, which a person sets for a plan and its runs, and finds those that are broken."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reknit.core.planning.intent import Constraint, ConstraintKind
from reknit.core.text.format import sanitize_line, suggest_similar

LIMITS: Mapping[str, ConstraintKind] = {
    "deny_models": "model",
    "deny_variants": "variant",
    "max_usd": "budget",
    "branch": "branch",
}
"""Names of limits in a plan file and on the command line."""
LISTS = ("deny_models", "deny_variants")
_UNKNOWN_MODELS = ("", "default", "auto", "inherit")
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude", "opus", "sonnet", "haiku"),
    "codex": ("codex", "gpt", "chatgpt", "o"),
    "gemini": ("gemini", "gemma"),
}
"""Agent -> what its models are called: its own model is never one of another vendor."""


@dataclass(frozen=True)
class Facts:
    """The planned run, as limits see it. None or empty: not decided yet, so no rule about it is judged."""

    branch: str
    """Empty: none is checked out, which never satisfies a limit."""
    models: tuple[tuple[str, str], ...] = ()
    """(agent, model) of each agent that would run; an empty model is the agent's own, which nobody knows."""
    budget_usd: float | None = None
    time_limit_s: float | None = None
    """0: no limit."""
    variant: str = ""


def make_limit(name: str, value: str) -> Constraint | str:
    """Return the limit of this name, or what is wrong with it."""
    kind = LIMITS.get(name)
    if not kind:
        return f"there is no limit {name}: the limits are {', '.join(LIMITS)}"
    value = value.strip()
    if not value:
        return f"{name} has no value"
    if kind == "budget":
        amount = value.removeprefix("$")
        if not amount.replace(".", "", 1).isdecimal() or not amount.isascii() or not float(amount):
            return f"{name} is no plain number of US dollars above 0: {sanitize_line(value, 40)}"
        return Constraint(kind, f"{name}: {amount}", amount)
    return Constraint(kind, f"{name}: {value}", value.casefold() if kind == "model" else value)


def parse_constraint(text: str, variants: Sequence[str] = ()) -> tuple[Constraint, ...] | str:
    """Return the limits that a person typed, or what is wrong with them. Prose is a limit that a person checks."""
    name, colon, rest = text.partition(":")
    if not colon or len(name.split()) != 1:
        return (Constraint("unchecked", text),)
    name = name.strip().lower().replace("-", "_")
    limits: list[Constraint] = []
    for value in rest.split(",") if name in LISTS else (rest,):
        limit = make_limit(name, value)
        if isinstance(limit, str):
            return limit
        if limit.kind == "variant" and limit.value not in variants:
            hint = suggest_similar(limit.value, variants) or f"the variants are {', '.join(variants)}"
            return f"there is no variant {sanitize_line(limit.value, 40)}; {hint}"
        limits.append(limit)
    return tuple(limits)


def explain_violations(constraints: Iterable[Constraint], facts: Facts) -> tuple[str, ...]:
    """Return why each broken constraint does not hold, in their order."""
    return tuple(
        f"“{sanitize_line(constraint.text)}”: {why}"
        for constraint in constraints
        if (why := _RULES.get(constraint.kind, _accept)(constraint.value, facts))
    )


def find_lowest_limit(constraints: Iterable[Constraint], kind: ConstraintKind) -> float | None:
    """Return the strictest budget (US dollars) or time (seconds); None: nobody set one."""
    limits = [float(constraint.value) for constraint in constraints if constraint.kind == kind]
    return min((limit for limit in limits if limit), default=None)


def _accept(_value: str, _facts: Facts) -> str:
    """Accept a limit that code cannot check."""
    return ""


def _check_variant(value: str, facts: Facts) -> str:
    return f"the variant is {value}" if facts.variant == value else ""


def _check_model(value: str, facts: Facts) -> str:
    for agent, model in facts.models:
        if _is_part_of_name(value, f"{agent} {model}".casefold()):
            return f"{agent} would run {model or 'its own model'}"
        if model.casefold() in _UNKNOWN_MODELS and value.startswith(_FAMILIES.get(agent, value)):
            return f"{agent} would run its own model, which may be {value}: set a model for it"
    return ""


def _is_part_of_name(word: str, model: str) -> bool:
    """Return True if a word of the model begins with it: `opus` names `claude-opus-4-5`; `o3` names no `gpt-4o3`."""
    at = model.find(word)
    while at > 0 and model[at - 1].isalnum():
        at = model.find(word, at + 1)
    return at >= 0


def _check_budget(value: str, facts: Facts) -> str:
    if facts.budget_usd is None or 0 < facts.budget_usd <= float(value):
        return ""
    return f"the budget is ${facts.budget_usd:.2f}" if facts.budget_usd else "there is no budget"


def _check_branch(value: str, facts: Facts) -> str:
    if facts.branch == value:
        return ""
    return f"the branch is {facts.branch}" if facts.branch else "no branch is checked out"


def _check_time(value: str, facts: Facts) -> str:
    if facts.time_limit_s is None or not float(value) or 0 < facts.time_limit_s <= float(value):
        return ""
    return f"the time limit is {facts.time_limit_s:.0f} s" if facts.time_limit_s else "there is no time limit"


_RULES: Mapping[ConstraintKind, Callable[[str, Facts], str]] = {
    "variant": _check_variant,
    "model": _check_model,
    "budget": _check_budget,
    "branch": _check_branch,
    "time": _check_time,
}
