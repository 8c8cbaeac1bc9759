"""Finds the parts of a JSON text by position, and adds or removes one without changing any other character."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

SPACE = " \t\n\r"
"""Whitespace in JSON."""
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"?|//[^\n]*|/\*(?:.*?\*/|.*)', re.S)


class InvalidJsonError(ValueError):
    """The text is not JSON. `line`: counted from 1; 0: not known."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


@dataclass(frozen=True)
class Part:
    """One member of an object or one item of a list."""

    start: int
    value: int
    """Start of its value: after the key and the colon, if there is a key."""
    end: int
    key: str = ""


@dataclass(frozen=True)
class Container:
    """An object or a list."""

    first: int
    """Position after the opening bracket."""
    last: int
    """Position of the closing bracket."""
    parts: tuple[Part, ...]

    def find_member(self, key: str) -> Part | None:
        """Return the last member with this key, which is the one that JSON parsers use."""
        return next((part for part in reversed(self.parts) if part.key == key), None)


class JsonText:
    """A JSON text. With `comments`, it may have `//` and `/* */` between its tokens."""

    def __init__(self, text: str, *, comments: bool = False) -> None:
        self.text = text
        self._comments = list(_find_comments(text)) if comments else []
        self._plain = self._splice((start, end, " " * (end - start)) for start, end in self._comments)
        self.start = self._skip_space(0)
        self.whole, self.end = self._decode(self.start)
        if (end := self._skip_space(self.end)) < len(text):
            raise InvalidJsonError("there is more text after the end of the document", _count_line(text, end))

    def read_value(self, start: int) -> Any:
        """Return the value at this place."""
        return self._decode(start)[0]

    def find_container(self, start: int, bracket: str) -> Container | None:
        """Return the object or list at this place; None: something else is there."""
        if self._plain[start] != bracket:
            return None
        parts: list[Part] = []
        at = self._skip_space(start + 1)
        while self._plain[at] not in "}]":
            parts.append(self._read_part(at, has_key=bracket == "{"))
            at = self._skip_space(parts[-1].end)
            at = self._skip_space(at + 1) if self._plain[at] == "," else at
        return Container(start + 1, at, tuple(parts))

    def read_space_before(self, at: int) -> str:
        """Return the whitespace directly before this place."""
        return self.text[len(self.text[:at].rstrip(SPACE)) : at]

    def read_indent(self, at: int) -> str:
        """Return the indentation of the line with this place."""
        begin = self.text.rfind("\n", 0, at) + 1
        return self.text[begin : _find_end_of_space(self.text, begin)]

    def find_line(self, at: int) -> int:
        """Return the number of the line with this place, counted from 1."""
        return _count_line(self.text, at)

    def is_alone(self, container: Container, part: Part) -> bool:
        """Return True if neither another part nor a comment is beside it."""
        beside = any(container.first <= start < container.last for start, _ in self._find_comments_outside(part))
        return container.parts == (part,) and not beside

    def append(self, container: Container, new: str, *, between: str) -> str:
        """Append to a container that has parts. `between`: the text after the comma."""
        end = container.parts[-1].end
        after = self._skip_comments_of_line(end) if "\n" in between else end
        return self._splice([(end, end, ","), (after, after, between + new)])

    def remove(self, container: Container, part: Part) -> str:
        """Remove a part and the comma and the space that came with it; the inverse of `append`.

        If the part is alone, all space in the container goes with it, unless the part directly follows the bracket:
        the space after it was there before.
        """
        index = container.parts.index(part)
        if index:
            comma = self._plain.index(",", container.parts[index - 1].end)
            begin = part.start - len(self.read_space_before(part.start))
            return self._splice([(comma, comma + 1, ""), (begin, part.end, "")])
        if len(container.parts) > 1:
            comma = self._plain.index(",", part.end)
            return self._splice([(part.start, part.end, ""), (comma, _find_end_of_space(self.text, comma + 1), "")])
        if part.start == container.first or not self.is_alone(container, part):
            return self.replace(part.start, part.end, "")
        return self.replace(container.first, container.last, "")

    def replace(self, start: int, end: int, new: str) -> str:
        return self._splice([(start, end, new)])

    def _splice(self, edits: Iterable[tuple[int, int, str]]) -> str:
        pieces, at = [], 0
        for start, end, new in edits:
            pieces += [self.text[at:start], new]
            at = end
        return "".join([*pieces, self.text[at:]])

    def _find_comments_outside(self, part: Part) -> Iterator[tuple[int, int]]:
        return ((start, end) for start, end in self._comments if not part.start <= start < part.end)

    def _skip_comments_of_line(self, at: int) -> int:
        """Return the place after the comments in the rest of the line: they belong to the part before them."""
        for start, end in self._comments:
            if start >= at and not self.text[at:start].strip(" \t"):
                at = end
        return at

    def _read_part(self, at: int, *, has_key: bool) -> Part:
        if not has_key:
            return Part(at, at, self._decode(at)[1])
        key, end = self._decode(at)
        value = self._skip_space(self._skip_space(end) + 1)
        return Part(at, value, self._decode(value)[1], key)

    def _decode(self, at: int) -> tuple[Any, int]:
        try:
            return _DECODER.raw_decode(self._plain, at)
        except json.JSONDecodeError as problem:
            raise InvalidJsonError(problem.msg, _count_line(self.text, problem.pos)) from None
        except RecursionError:
            raise InvalidJsonError("it is nested too deeply") from None

    def _skip_space(self, at: int) -> int:
        return _find_end_of_space(self._plain, at)


def _find_end_of_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def _find_comments(text: str) -> Iterator[tuple[int, int]]:
    for match in _STRING_OR_COMMENT.finditer(text):
        if not match[0].startswith('"'):
            yield match.start(), match.end() - match[0].endswith("\r")


def _count_line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _refuse(constant: str) -> NoReturn:
    raise InvalidJsonError(f"{constant} is not a value of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_int=float)
"""Integers as floats: Python refuses to read one of 5,000 digits, which is JSON."""
