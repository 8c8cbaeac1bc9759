"""Walks a decoded request body: every object in it, and the parts that may count more tokens than bytes."""

from collections.abc import Iterator
from dataclasses import dataclass

from reknit.core.text.json_body import Json

IMAGE_TOKENS = 25_000
"""More than any vendor counts for one image."""
DOCUMENT_TOKENS = 1_000_000
"""A whole context window: a document of a few bytes may have many pages."""
BUILT_IN_TOOL_TOKENS = 2_000
"""For a tool given only by its type: the vendor writes its description."""


@dataclass(frozen=True)
class Bulk:
    """A part that may count as more tokens than it has bytes."""

    content: str
    tokens: int


def objects(node: object, *, skip: frozenset[str] = frozenset()) -> Iterator[Json]:
    """Every object in it, at any depth, except below the names in `skip`: that is the agent's own data."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            yield node
            waiting += [value for name, value in node.items() if name not in skip]


def listed(value: object) -> list[Json] | None:
    """A list of objects, empty if there is no value; None if it is anything else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return None
    return value


def whole(value: object, *, least: int = 1) -> int | None:
    """A requested number; None if it is not one that every parser reads the same way."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None


def picture(data: object, kind: object) -> Bulk:
    tokens = IMAGE_TOKENS if str(kind).startswith("image/") else DOCUMENT_TOKENS
    return Bulk(str(data), tokens)
