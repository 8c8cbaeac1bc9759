"""The frontmatter of a document as names and texts; a list or a map becomes its text on one line."""

import json

from reknit.core.planning.context import Frontmatter
from reknit.core.text.format import sanitize_line
from reknit.core.text.frontmatter import FENCE, find_fences, split_lines
from reknit.core.text.redact import clean
from reknit.core.text.yaml_fields import NO_FIELD, Scalar, YamlField, YamlMap, YamlValue, read_fields

MAX_FIELDS, MAX_NAME_CHARS, MAX_VALUE_CHARS = 30, 60, 200
_QUOTED = frozenset(",[]{}:#\"'")
"""A text with one of these is quoted inside a list or a map."""


def parse_frontmatter(text: str) -> tuple[Frontmatter, str]:
    """Return (name, value) of each field, and the first problem of the others; both are empty without frontmatter."""
    lines = split_lines(text)
    fence = find_fences(lines)
    if not fence.is_open:
        return (), ""
    if not fence.end:
        return (), f"its frontmatter is not closed by a line `{FENCE}`"
    inner = [clean(line) for line in lines[fence.first + 1 : fence.end]]
    first = fence.first + 2
    fields: dict[str, str] = {}
    problem = ""
    for field in read_fields(inner, first):
        name = sanitize_line(field.name, MAX_NAME_CHARS)
        if field.value is not None and name not in fields:
            fields[name] = sanitize_line(_render(field.value), MAX_VALUE_CHARS)
            continue
        problem = problem or f"line {field.line}: {_describe(field, name, inner[field.line - first])}"
    return tuple(fields.items())[:MAX_FIELDS], problem


def _describe(field: YamlField, name: str, line: str) -> str:
    if field.value is not None:
        return f"`{name}` is set twice"
    if field.problem == NO_FIELD:
        return f"`{sanitize_line(line, MAX_NAME_CHARS)}` is not a field"
    return f"`{name}` cannot be read: {sanitize_line(field.problem)}" if name else field.problem


def _render(value: YamlValue) -> str:
    return value.text if isinstance(value, Scalar) else _render_inside(value)


def _render_inside(value: YamlValue) -> str:
    if isinstance(value, Scalar):
        return json.dumps(value.text, ensure_ascii=False) if _QUOTED & {*value.text} else value.text
    if isinstance(value, YamlMap):
        return f"{{{', '.join(f'{name}: {_render_inside(inner)}' for name, inner in value.items)}}}"
    return f"[{', '.join(map(_render_inside, value))}]"
