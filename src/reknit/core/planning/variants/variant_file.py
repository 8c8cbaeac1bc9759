"""Parses a variant's TOML file: every field is checked, and all problems are reported at once."""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from reknit.core.agents.strategy import Strategy
from reknit.core.planning.intent import slug
from reknit.core.planning.variants.signals import NAMES
from reknit.core.planning.variants.variant import Floor, Flow, Variant
from reknit.core.text.did_you_mean import did_you_mean
from reknit.core.text.format import words

_Word = TypeVar("_Word", bound=str)
FIELDS = (
    "purpose", "flow", "base", "signals", "floors", "strategy", "agent", "model",
    "budget_usd", "timeout_s", "attempts", "tasks",
)  # fmt: skip
_KEY = re.compile(r"\[?[\"']?([\w-]{1,60})")
_AT_LINE = re.compile(r"at line (\d+)")
_LONGEST_NAME = 40
_LONGEST_TEXT = 300
_LONGEST_WORD = 100
_SHOWN = 60


@dataclass(frozen=True)
class VariantProblem:
    """What is wrong in a variant file, and on which line."""

    line: int
    """0: not on one line."""
    what: str
    help: str = ""


class _Reader:
    """The fields of one file, and what was wrong with those that were asked for."""

    def __init__(self, text: str, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        self.problems: list[VariantProblem] = []
        self._lines = text.splitlines()

    def within(self, fields: Mapping[str, Any]) -> "_Reader":
        """The fields of a table in the same file."""
        inner = _Reader("", fields)
        inner.problems, inner._lines = self.problems, self._lines
        return inner

    def refuse(self, key: str, what: str, hint: str = "") -> None:
        found = (
            at for at, line in enumerate(self._lines, 1) if (key_of := _KEY.match(line.strip())) and key_of[1] == key
        )
        self.problems.append(VariantProblem(next(found, 0), what, hint))

    def text(self, key: str, longest: int) -> str:
        value = self.fields.get(key, "")
        if isinstance(value, str) and len(value) <= longest and value.isprintable():
            return value.strip()
        self.refuse(key, f"`{key}` must be one line of at most {longest} characters", f'write `{key} = "…"`')
        return ""

    def word(self, key: str) -> str:
        value = self.text(key, _LONGEST_WORD)
        if len(value.split()) > 1:
            self.refuse(key, f"`{key}` must be one word, not `{words(value, _SHOWN)}`")
        return value

    def choice(self, key: str, known: tuple[_Word, ...]) -> _Word:
        """The first one is the default."""
        return (*self._chosen(key, [self.fields.get(key, known[0])], known), known[0])[0]

    def choices(self, key: str, known: tuple[_Word, ...]) -> tuple[_Word, ...]:
        value = self.fields.get(key, [])
        if isinstance(value, list):
            return self._chosen(key, value, known)
        self.refuse(key, f"`{key}` is not a list", f'write `{key} = ["{known[0]}"]`')
        return ()

    def number(self, key: str, low: float, high: float, *, whole: bool = True) -> float:
        value = self.fields.get(key, 0)
        kind = int if whole else int | float
        if isinstance(value, kind) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        what = "a whole number" if whole else "a number"
        self.refuse(key, f"`{key}` must be {what} from {low:g} to {high:g}, not {_shown(value)}")
        return 0.0

    def _chosen(self, key: str, values: list[object], known: tuple[_Word, ...]) -> tuple[_Word, ...]:
        for value in values:
            if value not in known:
                expected = f"expected {', '.join(f'`{each}`' for each in known)}"
                hint = did_you_mean(value, known) if isinstance(value, str) else ""
                self.refuse(key, f"{_shown(value)} is not a value of `{key}`", hint or expected)
        return tuple(each for each in known if each in values)


def _shown(value: object) -> str:
    """Not what is inside: how deep that may be to be printed depends on the version of Python."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return f"`{words(str(value), _SHOWN)}`"


def parse_variant(text: str, name: str, origin: str = "") -> Variant | tuple[VariantProblem, ...]:
    """`name`: of the file, without its ending. `origin`: the file, for people; empty: shipped with reknit."""
    try:
        return _parsed(text, name, origin)
    except ValueError as wrong:  # also a number with thousands of digits
        at = _AT_LINE.search(str(wrong))
        return (VariantProblem(int(at[1]) if at else 0, f"it is not TOML: {words(str(wrong))}"),)
    except RecursionError:
        return (VariantProblem(0, "its values are nested too deeply"),)


def _parsed(text: str, name: str, origin: str) -> Variant | tuple[VariantProblem, ...]:
    fields = tomllib.loads(text)
    reader = _Reader(text, fields)
    _check_names(reader, name)
    variant = _variant(reader, name, origin)
    if not variant.purpose and not any("`purpose`" in problem.what for problem in reader.problems):
        reader.refuse("purpose", "`purpose` is missing", 'write `purpose = "…"`: one sentence')
    return tuple(sorted(reader.problems, key=lambda problem: problem.line)) or variant


def _variant(reader: _Reader, name: str, origin: str) -> Variant:
    flows: tuple[Flow, ...] = get_args(Flow)
    floors: tuple[Floor, ...] = get_args(Floor)
    strategies: tuple[Strategy, ...] = get_args(Strategy)
    return Variant(
        name=name,
        purpose=reader.text("purpose", _LONGEST_TEXT),
        flow=reader.choice("flow", flows),
        base=int(reader.number("base", 0, 100)),
        signals=_signals(reader),
        floors=reader.choices("floors", floors),
        strategy=reader.choice("strategy", strategies),
        agent=reader.word("agent"),
        model=reader.word("model"),
        budget_usd=reader.number("budget_usd", 0, 10_000, whole=False),
        timeout_s=reader.number("timeout_s", 0, 30 * 86_400, whole=False),
        attempts=int(reader.number("attempts", 0, 100)),
        tasks=int(reader.number("tasks", 0, 1_000)),
        origin=origin,
    )


def _check_names(reader: _Reader, name: str) -> None:
    if slug(name) != name or len(name) > _LONGEST_NAME:
        what = f"`{words(name, _SHOWN)}` is not a variant's name: expected lower-case letters, digits and hyphens"
        reader.problems.append(VariantProblem(0, what, f"rename it to {slug(name)[:_LONGEST_NAME].strip('-')}.toml"))
    for key in _unknown(reader.fields, FIELDS):
        hint = did_you_mean(key, FIELDS) or f"the fields are {', '.join(FIELDS)}"
        reader.refuse(key, f"unknown field `{words(key, _SHOWN)}`", hint)


def _signals(reader: _Reader) -> tuple[tuple[str, int], ...]:
    """In the order of the table, whatever the file's is."""
    found = reader.fields.get("signals", {})
    if not isinstance(found, dict):
        reader.refuse("signals", "`signals` is not a table", "write `[signals]`, and below it `red-ci = 40`")
        return ()
    for key in _unknown(found, NAMES):
        hint = did_you_mean(key, NAMES) or f"the signals are {', '.join(NAMES)}"
        reader.refuse(key, f"unknown signal `{words(key, _SHOWN)}`", hint)
    weights = reader.within(found)
    return tuple((name, int(weights.number(name, -100, 100))) for name in NAMES if name in found)


def _unknown(fields: Mapping[str, Any], known: Collection[str]) -> list[str]:
    return [key for key in fields if key not in known]
