"""Adds our hook to the text of an agent's settings file and removes it again; the rest stays character for character.

What `install` had to create is noted in the order of the keys of our hook: agents ignore it, it survives programs that
rewrite the file, and it needs no file of its own. So `uninstall` removes an empty list only if it was not there before.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reknit.core.errors import UsageProblem
from reknit.core.hook.command import is_ours
from reknit.core.hook.json_spans import SPACE, Container, JsonText, NotJson, Part

Done = Literal["installed", "updated", "already installed", "removed", "not installed"]
CHANGED: frozenset[Done] = frozenset({"installed", "updated", "removed"})
_HOOKS = "hooks"
_MARK = "\ufeff"
"""Some editors write it at the start of a file."""
_ORDERS = (
    ("type", "command", "timeout"),
    ("timeout", "type", "command"),
    ("type", "timeout", "command"),
    ("command", "type", "timeout"),
)
"""Keys of our hook, by what was created for it: nothing; the event's list; also the object `hooks`; the whole text."""
_EVERYTHING = len(_ORDERS) - 1


@dataclass(frozen=True)
class SettingsFile:
    name: str
    """For messages."""
    text: str | None
    """None: there is no such file."""
    event: str
    comments: bool = False


@dataclass(frozen=True)
class Edited:
    done: Done
    text: str | None
    """None: there is to be no such file."""


@dataclass(frozen=True)
class _Place:
    """One hook of ours."""

    steps: tuple[tuple[Container, Part], ...]
    """Each container around it, and the part of it that leads to the hook; the innermost first."""
    hook: Container

    @property
    def created(self) -> int:
        keys = tuple(part.key for part in self.hook.parts if part.key in _ORDERS[0])
        return _ORDERS.index(keys) if keys in _ORDERS else 0


@dataclass(frozen=True)
class _Style:
    """How the file is laid out."""

    newline: str
    indent: str
    """One level of it; empty: the members of the root are on one line."""
    colon: str


def install(file: SettingsFile, command: str, timeout: int) -> Edited:
    values = {"type": "command", "command": command, "timeout": timeout}
    groups = [{_HOOKS: [{key: values[key] for key in order}]} for order in _ORDERS]
    mark, text = _parted(file.text)
    if not text.strip(SPACE):
        whole = json.dumps({_HOOKS: {file.event: [groups[_EVERYTHING]]}}, indent=2, ensure_ascii=False)
        return Edited("installed", mark + text + whole + ("\n" if file.text is None else ""))
    document = _parsed(file, text)
    if _places(document, file.event):
        new = _updated(file, text, values)
        return Edited("already installed" if new == text else "updated", mark + new)
    return Edited("installed", mark + _added(file, document, groups))


def uninstall(file: SettingsFile) -> Edited:
    mark, text = _parted(file.text)
    left: str | None = text
    while left and left.strip(SPACE):
        document = _parsed(file, left)
        places = _places(document, file.event)
        if not places:
            break
        left = _without(document, places[0])
    if left == text:
        return Edited("not installed", file.text)
    return Edited("removed", None if left is None else mark + left)


def has_value(file: SettingsFile, path: Sequence[str], value: object) -> bool:
    """Whether the setting at this path has this value."""
    text = _parted(file.text)[1]
    found = _parsed(file, text).whole if path and text.strip(SPACE) else None
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found is value


def _parted(text: str | None) -> tuple[str, str]:
    text = text or ""
    return (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)


def _parsed(file: SettingsFile, text: str) -> JsonText:
    try:
        return JsonText(text, comments=file.comments)
    except NotJson as problem:
        raise _unfit(
            f"{file.name}:{problem.line}" if problem.line else file.name, f"not JSON: {problem.what}"
        ) from None


def _unfit(where: str, what: str) -> UsageProblem:
    way_out = "repair it, or name the other agents with --agent; no file was changed"
    return UsageProblem("settings", f"the agent's settings are {what}", where=where, help=way_out)


def _places(document: JsonText, event: str) -> list[_Place]:
    path = (("{", _HOOKS), ("{", event), ("[", None), ("{", _HOOKS), ("[", None))
    found = []
    for steps, start in _walk(document, document.start, path):
        hook = document.container(start, "{")
        command = hook and hook.member("command")
        if hook and command and is_ours(document.value(command.value)):
            found.append(_Place(tuple(reversed(steps)), hook))
    return found


def _walk(
    document: JsonText,
    start: int,
    path: Sequence[tuple[str, str | None]],
    steps: tuple[tuple[Container, Part], ...] = (),
) -> Iterator[tuple[tuple[tuple[Container, Part], ...], int]]:
    """Every value at the end of the path, with the steps to it. A path: brackets, each with a key or None for all."""
    if not path:
        yield steps, start
        return
    bracket, key = path[0]
    container = document.container(start, bracket)
    for part in container.parts if container else ():
        if container and (key is None or part is container.member(key)):
            yield from _walk(document, part.value, path[1:], (*steps, (container, part)))


def _without(document: JsonText, place: _Place) -> str | None:
    """Without the hook, the group it is alone in, and what `install` created around that."""
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


def _updated(file: SettingsFile, text: str, values: Mapping[str, Any]) -> str:
    """The first of our hooks gets these values; others are removed."""
    for key, value in values.items():
        document = _parsed(file, text)
        hook = _places(document, file.event)[0].hook
        part = hook.member(key)
        if part is None:
            text = _inserted(document, hook, value, key=key)
        elif document.value(part.value) != value:
            text = document.replace(part.value, part.end, _one_line(value, ": "))
    while len(places := _places(document := _parsed(file, text), file.event)) > 1:
        text = _without(document, places[1]) or text
    return text


def _added(file: SettingsFile, document: JsonText, groups: Sequence[Mapping[str, Any]]) -> str:
    root = _container(file, document, document.start, "{")
    part = root.member(_HOOKS)
    if part is None:
        return _inserted(document, root, {file.event: [groups[2]]}, key=_HOOKS)
    hooks = _container(file, document, part.value, "{")
    part = hooks.member(file.event)
    if part is None:
        return _inserted(document, hooks, [groups[1]], key=file.event)
    return _inserted(document, _container(file, document, part.value, "["), groups[0])


def _container(file: SettingsFile, document: JsonText, start: int, bracket: str) -> Container:
    if found := document.container(start, bracket):
        return found
    expected = "a list" if bracket == "[" else "an object"
    raise _unfit(f"{file.name}:{document.line(start)}", f"not as expected: {expected} should start here")


def _inserted(document: JsonText, container: Container, value: object, *, key: str = "") -> str:
    style = _style(document)
    name = f"{json.dumps(key)}{style.colon}" if key else ""
    if not container.parts:
        return document.replace(container.first, container.first, _first(document, container, style, name, value))
    space = document.space_before(container.parts[-1].start)
    if "\n" in space:
        base = space.rpartition("\n")[2]
        return document.append(container, name + _lines(value, style, base), between=style.newline + base)
    between = space if len(container.parts) > 1 else style.colon[1:]
    return document.append(container, name + _one_line(value, style.colon), between=between)


def _first(document: JsonText, container: Container, style: _Style, name: str, value: object) -> str:
    """Directly behind the bracket if there is space in the container: so `remove` knows that the space is not ours."""
    if not style.indent:
        return name + _one_line(value, style.colon)
    base = document.indent_of_line(container.first)
    if container.first < container.last:
        return name + _lines(value, style, base)
    inner = base + style.indent
    return style.newline + inner + name + _lines(value, style, inner) + style.newline + base


def _style(document: JsonText) -> _Style:
    root = document.container(document.start, "{")
    newline = "\r\n" if "\r\n" in document.text else "\n"
    if root is None or not root.parts:
        return _Style(newline, "  ", ": ")
    first = root.parts[0]
    _, is_indented, indent = document.space_before(first.start).rpartition("\n")
    colon = ": " if document.text[first.value - 1] in SPACE else ":"
    return _Style(newline, (indent or "  ") if is_indented else "", colon)


def _lines(value: object, style: _Style, base: str) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=style.indent or "  ", separators=(",", style.colon))
    return text.replace("\n", style.newline + base)


def _one_line(value: object, colon: str) -> str:
    return json.dumps(value, ensure_ascii=False, separators=("," + colon[1:], colon))
