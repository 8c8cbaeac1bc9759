"""Finds, in a failing test's output, the deepest stack frame in the repository's own code."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PLACE = r"(node:[^\s():]+|(?=[^\s()\"']*?[./])[^\s()\"']+?):(\d+)"
_INNER_FIRST = (
    re.compile(r"\s*(?:at|❯|-->)\s(?:.*[\s(])?" + _PLACE + r"(?::\d+)?\)?\s*$"),  # JavaScript, the JVM, Rust
    re.compile(r"\s*thread '.*' (?:\(\d+\) )?panicked at (?:'.*', )?" + _PLACE + r":"),
)
_INNER_LAST = (
    re.compile(r"\s*File \"([^\"]+)\", line (\d+)"),  # a Python traceback
    re.compile(r"\s*" + _PLACE + r":(?:\d+:)?(?:\s|$)"),  # pytest, Go, compilers
)
_FOREIGN = re.compile(
    r"site-packages|dist-packages|node_modules|node:|/lib/python\d|/usr/lib/|/rustc/|\.cargo/registry|/go/src/|/go/pkg/"
    r"|/gems/|<frozen|\bat (?:[\w.]+/)?(?:java|javax|jdk|sun|kotlin|scala|org\.(?:junit|gradle|testng|hamcrest|assertj)"
    r"|org\.apache\.maven)\."
)
_LONGEST_LINE = 400
_MOST_LINES = 5_000
"""Real frames are shorter and real stacks shallower; this bounds the search in hostile text and whole logs."""


@dataclass(frozen=True)
class Frame:
    index: int
    """Index of its line in the text."""
    path: str
    line: str
    is_deepest: bool
    """The failure was raised in this very line, not in foreign code called from it."""


def own_frame(lines: Sequence[str]) -> Frame | None:
    """None if no frame of a known form is in code that looks like the repository's."""
    stack = _frames(lines, _INNER_FIRST) or _frames(lines, _INNER_LAST)[::-1]
    for depth, (index, found) in enumerate(stack):
        if not _FOREIGN.search(found.string):
            return Frame(index, found[1].removeprefix("file://"), found[2], is_deepest=depth == 0)
    return None


def _frames(lines: Sequence[str], forms: Sequence[re.Pattern[str]]) -> list[tuple[int, re.Match[str]]]:
    return [
        (index, found)
        for index, line in enumerate(lines[-_MOST_LINES:], max(len(lines) - _MOST_LINES, 0))
        if ":" in line or "line " in line
        for form in forms
        if (found := form.match(line[:_LONGEST_LINE]))
    ]
