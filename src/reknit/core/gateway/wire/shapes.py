"""Allow-lists for request bodies: which fields may appear where. The first field that is not listed is reported."""

from collections.abc import Callable, Mapping

from reknit.core.text.json_body import Json

Check = Callable[[object], str]
"""Returns the path of the first part of a value that is not allowed; empty if there is none."""
Fields = Mapping[str, Check]

_LONGEST_NAME = 60
_NOTHING: tuple[object, ...] = (None, "", [], {})


def anything(value: object) -> str:  # noqa: ARG001
    """The agent's own data, such as tool arguments or a JSON schema: the vendor does not act on it."""
    return ""


def plain(value: object) -> str:
    return "" if value is None or isinstance(value, str | int | float) else "(not a plain value)"


def plains(value: object) -> str:
    """One plain value, or a list of them."""
    members = value if isinstance(value, list) else [value]
    return next((problem for each in members if (problem := plain(each))), "")


def embedded(value: object) -> str:
    """A URL that contains the content itself, so that it does not have to be fetched."""
    return "" if value is None or (isinstance(value, str) and value.startswith("data:")) else "(not a data: URL)"


def data(value: object) -> str:
    """Content that is not a URL: some services would fetch one."""
    if value is None or (isinstance(value, str) and "://" not in value):
        return ""
    return "(not inline content)"


def many(check: Check) -> Check:
    def each_of(value: object) -> str:
        if value is None:
            return ""
        if not isinstance(value, list):
            return "(not a list)"
        return next((problem for each in value if (problem := check(each))), "")

    return each_of


def text_or(check: Check) -> Check:
    """Text, or what `check` allows."""
    return lambda value: "" if isinstance(value, str) else check(value)


def plain_fields(*names: str) -> Check:
    """An object with these fields, all of them plain values."""
    return fields(dict.fromkeys(names, plain))


def _unchanged(name: str) -> str:
    return name


def fields(allowed: Fields, *, spelling: Callable[[str], str] = _unchanged) -> Check:
    """An object with these fields only. `spelling` returns the listed name if a vendor accepts several spellings."""

    def fields_of(value: object) -> str:
        if value is None:
            return ""
        if not isinstance(value, dict):
            return "(not an object)"
        names = [spelling(name) for name in value]
        if len(set(names)) != len(names):
            return "(a name is given twice)"
        for name, member in zip(names, value.values(), strict=True):
            if name not in allowed:
                return shortened(name)
            if problem := allowed[name](member):
                return f"{name} {problem}" if problem.startswith("(") else f"{name}.{problem}"
        return ""

    return fields_of


def _type_of(value: Json) -> object:
    return value.get("type")


def typed(kinds: Mapping[str, Fields], *, kind_of: Callable[[Json], object] = _type_of) -> Check:
    """An object whose fields depend on its kind. A kind that is not listed is not allowed."""
    checks = {kind: fields({"type": plain, **allowed}) for kind, allowed in kinds.items()}

    def fields_of(value: object) -> str:
        if not isinstance(value, dict):
            return "(not an object)"
        kind = kind_of(value)
        check = checks.get(kind) if isinstance(kind, str) else None
        return check(value) if check else f"type {shortened(kind)}"

    return fields_of


def shortened(name: object) -> str:
    return str(name)[:_LONGEST_NAME]


def known(
    content: Json, allowed: Fields, dropped: frozenset[str], *, spelling: Callable[[str], str] = _unchanged
) -> Json:
    """The body without telemetry, and without empty fields that are not listed."""
    return {
        name: value
        for name, value in content.items()
        if spelling(name) in allowed or not (name in dropped or value in _NOTHING)
    }


def refusal(content: Json, allowed: Fields, *, spelling: Callable[[str], str] = _unchanged) -> str:
    """Why this body must not pass, or empty."""
    problem = fields(allowed, spelling=spelling)(content)
    return f"not allowed: {problem}" if problem else ""
