"""Adds our hook to the text of an agent's settings file and removes it again, without changing another character.

The order of the keys of our hook records what `install` had to create, so that `uninstall` removes an empty list only
if `install` made it. Agents ignore the order, programs that rewrite the file keep it, and no further file is needed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reknit.core.errors import UsageError
from reknit.core.hook.command import is_ours
from reknit.core.hook.json_spans import SPACE, Container, InvalidJsonError, JsonText, Part

EditResult = Literal["installed", "updated", "already installed", "removed", "not installed"]
CHANGED: frozenset[EditResult] = frozenset({"installed", "updated", "removed"})
_HOOKS = "hooks"
_BYTE_ORDER_MARK = "\ufeff"
"""Some editors write this at the start of a file."""
_ORDERS = (
    ("type", "command", "timeout"),
    ("timeout", "type", "command"),
    ("type", "timeout", "command"),
    ("command", "type", "timeout"),
)
"""Orders of the keys, by what was created: nothing; the event's list; also the object `hooks`; the whole text."""
_EVERYTHING = len(_ORDERS) - 1


@dataclass(frozen=True)
class SettingsFile:
    """A settings file of an agent."""

    name: str
    """Name of the file in messages."""
    text: str | None
    """None: there is no such file."""
    event: str
    comments: bool = False


@dataclass(frozen=True)
class SettingsEdit:
    """The new text of a settings file."""

    result: EditResult
    text: str | None
    """None: the file is to be deleted."""


@dataclass(frozen=True)
class _Place:
    """The place of one of our hooks."""

    steps: tuple[tuple[Container, Part], ...]
    """Each container around it, and the part of it that leads to the hook; the innermost first."""
    hook: Container

    @property
    def created(self) -> int:
        """Return the index in `_ORDERS`, which says what was created for the hook."""
        keys = tuple(part.key for part in self.hook.parts if part.key in _ORDERS[0])
        return _ORDERS.index(keys) if keys in _ORDERS else 0


@dataclass(frozen=True)
class _Style:
    """The layout of the file."""

    newline: str
    indent: str
    """One level of it; empty: the members of the root are on one line."""
    colon: str


def install(file: SettingsFile, command: str, timeout: int) -> SettingsEdit:
    """Add our hook, or bring it up to date."""
    values = {"type": "command", "command": command, "timeout": timeout}
    groups = [{_HOOKS: [{key: values[key] for key in order}]} for order in _ORDERS]
    mark, text = _split_mark(file.text)
    if not text.strip(SPACE):
        whole = json.dumps({_HOOKS: {file.event: [groups[_EVERYTHING]]}}, indent=2, ensure_ascii=False)
        return SettingsEdit("installed", mark + text + whole + ("\n" if file.text is None else ""))
    document = _parse(file, text)
    if _find_places(document, file.event):
        new = _update_hook(file, text, values)
        return SettingsEdit("already installed" if new == text else "updated", mark + new)
    return SettingsEdit("installed", mark + _add_hook(file, document, groups))


def uninstall(file: SettingsFile) -> SettingsEdit:
    """Remove all our hooks, and the containers that `install` created for them."""
    mark, text = _split_mark(file.text)
    remaining: str | None = text
    while remaining and remaining.strip(SPACE):
        document = _parse(file, remaining)
        places = _find_places(document, file.event)
        if not places:
            break
        remaining = _remove_hook(document, places[0])
    if remaining == text:
        return SettingsEdit("not installed", file.text)
    return SettingsEdit("removed", None if remaining is None else mark + remaining)


def has_value(file: SettingsFile, path: Sequence[str], value: object) -> bool:
    """Return True if the setting at this path has this value."""
    text = _split_mark(file.text)[1]
    current = _parse(file, text).whole if path and text.strip(SPACE) else None
    for key in path:
        current = current.get(key) if isinstance(current, dict) else None
    return current is value


def _split_mark(text: str | None) -> tuple[str, str]:
    text = text or ""
    return (_BYTE_ORDER_MARK, text[1:]) if text.startswith(_BYTE_ORDER_MARK) else ("", text)


def _parse(file: SettingsFile, text: str) -> JsonText:
    try:
        return JsonText(text, comments=file.comments)
    except InvalidJsonError as problem:
        raise _to_usage_problem(
            f"{file.name}:{problem.line}" if problem.line else file.name, f"not JSON: {problem.reason}"
        ) from None


def _to_usage_problem(place: str, problem: str) -> UsageError:
    way_out = "repair it, or name the other agents with --agent; no file was changed"
    return UsageError("settings", f"the agent's settings are {problem}", where=place, help=way_out)


def _find_places(document: JsonText, event: str) -> list[_Place]:
    path = (("{", _HOOKS), ("{", event), ("[", None), ("{", _HOOKS), ("[", None))
    places = []
    for steps, start in _walk(document, document.start, path):
        hook = document.find_container(start, "{")
        command = hook and hook.find_member("command")
        if hook and command and is_ours(document.read_value(command.value)):
            places.append(_Place(tuple(reversed(steps)), hook))
    return places


def _walk(
    document: JsonText,
    start: int,
    path: Sequence[tuple[str, str | None]],
    steps: tuple[tuple[Container, Part], ...] = (),
) -> Iterator[tuple[tuple[tuple[Container, Part], ...], int]]:
    """Yield the position of every value at the end of the path, after the steps to it.

    A path lists brackets, each with the key of a member; None: all of its parts.
    """
    if not path:
        yield steps, start
        return
    bracket, key = path[0]
    container = document.find_container(start, bracket)
    for part in container.parts if container else ():
        if container and (key is None or part is container.find_member(key)):
            yield from _walk(document, part.value, path[1:], (*steps, (container, part)))


def _remove_hook(document: JsonText, place: _Place) -> str | None:
    """Remove the hook, the group it is alone in, and the containers that `install` created around that."""
    last = 2 + place.created
    index = 0
    while index < last and document.is_alone(*place.steps[index]):
        index += 1
    if index == 1:  # the group has more than its hooks, so it is not ours
        index = 0
    rest = document.text[: document.start] + document.text[document.end :]
    if index < len(place.steps) or rest.strip(SPACE):
        return document.remove(*place.steps[min(index, len(place.steps) - 1)])
    return None if rest and not document.start else rest


def _update_hook(file: SettingsFile, text: str, values: Mapping[str, Any]) -> str:
    """Give the first of our hooks these values, and remove the others."""
    for key, value in values.items():
        document = _parse(file, text)
        hook = _find_places(document, file.event)[0].hook
        part = hook.find_member(key)
        if part is None:
            text = _insert(document, hook, value, key=key)
        elif document.read_value(part.value) != value:
            text = document.replace(part.value, part.end, _format_one_line(value, ": "))
    while len(places := _find_places(document := _parse(file, text), file.event)) > 1:
        text = _remove_hook(document, places[1]) or text
    return text


def _add_hook(file: SettingsFile, document: JsonText, groups: Sequence[Mapping[str, Any]]) -> str:
    root = _require_container(file, document, document.start, "{")
    part = root.find_member(_HOOKS)
    if part is None:
        return _insert(document, root, {file.event: [groups[2]]}, key=_HOOKS)
    hooks = _require_container(file, document, part.value, "{")
    part = hooks.find_member(file.event)
    if part is None:
        return _insert(document, hooks, [groups[1]], key=file.event)
    return _insert(document, _require_container(file, document, part.value, "["), groups[0])


def _require_container(file: SettingsFile, document: JsonText, start: int, bracket: str) -> Container:
    if container := document.find_container(start, bracket):
        return container
    expected = "a list" if bracket == "[" else "an object"
    raise _to_usage_problem(
        f"{file.name}:{document.find_line(start)}", f"not as expected: {expected} should start here"
    )


def _insert(document: JsonText, container: Container, value: object, *, key: str = "") -> str:
    style = _detect_style(document)
    name = f"{json.dumps(key)}{style.colon}" if key else ""
    if not container.parts:
        return document.replace(
            container.first, container.first, _format_first(document, container, style, name, value)
        )
    space = document.read_space_before(container.parts[-1].start)
    if "\n" in space:
        base = space.rpartition("\n")[2]
        return document.append(container, name + _format_lines(value, style, base), between=style.newline + base)
    between = space if len(container.parts) > 1 else style.colon[1:]
    return document.append(container, name + _format_one_line(value, style.colon), between=between)


def _format_first(document: JsonText, container: Container, style: _Style, name: str, value: object) -> str:
    """Return the text for an empty container.

    If the container has space, the text goes directly behind the bracket: `remove` then knows that the space was there.
    """
    if not style.indent:
        return name + _format_one_line(value, style.colon)
    base = document.read_indent(container.first)
    if container.first < container.last:
        return name + _format_lines(value, style, base)
    inner = base + style.indent
    return style.newline + inner + name + _format_lines(value, style, inner) + style.newline + base


def _detect_style(document: JsonText) -> _Style:
    root = document.find_container(document.start, "{")
    newline = "\r\n" if "\r\n" in document.text else "\n"
    if root is None or not root.parts:
        return _Style(newline, "  ", ": ")
    first = root.parts[0]
    _, is_indented, indent = document.read_space_before(first.start).rpartition("\n")
    colon = ": " if document.text[first.value - 1] in SPACE else ":"
    return _Style(newline, (indent or "  ") if is_indented else "", colon)


def _format_lines(value: object, style: _Style, base: str) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=style.indent or "  ", separators=(",", style.colon))
    return text.replace("\n", style.newline + base)


def _format_one_line(value: object, colon: str) -> str:
    return json.dumps(value, ensure_ascii=False, separators=("," + colon[1:], colon))
