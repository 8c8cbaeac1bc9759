"""Allow-lists for request bodies, and functions that read their objects.

A body's allowed shape is composed of checks: `plain` and its like check a value, `fields`, `many` and `typed` combine
other checks.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reknit.core.text.untrusted_input import Json

Check = Callable[[object], str]
"""Returns the path of the first part of a value that is not allowed; empty: all of it is allowed."""
Fields = Mapping[str, Check]

_MAX_NAME_CHARS = 60
_EMPTY_VALUES: tuple[object, ...] = (None, "", [], {})


def anything(value: object) -> str:  # noqa: ARG001
    """Accept the agent's own data, such as tool arguments or a JSON schema: the vendor does not act on it."""
    return ""


def plain(value: object) -> str:
    """Accept a text, a number, a boolean or null."""
    return "" if value is None or isinstance(value, str | int | float) else "(not a plain value)"


def plains(value: object) -> str:
    """Accept one plain value, or a list of them."""
    members = value if isinstance(value, list) else [value]
    return next((problem for member in members if (problem := plain(member))), "")


def embedded(value: object) -> str:
    """Accept a URL that contains the content itself, so that it does not have to be fetched."""
    return "" if value is None or (isinstance(value, str) and value.startswith("data:")) else "(not a data: URL)"


def data(value: object) -> str:
    """Accept content that is not a URL: some services would fetch one."""
    if value is None or (isinstance(value, str) and "://" not in value):
        return ""
    return "(not inline content)"


def many(check: Check) -> Check:
    """Return a check of a list, each of whose values must pass `check`."""

    def check_list(value: object) -> str:
        if value is None:
            return ""
        if not isinstance(value, list):
            return "(not a list)"
        return next((problem for entry in value if (problem := check(entry))), "")

    return check_list


def text_or(check: Check) -> Check:
    """Return a check that accepts a text, or what `check` allows."""
    return lambda value: "" if isinstance(value, str) else check(value)


def plain_fields(*names: str) -> Check:
    """Return a check of an object with these fields, all of them plain values."""
    return fields(dict.fromkeys(names, plain))


def fields(allowed: Fields, *, spelling: Callable[[str], str] = str) -> Check:
    """Return a check of an object with these fields only.

    `spelling` returns the listed name if a vendor accepts several spellings.
    """

    def check_object(value: object) -> str:
        if value is None:
            return ""
        if not isinstance(value, dict):
            return "(not an object)"
        names = [spelling(name) for name in value]
        if len(set(names)) != len(names):
            return "(a name is given twice)"
        for name, member in zip(names, value.values(), strict=True):
            if name not in allowed:
                return _shorten(name)
            if problem := allowed[name](member):
                return f"{name} {problem}" if problem.startswith("(") else f"{name}.{problem}"
        return ""

    return check_object


def typed(kinds: Mapping[str, Fields], *, kind_of: Callable[[Json], object] = lambda value: value.get("type")) -> Check:
    """Return a check of an object whose fields depend on its kind. A kind that is not listed is not allowed."""
    checks = {kind: fields({"type": plain, **allowed}) for kind, allowed in kinds.items()}

    def check_object(value: object) -> str:
        if not isinstance(value, dict):
            return "(not an object)"
        kind = kind_of(value)
        check = checks.get(kind) if isinstance(kind, str) else None
        return check(value) if check else f"type {_shorten(kind)}"

    return check_object


def _shorten(name: object) -> str:
    return str(name)[:_MAX_NAME_CHARS]


def drop_unlisted(
    content: Json, allowed: Fields, dropped: frozenset[str], *, spelling: Callable[[str], str] = str
) -> Json:
    """Remove telemetry and empty fields that are not listed."""
    return {
        name: value
        for name, value in content.items()
        if spelling(name) in allowed or not (name in dropped or value in _EMPTY_VALUES)
    }


def find_refusal(content: Json, allowed: Fields, *, spelling: Callable[[str], str] = str) -> str:
    """Return why this body must not pass, or empty."""
    problem = fields(allowed, spelling=spelling)(content)
    return f"not allowed: {problem}" if problem else ""


IMAGE_TOKENS = 25_000
"""Tokens per image: more than any vendor counts."""
DOCUMENT_TOKENS = 1_000_000
"""Tokens per document: a whole context window, because a document of a few bytes may have many pages."""
BUILT_IN_TOOL_TOKENS = 2_000
"""Tokens of a tool that is given only by its type, so that the vendor adds the description."""


@dataclass(frozen=True)
class Bulk:
    """A part that may count as more tokens than it has bytes."""

    content: str
    tokens: int


def walk_objects(node: object, *, skip: frozenset[str] = frozenset()) -> Iterator[Json]:
    """Yield all objects at any depth, except below the names in `skip`, which hold the agent's own data."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            yield node
            waiting += [value for name, value in node.items() if name not in skip]


def read_objects(value: object) -> list[Json] | None:
    """Return a list of objects, empty if there is no value; None if it is anything else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        return None
    return value


def read_number(value: object, *, least: int = 1) -> int | None:
    """Return the number; None if parsers may disagree on it, or if it is below `least`."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None


def to_bulk(content: object, kind: object) -> Bulk:
    """Return an image or a document of this MIME type as a bulk."""
    tokens = IMAGE_TOKENS if str(kind).startswith("image/") else DOCUMENT_TOKENS
    return Bulk(str(content), tokens)
