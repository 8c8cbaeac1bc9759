"""Defines rules for fields that may be null, and for fields that contain a list or an object."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from reknit.core.agent_reports.fields import Field, FieldReader, FieldRule, InvalidValue, Text, show_value

T = TypeVar("T")


@dataclass(frozen=True)
class TextOrNull:
    """Accepts a text or null, which is read as an empty text."""

    longest: int
    blank: str = ""

    @property
    def expected(self) -> str:
        return f"{self._text.expected}, or null"

    @property
    def _text(self) -> Text:
        return Text(self.longest, one_line=True)

    def schema(self) -> dict[str, object]:
        return {**self._text.schema(), "type": ["string", "null"]}

    def read(self, value: object) -> str | InvalidValue:
        return "" if value is None else self._text.read(value)


@dataclass(frozen=True)
class ListOf(Generic[T]):
    """Accepts a list whose items follow one rule."""

    rule: FieldRule[T]
    most: int
    least: int = 1
    blank: tuple[T, ...] = ()

    @property
    def expected(self) -> str:
        return f"a list of {self.least} to {self.most}, each {self.rule.expected}"

    def schema(self) -> dict[str, object]:
        return {"type": "array", "items": self.rule.schema(), "minItems": self.least, "maxItems": self.most}

    def read(self, value: object) -> tuple[T, ...] | InvalidValue:
        if not isinstance(value, list):
            return InvalidValue(show_value(value))
        if not self.least <= len(value) <= self.most:
            return InvalidValue(f"a list of {len(value)}")
        items: list[T] = []
        for place, item in enumerate(value):
            got = self.rule.read(item)
            if isinstance(got, InvalidValue):
                return InvalidValue(f"{got.got} at [{place}]")
            items.append(got)
        return tuple(items)


@dataclass(frozen=True)
class ObjectOf(Generic[T]):
    """Accepts an object with these fields, and makes a value of it."""

    fields: tuple[Field[Any], ...]
    make: Callable[[Mapping[str, Any]], T]
    blank: T

    @property
    def expected(self) -> str:
        return f"an object of {', '.join(field.name for field in self.fields)}"

    def schema(self) -> dict[str, object]:
        return to_object_schema(self.fields)

    def read(self, value: object) -> T | InvalidValue:
        if not isinstance(value, dict):
            return InvalidValue(show_value(value))
        reading = FieldReader(value, self.fields)
        values = {field.name: reading.take(field) for field in self.fields}
        return InvalidValue(f"an object with {'; '.join(reading.problems)}") if reading.problems else self.make(values)


def to_object_schema(fields: tuple[Field[Any], ...]) -> dict[str, object]:
    """Return the JSON schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": {field.name: field.schema() for field in fields},
        "required": [field.name for field in fields if field.default is None],
        "additionalProperties": False,
    }
