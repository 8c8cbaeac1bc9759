"""Reads limits that a person writes in a few words, and finds those that are broken."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from reknit.core.planning.intent import CAPS, Constraint, ConstraintKind
from reknit.core.text.format import sanitize_line, to_one_line

DEFAULT_BRANCH = "default branch"
"""The value that stands for the branch that origin names. No branch has a space in its name."""
NOT = "not"
"""Prefix of a value: any branch but this."""
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
    """The planned run, as limits see it. None or empty: not decided yet, so no rule about it is judged."""

    branch: str
    """Empty: none is checked out, which never satisfies a limit."""
    default_branch: str = ""
    models: tuple[tuple[str, str], ...] = ()
    """(agent, model) of each agent that would run; an empty model is the agent's own, which nobody knows."""
    budget_usd: float | None = None
    time_limit_s: float | None = None
    """0: no limit."""
    variant: str = ""


def parse_constraint(text: str, variant_names: Collection[str], branches: Collection[str] = ()) -> Constraint:
    """Return the limit that a text sets. `branches`: the existing ones, so that `only on NAME` can mean one of them."""
    phrase = to_one_line(text).casefold().replace("’", "'").rstrip(".!")
    readings: tuple[tuple[ConstraintKind, str], ...] = (
        ("never", _parse_never(phrase)),
        ("time", _parse_time(phrase)),
        ("budget", _parse_budget(phrase)),
        ("variant", _parse_forbidden_variant(phrase, variant_names)),
        ("model", _parse_forbidden_model(phrase)),
        ("branch", _parse_branch(to_one_line(text).rstrip(".!"), branches)),
    )
    return next((Constraint(kind, text, value) for kind, value in readings if value), Constraint("unchecked", text))


def parse_constraints(
    text: str, variant_names: Collection[str], branches: Collection[str] = ()
) -> tuple[Constraint, ...]:
    """Split a text such as `no opus, no grey or red` into limits if code can check each; else keep it whole."""
    whole = parse_constraint(text, variant_names, branches)
    if whole.kind != "unchecked":
        return (whole,)
    parts: list[Constraint] = []
    for part in filter(None, map(str.strip, _SPLIT.split(text))):
        constraint = parse_constraint(part, variant_names, branches)
        if constraint.kind == "unchecked" and parts:  # `no grey or red`: the second is forbidden too
            constraint = parse_constraint(f"no {part}", variant_names, branches)
        parts.append(constraint)
    return tuple(parts) if parts and all(part.kind != "unchecked" for part in parts) else (whole,)


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


def _parse_never(phrase: str) -> str:
    return "force-push" if _NEVER.fullmatch(phrase) else ""


def _parse_time(phrase: str) -> str:
    for cap, seconds in CAPS.items():
        if phrase in (cap, cap.removeprefix("~")):
            return str(seconds)
    match = _TIME.fullmatch(phrase) or _TIME_LAST.fullmatch(phrase)
    if not match:
        return ""
    number = float(match[1]) if match[1][0].isdigit() else 1.0
    return _format_number(number * _UNITS[match[2][0]]) if number else ""


def _parse_budget(phrase: str) -> str:
    match = _BUDGET.fullmatch(phrase) or _BUDGET_LAST.fullmatch(phrase)
    amount = next(filter(None, match.groups()), "") if match else ""
    usd = float(amount.replace(",", "") or 0)
    return _format_number(usd) if usd else ""


def _format_number(value: float) -> str:
    return f"{value:.2f}".removesuffix(".00")


def _parse_forbidden_variant(phrase: str, variant_names: Collection[str]) -> str:
    match = _FORBIDS.fullmatch(phrase)
    return match[1] if match and match[1] in variant_names else ""


def _parse_forbidden_model(phrase: str) -> str:
    match = _FORBIDS.fullmatch(phrase)
    return match[1] if match and _MODEL.fullmatch(match[1]) else ""


def _parse_branch(phrase: str, branches: Collection[str]) -> str:
    """Return the branch in its own case: names of branches differ by it."""
    branch = _match_branch(phrase, branches)
    return branch or _match_branch(phrase[:1].lower() + phrase[1:], branches)  # as a sentence begins


def _match_branch(phrase: str, branches: Collection[str]) -> str:
    if off := _OFF_BRANCH.fullmatch(phrase):
        name = _resolve_branch(off[1], off[2], branches)
        return f"{NOT} {name}" if name else ""
    if match := _BRANCH.fullmatch(phrase):
        name, suffix = next((match[at], match[at + 1]) for at in (1, 3, 5) if match[at])
        return _resolve_branch(name, suffix, branches)
    return ""


def _resolve_branch(name: str, suffix: str | None, branches: Collection[str]) -> str:
    """Return the branch's name; empty: the word names no branch."""
    if name == "default" and suffix:
        return DEFAULT_BRANCH
    return name if suffix or name in branches or name in _BRANCHES else ""


def _accept(_value: str, _facts: Facts) -> str:
    """Accept a limit that is always kept, or that code cannot check."""
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
    name = value.removeprefix(f"{NOT} ")
    expected_branch = facts.default_branch if name == DEFAULT_BRANCH else name
    if expected_branch and facts.branch and (facts.branch == expected_branch) == (name == value):
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
