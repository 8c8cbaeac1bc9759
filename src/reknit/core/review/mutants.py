"""Makes small changes to the code of a reviewed change. A new test that notices none of them checks nothing."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_code, is_in_test_folder, is_test_file
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.reach import compare_lines

MAX_MUTANTS = 12
"""Maximum number of small changes that are tried: each costs a run of the new tests."""
MAX_LINE = 500
"""Length in characters; longer lines are not read."""
_PAIRS = (
    ("==", "!="), ("<=", ">"), ("<", ">="), ("+", "-"), ("*", "/"), ("&&", "||"), ("and", "or"), ("is not", "is"),
    ("not in", "in"), ("True", "False"), ("true", "false"),
)  # fmt: skip
_OTHER: Mapping[str, str] = {first: second for pair in _PAIRS for first, second in (pair, pair[::-1])}
_WORDS = "|".join(re.escape(word) for word in sorted(_OTHER, key=len, reverse=True))
_PLACE = re.compile(rf"(?<=[\s(!])(?:{_WORDS})(?=[\s),;:])" r"|\b\d{1,9}\b|\breturn[ \t]+(?=\S)")
_NOTHING = {".py": "return None  # ", **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx"), "return // ")}
"""How a function returns nothing, for languages in which it then fails only where somebody uses the value."""
_NAME = re.compile(r"\w{3,}")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*)")


@dataclass(frozen=True)
class Mutant:
    """A source file with one small change."""

    path: str
    text: str
    """The whole file."""
    told: str
    """The change, for people."""


def list_mutants(change: Change, findings: tuple[ListedFinding, ...], tests: Change) -> tuple[Mutant, ...]:
    """Return small changes to the lines that a reviewed change added.

    Those nearest to the findings come first, then those in what the added tests name.

    `tests`: the change that adds the tests.
    """
    near = {finding.file: finding.line for finding in findings}
    named = {word for file in tests.files for word in _NAME.findall(file.text_after)}
    product = [
        file
        for file in change.files
        if file.after is not None
        and is_code(file.path)
        and not (is_test_file(file.path) or is_in_test_folder(file.path))
    ]

    def rank(place: _Place) -> tuple[bool, int, bool, bool]:
        distance = abs(place.number + 1 - near[place.file.path]) if place.file.path in near else 0
        stem = posixpath.basename(place.file.path).partition(".")[0]
        return place.file.path not in near, distance, stem not in named, named.isdisjoint(_NAME.findall(place.header))

    places = sorted((place for file in product for place in _find_places(file)), key=rank)
    return tuple(map(_make_mutant, places[:MAX_MUTANTS]))


@dataclass(frozen=True)
class _Place:
    """A line of a file as one small change leaves it."""

    file: FileChange
    number: int
    """From 0."""
    line: str
    header: str
    """The line above that is less indented: of the function or class that the line is in."""


def _make_mutant(place: _Place) -> Mutant:
    lines = place.file.text_after.splitlines(keepends=True)
    text = "".join([*lines[: place.number], place.line, *lines[place.number + 1 :]])
    return Mutant(place.file.path, text, f"{place.file.path}:{place.number + 1} as `{place.line.strip()[:80]}`")


def _find_places(file: FileChange) -> Iterator[_Place]:
    lines, ending = file.text_after.splitlines(keepends=True), posixpath.splitext(file.path)[1]
    headers = _find_headers(lines)
    for word, _, _, start, end in compare_lines(file):
        for number in range(start, end) if word != "equal" else ():
            if len(lines[number]) <= MAX_LINE:
                for line in _change_line(lines[number], ending):
                    yield _Place(file, number, line, headers[number])


def _find_headers(lines: Sequence[str]) -> list[str]:
    headers: list[str] = []
    outer: list[tuple[int, str]] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        while line.strip() and outer and outer[-1][0] >= indent:
            outer.pop()
        headers.append(outer[-1][1] if outer else line)
        if line.strip():
            outer.append((indent, line))
    return headers


def _change_line(line: str, ending: str) -> Iterator[str]:
    for place in _PLACE.finditer("" if _COMMENT.match(line) else line):
        old = place[0]
        new = str(int(old) + 1) if old.isdigit() else _OTHER.get(old) or _NOTHING.get(ending)
        is_whole = line.count("(") == line.count(")") and line.count("[") == line.count("]")
        if new and (is_whole or not old.startswith("return")):
            yield line[: place.start()] + new + line[place.end() :]
