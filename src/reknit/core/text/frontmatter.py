"""Finds the frontmatter of a Markdown text, and parses its plain values."""

from collections.abc import Sequence
from dataclasses import dataclass

FENCE = "---"
_ENDS = (FENCE, "...")
"""Lines that end a YAML document."""
_STRUCTURED = ("[", "{", "|", ">", "&", "*", "!")
"""Characters that start a YAML value other than a word or a line of text."""


@dataclass(frozen=True)
class Fences:
    """The lines that enclose the frontmatter, as indexes from 0."""

    first: int
    """The first line with text."""
    is_open: bool
    """True if that line is the opening fence."""
    end: int
    """The closing fence; 0: there is none."""


def split_lines(text: str) -> list[str]:
    """Split a file into lines, without a byte order mark or carriage returns."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def find_fences(lines: Sequence[str]) -> Fences:
    """Find the lines that open and close the frontmatter."""
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].rstrip() != FENCE:
        return Fences(first, is_open=False, end=0)
    end = next((number for number in range(first + 1, len(lines)) if lines[number].rstrip() in _ENDS), 0)
    return Fences(first, is_open=True, end=end)


def parse_plain_value(value: str) -> str | None:
    """Return the text of a value, without quotes or comment; None if it is not text on one line."""
    if value[:1] in ('"', "'"):
        inner, closing, rest = value[1:].partition(value[0])
        return inner.strip() if closing and (not rest.strip() or rest.startswith(" #")) else None
    text = strip_comment(value)
    return None if text.startswith(_STRUCTURED) else text


def strip_comment(text: str) -> str:
    """Return the value without a YAML comment."""
    return "" if text.startswith("#") else text.partition(" #")[0].strip()
