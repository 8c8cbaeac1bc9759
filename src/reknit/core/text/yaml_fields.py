"""Reads each field of a frontmatter on its own with PyYAML, as text only, within limits on size and depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from reknit.core.text.truncate import count_bytes

Event: TypeAlias = Any  # PyYAML has no types

MAX_BYTES = 65_536
"""Maximum size of all fields together; larger ones are refused without being parsed."""
MAX_DEPTH = 20
"""Maximum depth of lists and maps inside a field."""
NO_FIELD = "this is no field"


@dataclass(frozen=True)
class Scalar:
    """A word, number, date or text: always its characters, never a Python number or date."""

    text: str
    is_plain: bool
    """Written without quotes."""
    is_one_line: bool
    """False: a block, or continued on the next line."""


@dataclass(frozen=True)
class YamlMap:
    """A map inside a field, in the order of the file."""

    items: tuple[tuple[str, YamlValue], ...]


YamlValue: TypeAlias = "Scalar | tuple[YamlValue, ...] | YamlMap"


@dataclass(frozen=True)
class YamlField:
    """One `name: value` of a frontmatter, or lines that are not a field."""

    line: int
    """Its first line, counted from 1."""
    name: str
    """Empty: the lines are not a field."""
    value: YamlValue | None
    """None: `problem` says why it cannot be read."""
    problem: str = ""


class _NotReadableError(Exception):
    """The field uses a part of YAML that is not supported here."""


def read_fields(lines: Sequence[str], first: int) -> Iterator[YamlField]:
    """Yield each field, even if others are broken. `first`: the number of the first line."""
    if sum(map(count_bytes, lines)) > MAX_BYTES:
        yield YamlField(first, "", None, f"the fields are longer than {MAX_BYTES:,} bytes")
        return
    for line, block in _split_blocks(lines, first):
        yield YamlField(line, *_read_block("\n".join(block)))


def _split_blocks(lines: Sequence[str], first: int) -> Iterator[tuple[int, list[str]]]:
    """Yield each field's first line and its lines: a line at the margin begins one, unless it is an item of a list."""
    block: list[str] = []
    start = first
    for number, line in enumerate(lines, first):
        is_blank = not line.strip() or line.lstrip().startswith("#")
        if not block and is_blank:
            continue
        is_inside = is_blank or line[0] in " \t" or line.rstrip() == "-" or line.startswith(("- ", "-\t"))
        if block and not is_inside:
            yield start, block
            block = []
        if not block:
            start = number
        block.append(line)
    if block:
        yield start, block


@lru_cache(maxsize=1_000)  # the documents of a repository have most of their fields in common
def _read_block(text: str) -> tuple[str, YamlValue | None, str]:
    """Return the name, the value, and why the value cannot be read.

    The parser yields events, not objects: events keep dates as written, and reading stops at a level that is too deep.
    """
    import yaml  # type: ignore[import-untyped]  # late: few commands read YAML

    name = ""
    prologue = (yaml.StreamStartEvent, yaml.DocumentStartEvent)
    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    try:
        start = next((event for event in events if not isinstance(event, prologue)), None)
        if text[0] in " \t?" or not isinstance(start, yaml.MappingStartEvent) or start.flow_style:
            return "", None, NO_FIELD
        name = _read_key(yaml, next(events))
        value = _read_value(yaml, events, next(events), 1)
        for _ in events:  # an error may come after the value
            pass
    except yaml.MarkedYAMLError as error:
        return name, None, ", ".join(filter(None, (error.context, error.problem))) if name else NO_FIELD
    except (yaml.YAMLError, UnicodeEncodeError):
        return name, None, "it has a character that YAML does not allow"
    except _NotReadableError as error:
        return name, None, str(error) if name else NO_FIELD
    return name, value, ""


def _read_key(yaml: Any, event: Event) -> str:
    if not isinstance(event, yaml.ScalarEvent) or not event.value or event.anchor or event.tag:
        raise _NotReadableError("a key of it is no word")
    return str(event.value)


def _read_value(yaml: Any, events: Iterator[Event], event: Event, depth: int) -> YamlValue:
    if isinstance(event, yaml.AliasEvent) or event.anchor or event.tag:
        raise _NotReadableError("it has an anchor, an alias or a tag")
    if isinstance(event, yaml.ScalarEvent):
        is_one_line = event.style not in ("|", ">") and event.start_mark.line == event.end_mark.line
        return Scalar(event.value, is_plain=not event.style, is_one_line=is_one_line)
    if depth > MAX_DEPTH:
        raise _NotReadableError(f"it is nested deeper than {MAX_DEPTH} levels")
    if isinstance(event, yaml.SequenceStartEvent):
        return tuple(_read_value(yaml, events, item, depth + 1) for item in _until(events, yaml.SequenceEndEvent))
    pairs: dict[str, YamlValue] = {}
    for key_event in _until(events, yaml.MappingEndEvent):
        key = _read_key(yaml, key_event)
        if key in pairs:
            raise _NotReadableError(f"it has `{key}` twice")
        pairs[key] = _read_value(yaml, events, next(events), depth + 1)
    return YamlMap(tuple(pairs.items()))


def _until(events: Iterator[Event], end: type) -> Iterator[Event]:
    """Yield events until the end of a list or map; the caller takes those of nested ones."""
    while not isinstance(event := next(events), end):
        yield event
