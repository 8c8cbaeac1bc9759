"""The frontmatter of a Markdown text: where it begins and ends, and how its plain values are written."""

from collections.abc import Sequence
from dataclasses import dataclass

FENCE = "---"
_ENDS = (FENCE, "...")
"""YAML ends a document with either."""
_STRUCTURED = ("[", "{", "|", ">", "&", "*", "!")
"""How YAML starts a value that is more than a word or a line of text."""


@dataclass(frozen=True)
class Fences:
    """Indexes of lines."""

    first: int
    """The first line with text: the opening fence, if there is one."""
    is_open: bool
    end: int
    """The closing fence; 0: there is none."""


def lines_of(text: str) -> list[str]:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def fences(lines: Sequence[str]) -> Fences:
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].rstrip() != FENCE:
        return Fences(first, is_open=False, end=0)
    end = next((number for number in range(first + 1, len(lines)) if lines[number].rstrip() in _ENDS), 0)
    return Fences(first, is_open=True, end=end)


def plain(written: str) -> str | None:
    """The text of a value, without quotes or comment; None if it is not text on one line."""
    if written[:1] in ('"', "'"):
        inner, closing, rest = written[1:].partition(written[0])
        return inner.strip() if closing and _is_comment(rest) else None
    text = without_comment(written)
    return None if text.startswith(_STRUCTURED) else text


def without_comment(text: str) -> str:
    return "" if text.startswith("#") else text.partition(" #")[0].strip()


def _is_comment(rest: str) -> bool:
    return not rest.strip() or rest.startswith(" #")
