"""The frontmatter of a document as names and texts; a list or a map is its text on one line. Reads a part of YAML."""

import functools
import json
import re
from collections.abc import Callable, Iterator, Sequence

from reknit.core.planning.context import Frontmatter
from reknit.core.text.format import words
from reknit.core.text.frontmatter import FENCE, fences, lines_of, plain, without_comment

MOST_FIELDS, MOST_NAME, MOST_VALUE = 30, 60, 200
_DEEPEST = 10
_FIELD = re.compile(r"([^\s:#'\"\[{&*!|>%@`-][^\s:]{0,100}|\"[^\"]{1,100}\"):(?:[ \t]|$)")
_BEGIN_MORE = frozenset(("[", "{", "|", ">", "'", '"'))
_QUOTED = frozenset(",[]{}:#\"'")
"""A text with one of these is quoted inside a list or a map."""


def fields_of(text: str) -> tuple[Frontmatter, str]:
    """(name, value) of each field, and what is wrong with the others; a text without frontmatter has neither."""
    lines = lines_of(text)
    found = fences(lines)
    if not found.is_open:
        return (), ""
    if not found.end:
        return (), f"its frontmatter is not closed by a line `{FENCE}`"
    fields: dict[str, str] = {}
    problem = ""
    for number, block in _blocks(lines[found.first + 1 : found.end], found.first + 2):
        name, value, wrong = _field(*block)
        if not wrong and name in fields:
            wrong = f"`{name}` is set twice"
        if wrong:
            problem = problem or f"line {number}: {wrong}"
        else:
            fields[name] = value
    return tuple(fields.items())[:MOST_FIELDS], problem


def _blocks(lines: Sequence[str], first: int) -> Iterator[tuple[int, list[str]]]:
    """(number of its first line, its lines) of each field: what is indented, or a list item, belongs to it."""
    block: list[str] = []
    start = first
    for number, line in enumerate(lines, first):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if block and (line[0] in " \t" or _is_item(line)):
            block.append(line)
            continue
        if block:
            yield start, block
        start, block = number, [line]
    if block:
        yield start, block


@functools.lru_cache(maxsize=1_000)
def _field(*block: str) -> tuple[str, str, str]:
    """Name, value, and what is wrong. Cached: the documents of a repository have most of their fields in common."""
    match = _FIELD.match(block[0])
    if not match:
        return "", "", f"`{words(block[0], MOST_NAME)}` is not a field"
    name = words(match[1].strip('"'), MOST_NAME)
    value = _value(block[0][match.end() :].strip(), block[1:])
    return (name, words(value, MOST_VALUE), "") if value is not None else ("", "", f"`{name}` is not closed")


def _value(written: str, below: Sequence[str]) -> str | None:
    """None: a quote or a bracket is not closed."""
    inline = without_comment(written)
    if not below and inline[:1] not in _BEGIN_MORE:
        return inline
    if below and not inline:
        return _on_one_line(below, 0)
    whole = " ".join((written, *(line.strip() for line in below)))
    if inline.startswith(("|", ">")):
        return " ".join(line.strip() for line in below)
    if inline.startswith(("[", "{")):
        flow = whole if below else inline
        return flow if flow.endswith("]" if flow[0] == "[" else "}") else None
    if inline.startswith(('"', "'")):
        return _unquoted(whole)
    return without_comment(whole)


def _unquoted(written: str) -> str | None:
    """Also with quotes inside, which are escaped or doubled."""
    text = plain(written)
    return text if text is not None else written[1:-1] if len(written) > 1 and written[-1] == written[0] else None


def _on_one_line(block: Sequence[str], depth: int) -> str:
    """Lines below a name: `[a, b]` for items, `{a: b}` for fields, else the text."""
    margin = min(len(line) - len(line.lstrip()) for line in block)
    lines = [line[margin:] for line in block]
    if depth == _DEEPEST:
        return _scalar(" ".join(line.strip() for line in lines))
    if _is_item(lines[0]):
        return f"[{', '.join(_item(group, depth + 1) for group in _grouped(lines, _is_item))}]"
    if _FIELD.match(lines[0]):
        return f"{{{', '.join(_pair(group, depth) for group in _grouped(lines, _is_at_margin))}}}"
    return _scalar(" ".join(line.strip() for line in lines))


def _item(group: Sequence[str], depth: int) -> str:
    first = f" {group[0][1:]}"
    below = group[1:] if group[1:] and not first.strip() else (first, *group[1:])
    return _on_one_line(below, depth)


def _pair(group: Sequence[str], depth: int) -> str:
    name, _, written = group[0].partition(":")
    value = without_comment(written.strip())
    if group[1:] and not value:
        return f"{name}: {_on_one_line(group[1:], depth + 1)}"
    return f"{name}: {_scalar(' '.join((value, *(line.strip() for line in group[1:]))))}"


def _grouped(lines: Sequence[str], begins: Callable[[str], bool]) -> list[list[str]]:
    groups: list[list[str]] = []
    for line in lines:
        if begins(line) or not groups:
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _is_item(line: str) -> bool:
    return line.rstrip() == "-" or line.startswith(("- ", "-\t"))


def _is_at_margin(line: str) -> bool:
    return line[:1] not in (" ", "\t")


def _scalar(written: str) -> str:
    text = plain(written.strip())
    if text is None:
        return written.strip()
    return json.dumps(text, ensure_ascii=False) if _QUOTED & {*text} else text
