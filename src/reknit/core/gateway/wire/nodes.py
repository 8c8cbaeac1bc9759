"""Steps through a decoded request body: every object in it, and the parts that count more than their bytes."""

from collections.abc import Iterator
from dataclasses import dataclass

from reknit.core.text.json_body import Json

IMAGE_TOKENS = 25_000
"""More than any of the vendors counts for one picture."""
DOCUMENT_TOKENS = 1_000_000
"""A whole context window: a document of few bytes may have many pages."""
BUILT_IN_TOOL_TOKENS = 2_000
"""A tool that is named by its type alone: the vendor writes its description."""


@dataclass(frozen=True)
class Bulk:
    """A part that may count more tokens than it has bytes."""

    content: str
    tokens: int


def objects(node: object, *, skip: frozenset[str] = frozenset()) -> Iterator[Json]:
    """Every object in it, however deep, but not below the names in `skip`: what stands there is an agent's own data."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            yield node
            waiting += [value for name, value in node.items() if name not in skip]


def listed(value: object) -> list[Json] | None:
    """A list of objects, with nothing read as an empty one; None when it is something else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return None
    return value


def whole(value: object, *, least: int = 1) -> int | None:
    """A number that was asked for; None when it is not one everybody reads alike."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None


def picture(data: object, kind: object) -> Bulk:
    tokens = IMAGE_TOKENS if str(kind).startswith("image/") else DOCUMENT_TOKENS
    return Bulk(str(data), tokens)
