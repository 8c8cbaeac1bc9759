"""Defines the fields of a report; the schema, the validation and the docs share each definition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Generic, Protocol, TypeVar

from reknit.core.text.redact import clean, redact

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Word = TypeVar("Word", bound=str)

LARGEST = 2**31 - 1
"""Default upper bound of an integer; it fits into any database column."""
_MAX_UNKNOWN_FIELDS = 10
_SHOWN_CHARACTERS = 40
_LARGEST_SHOWN = 10**15


@dataclass(frozen=True)
class InvalidValue:
    """A value that a rule refuses."""

    got: str
    """Description of the value, safe to show: cleaned, redacted and short."""


class FieldRule(Protocol[T_co]):
    """The rule of a field: its JSON schema, and the check of a value."""

    @property
    def expected(self) -> str: ...

    @property
    def blank(self) -> T_co:
        """Return the value that replaces an invalid one until all fields are read; then the call is refused."""

    def schema(self) -> dict[str, object]: ...

    def read(self, value: object) -> T_co | InvalidValue: ...


@dataclass(frozen=True)
class Field(Generic[T]):
    """A named field of a report."""

    name: str
    about: str
    rule: FieldRule[T]
    default: T | None = None
    """None: the field is required."""

    def schema(self) -> dict[str, object]:
        default = {} if self.default is None else {"default": self.default}
        return {**self.rule.schema(), "description": self.about, **default}


@dataclass(frozen=True)
class Text:
    """Accepts a text, which is cleaned and redacted."""

    longest: int
    shortest: int = 1
    one_line: bool = False
    blank: str = ""

    @property
    def expected(self) -> str:
        return f"text of {self.shortest} to {self.longest} characters"

    def schema(self) -> dict[str, object]:
        return {"type": "string", "minLength": self.shortest, "maxLength": self.longest}

    def read(self, value: object) -> str | InvalidValue:
        if not isinstance(value, str):
            return InvalidValue(show_value(value))
        text = redact(clean(value)).strip()
        text = " ".join(text.split()) if self.one_line else text
        return text if self.shortest <= len(text) <= self.longest else InvalidValue(f"{len(text)} characters")


@dataclass(frozen=True)
class RelativePath:
    """Accepts the path of a file in the repository."""

    longest: int = 1_000
    expected: str = "a path relative to the top of the repository, with forward slashes and without .."
    blank: str = ""

    def schema(self) -> dict[str, object]:
        return {"type": "string", "minLength": 1, "maxLength": self.longest}

    def read(self, value: object) -> str | InvalidValue:
        if not isinstance(value, str):
            return InvalidValue(show_value(value))
        parts = [part for part in value.split("/") if part not in ("", ".")]
        # A cleaned name would be another file, so a name that needs cleaning is refused.
        is_plain = clean(value) == value and not any(character in value for character in "\n\t\\")
        is_inside = bool(parts) and ".." not in parts and not value.startswith("/")
        if not is_plain or not is_inside or len(value) > self.longest:
            return InvalidValue(show_value(value))
        return redact("/".join(parts))


@dataclass(frozen=True)
class IntegerRule:
    """Accepts an integer in a range."""

    lowest: int
    highest: int = LARGEST

    @property
    def expected(self) -> str:
        if self.highest == LARGEST:
            return f"an integer >= {self.lowest}"
        return f"an integer from {self.lowest} to {self.highest}"

    @property
    def blank(self) -> int:
        return self.lowest

    def schema(self) -> dict[str, object]:
        return {"type": "integer", "minimum": self.lowest, "maximum": self.highest}

    def read(self, value: object) -> int | InvalidValue:
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # some clients have one number type and write 12 as 12.0; JSON Schema accepts it too
        if isinstance(value, bool) or not isinstance(value, int) or value < self.lowest:
            return InvalidValue(show_value(value))
        if value <= self.highest:
            return value
        return InvalidValue(
            f"{show_value(value)}, which is too large" if self.highest == LARGEST else show_value(value)
        )


@dataclass(frozen=True)
class OneOf(Generic[Word]):
    """Accepts one of several words."""

    words: tuple[Word, ...]

    @property
    def expected(self) -> str:
        return f"one of {', '.join(self.words)}"

    @property
    def blank(self) -> Word:
        return self.words[0]

    def schema(self) -> dict[str, object]:
        return {"type": "string", "enum": list(self.words)}

    def read(self, value: object) -> Word | InvalidValue:
        return next((word for word in self.words if word == value), InvalidValue(show_value(value)))


class FieldReader:
    """Reads the arguments of one call and collects everything that is wrong with them."""

    def __init__(self, arguments: object, fields: Sequence[Field[Any]]) -> None:
        self._arguments: Mapping[str, object] = arguments if isinstance(arguments, dict) else {}
        self.problems = _list_unknown(self._arguments, [field.name for field in fields])
        if not isinstance(arguments, dict):
            self.add_problem(f"arguments: expected an object, got {show_value(arguments)}")

    def take(self, field: Field[T]) -> T:
        """Return the value of a field; if it is invalid, note the problem and return a placeholder."""
        value = self._arguments.get(field.name)
        if value is None and field.default is not None:
            return field.default  # null too: strict clients cannot omit a field
        got = InvalidValue("nothing") if field.name not in self._arguments else field.rule.read(value)
        if not isinstance(got, InvalidValue):
            return got
        self.problems.append(f"{field.name}: expected {field.rule.expected}, got {got.got}")
        return field.rule.blank

    def add_problem(self, why: str) -> None:
        self.problems.append(why)


def show_value(value: object) -> str:
    """Describe an invalid value in a short text that is safe to show to a person or a model."""
    if isinstance(value, str):
        text = redact(clean(value))
        return repr(text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value) if abs(value) < _LARGEST_SHOWN else "a huge number"
    if isinstance(value, float):
        return str(value)
    return "a list" if isinstance(value, list) else "an object"


def _list_unknown(arguments: Mapping[str, object], names: Sequence[str]) -> list[str]:
    unknown = [name for name in arguments if name not in names]
    messages = [
        f"{show_value(name)}: unknown field, {_suggest_field(name, names)}" for name in unknown[:_MAX_UNKNOWN_FIELDS]
    ]
    remaining = len(unknown) - len(messages)
    return [*messages, f"{remaining} more unknown fields"] if remaining else messages


def _suggest_field(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name[:_SHOWN_CHARACTERS].lower(), names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"the fields are {', '.join(names)}"
