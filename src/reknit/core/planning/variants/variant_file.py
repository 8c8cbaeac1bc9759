"""Parses a variant's TOML file: every field is checked, and all problems are reported at once."""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from reknit.core.agents.strategy import Strategy
from reknit.core.planning.intent import make_slug
from reknit.core.planning.variants.signals import NAMES
from reknit.core.planning.variants.variant import Floor, Flow, Variant
from reknit.core.text.format import sanitize_line, suggest_similar

_Word = TypeVar("_Word", bound=str)
FIELDS = (
    "purpose", "flow", "base", "signals", "floors", "strategy", "agent", "model",
    "budget_usd", "timeout_s", "attempts", "tasks",
)  # fmt: skip
_KEY = re.compile(r"\[?[\"']?([\w-]{1,60})")
_AT_LINE = re.compile(r"at line (\d+)")
_MAX_NAME_CHARS = 40
_MAX_TEXT_CHARS = 300
_MAX_WORD_CHARS = 100
_SHOWN = 60


@dataclass(frozen=True)
class VariantProblem:
    """A problem in a variant file, and its line."""

    line: int
    """0: not on one line."""
    message: str
    help: str = ""


class _Reader:
    """The fields of one file, and the problems of those that were read."""

    def __init__(self, text: str, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        self.problems: list[VariantProblem] = []
        self._lines = text.splitlines()

    def enter_table(self, fields: Mapping[str, Any]) -> "_Reader":
        """Return a reader for a table in the same file."""
        inner = _Reader("", fields)
        inner.problems, inner._lines = self.problems, self._lines
        return inner

    def refuse(self, key: str, message: str, hint: str = "") -> None:
        line_numbers = (
            at for at, line in enumerate(self._lines, 1) if (key_of := _KEY.match(line.strip())) and key_of[1] == key
        )
        self.problems.append(VariantProblem(next(line_numbers, 0), message, hint))

    def read_text(self, key: str, longest: int) -> str:
        value = self.fields.get(key, "")
        if isinstance(value, str) and len(value) <= longest and value.isprintable():
            return value.strip()
        self.refuse(key, f"`{key}` must be one line of at most {longest} characters", f'write `{key} = "…"`')
        return ""

    def read_word(self, key: str) -> str:
        value = self.read_text(key, _MAX_WORD_CHARS)
        if len(value.split()) > 1:
            self.refuse(key, f"`{key}` must be one word, not `{sanitize_line(value, _SHOWN)}`")
        return value

    def read_choice(self, key: str, options: tuple[_Word, ...]) -> _Word:
        """Return the value; the first option is the default."""
        return (*self._select_options(key, [self.fields.get(key, options[0])], options), options[0])[0]

    def read_choices(self, key: str, options: tuple[_Word, ...]) -> tuple[_Word, ...]:
        value = self.fields.get(key, [])
        if isinstance(value, list):
            return self._select_options(key, value, options)
        self.refuse(key, f"`{key}` is not a list", f'write `{key} = ["{options[0]}"]`')
        return ()

    def read_number(self, key: str, low: float, high: float, *, whole: bool = True) -> float:
        value = self.fields.get(key, 0)
        kind = int if whole else int | float
        if isinstance(value, kind) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        kind_name = "a whole number" if whole else "a number"
        self.refuse(key, f"`{key}` must be {kind_name} from {low:g} to {high:g}, not {_describe_value(value)}")
        return 0.0

    def _select_options(self, key: str, values: list[object], options: tuple[_Word, ...]) -> tuple[_Word, ...]:
        for value in values:
            if value not in options:
                expected = f"expected {', '.join(f'`{option}`' for option in options)}"
                hint = suggest_similar(value, options) if isinstance(value, str) else ""
                self.refuse(key, f"{_describe_value(value)} is not a value of `{key}`", hint or expected)
        return tuple(option for option in options if option in values)


def _describe_value(value: object) -> str:
    """Describe a value without its content: the depth that can be printed depends on the version of Python."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return f"`{sanitize_line(str(value), _SHOWN)}`"


def parse_variant(text: str, name: str, origin: str = "") -> Variant | tuple[VariantProblem, ...]:
    """Return the variant, or all problems. `name`: of the file, without its ending; `origin`: the file, for people."""
    try:
        return _parse_checked(text, name, origin)
    except ValueError as wrong:  # also a number with thousands of digits
        at = _AT_LINE.search(str(wrong))
        return (VariantProblem(int(at[1]) if at else 0, f"it is not TOML: {sanitize_line(str(wrong))}"),)
    except RecursionError:
        return (VariantProblem(0, "its values are nested too deeply"),)


def _parse_checked(text: str, name: str, origin: str) -> Variant | tuple[VariantProblem, ...]:
    fields = tomllib.loads(text)
    reader = _Reader(text, fields)
    _check_names(reader, name)
    variant = _build_variant(reader, name, origin)
    if not variant.purpose and not any("`purpose`" in problem.message for problem in reader.problems):
        reader.refuse("purpose", "`purpose` is missing", 'write `purpose = "…"`: one sentence')
    return tuple(sorted(reader.problems, key=lambda problem: problem.line)) or variant


def _build_variant(reader: _Reader, name: str, origin: str) -> Variant:
    flows: tuple[Flow, ...] = get_args(Flow)
    floors: tuple[Floor, ...] = get_args(Floor)
    strategies: tuple[Strategy, ...] = get_args(Strategy)
    return Variant(
        name=name,
        purpose=reader.read_text("purpose", _MAX_TEXT_CHARS),
        flow=reader.read_choice("flow", flows),
        base=int(reader.read_number("base", 0, 100)),
        signals=_read_signals(reader),
        floors=reader.read_choices("floors", floors),
        strategy=reader.read_choice("strategy", strategies),
        agent=reader.read_word("agent"),
        model=reader.read_word("model"),
        budget_usd=reader.read_number("budget_usd", 0, 10_000, whole=False),
        timeout_s=reader.read_number("timeout_s", 0, 30 * 86_400, whole=False),
        attempts=int(reader.read_number("attempts", 0, 100)),
        tasks=int(reader.read_number("tasks", 0, 1_000)),
        origin=origin,
    )


def _check_names(reader: _Reader, name: str) -> None:
    if make_slug(name) != name or len(name) > _MAX_NAME_CHARS:
        message = (
            f"`{sanitize_line(name, _SHOWN)}` is not a variant's name: expected lower-case letters, digits and hyphens"
        )
        reader.problems.append(
            VariantProblem(0, message, f"rename it to {make_slug(name)[:_MAX_NAME_CHARS].strip('-')}.toml")
        )
    for key in _find_unknown(reader.fields, FIELDS):
        hint = suggest_similar(key, FIELDS) or f"the fields are {', '.join(FIELDS)}"
        reader.refuse(key, f"unknown field `{sanitize_line(key, _SHOWN)}`", hint)


def _read_signals(reader: _Reader) -> tuple[tuple[str, int], ...]:
    """Return the weights in the order of the table of signals, not of the file."""
    table = reader.fields.get("signals", {})
    if not isinstance(table, dict):
        reader.refuse("signals", "`signals` is not a table", "write `[signals]`, and below it `red-ci = 40`")
        return ()
    for key in _find_unknown(table, NAMES):
        hint = suggest_similar(key, NAMES) or f"the signals are {', '.join(NAMES)}"
        reader.refuse(key, f"unknown signal `{sanitize_line(key, _SHOWN)}`", hint)
    weights = reader.enter_table(table)
    return tuple((name, int(weights.read_number(name, -100, 100))) for name in NAMES if name in table)


def _find_unknown(fields: Mapping[str, Any], known_names: Collection[str]) -> list[str]:
    return [key for key in fields if key not in known_names]
