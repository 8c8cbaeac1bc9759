"""Limits that a person writes in a few words: which of them code can check, and which are broken."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from reknit.core.planning.intent import CAPS, Constraint, ConstraintKind
from reknit.core.text.format import one_line, words

DEFAULT_BRANCH = "default branch"
"""As a value: the one that origin names. No branch has a space in its name."""
NOT = "not"
"""Before the value: any branch but this."""
_NO = r"(?:no|not|never|without|avoid|forbid|forbids|don't use|do not use|never use|exclude|ban)"
_AT_MOST = (
    r"(?:(?:stay|keep(?: it)?|spend|cost|costs|finish|done|take|takes|run|be) )?"
    r"(?:under|below|within|in under|max\.?|maximum|maximum of|max of|at most|no more than|not more than|less than"
    r"|up to|budget:?|budget of|cap:?|cap of|limit:?|limit of|<=?|≤)"
)
_LAST = r"(?:max|maximum|at most|cap|limit|budget)"
_AMOUNT = r"(\d{1,7}(?:\.\d{1,2})?|\d{1,3}(?:,\d{3}){1,2})"
_TOTAL = r"(?: (?:in )?total)?"
_BUDGET = re.compile(rf"{_AT_MOST} ?(?:(?:\$ ?|usd ){_AMOUNT}|{_AMOUNT} ?(?:usd|dollars?|\$)){_TOTAL}")
_BUDGET_LAST = re.compile(rf"(?:(?:\$ ?|usd ){_AMOUNT}|{_AMOUNT} ?(?:usd|dollars?|\$)) {_LAST}")
_SPAN = r"(\d{1,6}(?:\.\d{1,2})?|an?|one) ?(s|seconds?|min|minutes?|h|hours?|d|days?|w|weeks?)"
_TIME = re.compile(rf"{_AT_MOST} ?{_SPAN}{_TOTAL}")
_TIME_LAST = re.compile(rf"{_SPAN} {_LAST}")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
_FORBIDS = re.compile(rf"{_NO} (?:the )?(?:variant |model )?([a-z0-9][a-z0-9._-]{{0,60}})(?: variant| models?)?")
_MODEL = re.compile(
    r"(?:claude|opus|sonnet|haiku|gpt|chatgpt|codex|gemini|llama|mistral|mixtral|codestral|devstral|qwen|deepseek|grok|kimi|glm|phi|gemma)"
    r"(?![a-z])[a-z0-9._-]*|o[1-9](?![a-z0-9])[a-z0-9-]*"
)
_BRANCH = re.compile(
    r"(?:on )?(?:the )?([\w./-]{1,200})( branch)? only"
    r"|only (?:on )?(?:the )?([\w./-]{1,200})( branch)?"
    r"|(?:stay|work) (?:only )?on (?:the )?([\w./-]{1,200})( branch)?"
)
_OFF_BRANCH = re.compile(r"(?:(?:not|never) on|(?:stay |keep )?off(?: of)?) (?:the )?([\w./-]{1,200})( branch)?")
_BRANCHES = frozenset({"main", "master", "trunk", "develop", "development", "dev", "staging", "production", "next"})
_NEVER = re.compile(
    rf"(?:{_NO}|don't|do not) (?:git )?(?:force[- ]?push(?:es|ing)?|push(?:es|ing)? (?:--force|with force|-f))"
)
_SPLIT = re.compile(r"[,;]| and | or ")
_UNKNOWN_MODELS = ("", "default", "auto", "inherit")
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude", "opus", "sonnet", "haiku"),
    "codex": ("codex", "gpt", "chatgpt", "o"),
    "gemini": ("gemini", "gemma"),
}
"""Agent -> what its models are called: its own model is never one of another vendor."""


@dataclass(frozen=True)
class Facts:
    """What would happen; None or empty: it is not decided yet, so no rule about it is judged."""

    branch: str
    """Empty: none is checked out, which is never the branch that a limit asks for."""
    default_branch: str = ""
    models: tuple[tuple[str, str], ...] = ()
    """(agent, model) of each agent that would run; an empty model is the agent's own, which nobody knows."""
    budget_usd: float | None = None
    time_limit_s: float | None = None
    """0: no limit."""
    variant: str = ""


def parse_constraint(text: str, variant_names: Collection[str], branches: Collection[str] = ()) -> Constraint:
    """`branches`: those that are known to exist, so that `only on NAME` can mean one of them."""
    said = one_line(text).casefold().replace("’", "'").rstrip(".!")
    found: tuple[tuple[ConstraintKind, str], ...] = (
        ("never", _never(said)),
        ("time", _time(said)),
        ("budget", _budget(said)),
        ("variant", _forbidden(said, variant_names)),
        ("model", _model(said)),
        ("branch", _branch(one_line(text).rstrip(".!"), branches)),
    )
    return next((Constraint(kind, text, value) for kind, value in found if value), Constraint("unchecked", text))


def parse_constraints(
    text: str, variant_names: Collection[str], branches: Collection[str] = ()
) -> tuple[Constraint, ...]:
    """Several in one text, `no opus, no grey or red`, if code can check each of them; else the text as one."""
    whole = parse_constraint(text, variant_names, branches)
    if whole.kind != "unchecked":
        return (whole,)
    parts: list[Constraint] = []
    for part in filter(None, map(str.strip, _SPLIT.split(text))):
        found = parse_constraint(part, variant_names, branches)
        if found.kind == "unchecked" and parts:  # `no grey or red`: the second is forbidden too
            found = parse_constraint(f"no {part}", variant_names, branches)
        parts.append(found)
    return tuple(parts) if parts and all(part.kind != "unchecked" for part in parts) else (whole,)


def broken(constraints: Iterable[Constraint], facts: Facts) -> tuple[str, ...]:
    """Why each constraint that does not hold does not, in their order."""
    return tuple(
        f"“{words(constraint.text)}”: {why}"
        for constraint in constraints
        if (why := _RULES.get(constraint.kind, _holds)(constraint.value, facts))
    )


def lowest(constraints: Iterable[Constraint], kind: ConstraintKind) -> float | None:
    """The strictest budget (dollars) or time (seconds); None: nobody set one."""
    limits = [float(constraint.value) for constraint in constraints if constraint.kind == kind]
    return min((limit for limit in limits if limit), default=None)


def _never(said: str) -> str:
    return "force-push" if _NEVER.fullmatch(said) else ""


def _time(said: str) -> str:
    for cap, seconds in CAPS.items():
        if said in (cap, cap.removeprefix("~")):
            return str(seconds)
    found = _TIME.fullmatch(said) or _TIME_LAST.fullmatch(said)
    if not found:
        return ""
    number = float(found[1]) if found[1][0].isdigit() else 1.0
    return _number(number * _UNITS[found[2][0]]) if number else ""


def _budget(said: str) -> str:
    found = _BUDGET.fullmatch(said) or _BUDGET_LAST.fullmatch(said)
    amount = next(filter(None, found.groups()), "") if found else ""
    usd = float(amount.replace(",", "") or 0)
    return _number(usd) if usd else ""


def _number(value: float) -> str:
    return f"{value:.2f}".removesuffix(".00")


def _forbidden(said: str, variant_names: Collection[str]) -> str:
    found = _FORBIDS.fullmatch(said)
    return found[1] if found and found[1] in variant_names else ""


def _model(said: str) -> str:
    found = _FORBIDS.fullmatch(said)
    return found[1] if found and _MODEL.fullmatch(found[1]) else ""


def _branch(said: str, branches: Collection[str]) -> str:
    """In its own case: names of branches differ by it."""
    as_written = _branch_in(said, branches)
    return as_written or _branch_in(said[:1].lower() + said[1:], branches)  # as a sentence begins


def _branch_in(said: str, branches: Collection[str]) -> str:
    if off := _OFF_BRANCH.fullmatch(said):
        name = _branch_name(off[1], off[2], branches)
        return f"{NOT} {name}" if name else ""
    if found := _BRANCH.fullmatch(said):
        name, suffix = next((found[at], found[at + 1]) for at in (1, 3, 5) if found[at])
        return _branch_name(name, suffix, branches)
    return ""


def _branch_name(name: str, suffix: str | None, branches: Collection[str]) -> str:
    """Empty: the word names no branch."""
    if name == "default" and suffix:
        return DEFAULT_BRANCH
    return name if suffix or name in branches or name in _BRANCHES else ""


def _holds(_value: str, _facts: Facts) -> str:
    """Never done, or not to be checked by code."""
    return ""


def _variant_rule(value: str, facts: Facts) -> str:
    return f"the variant is {value}" if facts.variant == value else ""


def _model_rule(value: str, facts: Facts) -> str:
    for agent, model in facts.models:
        if _names(value, f"{agent} {model}".casefold()):
            return f"{agent} would run {model or 'its own model'}"
        if model.casefold() in _UNKNOWN_MODELS and value.startswith(_FAMILIES.get(agent, value)):
            return f"{agent} would run its own model, which may be {value}: set a model for it"
    return ""


def _names(word: str, model: str) -> bool:
    """`opus` names `claude-opus-4-5` and `opusplan`; `o3` does not name `gpt-4o3`."""
    at = model.find(word)
    while at > 0 and model[at - 1].isalnum():
        at = model.find(word, at + 1)
    return at >= 0


def _budget_rule(value: str, facts: Facts) -> str:
    if facts.budget_usd is None or 0 < facts.budget_usd <= float(value):
        return ""
    return f"the budget is ${facts.budget_usd:.2f}" if facts.budget_usd else "there is no budget"


def _branch_rule(value: str, facts: Facts) -> str:
    name = value.removeprefix(f"{NOT} ")
    named = facts.default_branch if name == DEFAULT_BRANCH else name
    if named and facts.branch and (facts.branch == named) == (name == value):
        return ""
    return f"the branch is {facts.branch}" if facts.branch else "no branch is checked out"


def _time_rule(value: str, facts: Facts) -> str:
    if facts.time_limit_s is None or not float(value) or 0 < facts.time_limit_s <= float(value):
        return ""
    return f"the time limit is {facts.time_limit_s:.0f} s" if facts.time_limit_s else "there is no time limit"


_RULES: Mapping[ConstraintKind, Callable[[str, Facts], str]] = {
    "variant": _variant_rule,
    "model": _model_rule,
    "budget": _budget_rule,
    "branch": _branch_rule,
    "time": _time_rule,
}
