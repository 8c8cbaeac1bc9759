"""Makes lines of a reviewed change wrong, one at a time. A new test that notices none of them checks nothing."""

import ast
import itertools
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.repository.change import EXECUTABLE, REGULAR, Change, FileChange
from reknit.core.repository.paths import is_code, is_in_test_folder, is_python, is_test_file
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.reach import compare_lines

MAX_MUTANTS = 12
"""Maximum number of wrong lines that are tried: each costs a run of the new tests."""
MAX_LINE = 500
"""Length in characters; longer lines are not read."""
_PAIRS = (
    ("==", "!="), ("<=", ">"), ("<", ">="), ("+", "-"), ("*", "/"), ("&&", "||"), ("and", "or"), ("is not", "is"),
    ("not in", "in"), ("True", "False"), ("true", "false"),
)  # fmt: skip
_OPPOSITES: Mapping[str, str] = {first: second for pair in _PAIRS for first, second in (pair, pair[::-1])}
_WORDS = "|".join(re.escape(word) for word in sorted(_OPPOSITES, key=len, reverse=True))
_PLACE = re.compile(rf"(?<=[\s(!])(?:{_WORDS})(?=[\s),;:])" r"|\b\d{1,9}\b")
_RETURN = re.compile(r"(\s*)return[ \t]+[^\s#/].*", re.DOTALL)
_EMPTY_RETURNS = {".py": "return None\n", **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx"), "return\n")}
"""Ending of a source file -> the statement that returns nothing, in languages in which that compiles."""
_NAME = re.compile(r"\w{3,}")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*)")


@dataclass(frozen=True)
class Mutant:
    """A source file with one wrong line."""

    change: FileChange
    """The change of the file as it was reviewed."""
    description: str
    """The wrong line, for people."""


@dataclass(frozen=True)
class _Place:
    """A line of a file as one small change leaves it."""

    file: FileChange
    number: int
    """Index of the line, from 0."""
    turn: int
    """Number from 0 of the change among those of the line: each line is tried once before any is tried twice."""
    line: str
    header: str
    """The line above that is less indented: of the function or class that the line is in."""


def list_mutants(change: Change, findings: tuple[ListedFinding, ...], tests: Change) -> tuple[Mutant, ...]:
    """Return wrong lines among those that a reviewed change added.

    Those nearest to the findings come first, then those in what the added tests name.

    `tests`: the change that adds the tests.
    """
    words = {word for file in tests.files for word in _NAME.findall(file.text_after)}

    def rank(place: _Place) -> tuple[int, bool, int, bool, bool]:
        lines = [finding.line for finding in findings if finding.file == place.file.path]
        distance = min((abs(place.number + 1 - line) for line in lines), default=0)
        stem = posixpath.basename(place.file.path).partition(".")[0]
        is_named = not words.isdisjoint(_NAME.findall(place.header))
        return place.turn, not lines, distance, stem not in words, not is_named

    places = sorted((place for file in change.files if _is_product(file) for place in _find_places(file)), key=rank)
    return tuple(itertools.islice(filter(_can_be_read, map(_make_mutant, places)), MAX_MUTANTS))


def _is_product(file: FileChange) -> bool:
    if not is_code(file.path) or is_test_file(file.path) or is_in_test_folder(file.path):
        return False
    is_text = file.after is not None and file.text_after.encode() == file.after
    return is_text and file.mode_after in (REGULAR, EXECUTABLE)


def _make_mutant(place: _Place) -> Mutant:
    file, number = place.file, place.number
    lines = file.text_after.splitlines(keepends=True)
    text = "".join([*lines[:number], place.line, *lines[number + 1 :]])
    wrong = replace(file, before=file.after, after=text.encode(), mode_before=file.mode_after)
    return Mutant(wrong, f"{file.path}:{number + 1} as `{place.line.strip()[:80]}`")


def _can_be_read(mutant: Mutant) -> bool:
    """Return True unless the wrong line is none of the language: every test that loads the file would notice that."""
    return not is_python(mutant.change.path) or _parse(mutant.change.text_after) is not None


def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _find_places(file: FileChange) -> Iterator[_Place]:
    lines, ending = file.text_after.splitlines(keepends=True), posixpath.splitext(file.path)[1]
    headers, prose = _find_headers(lines), _find_prose(file)
    for word, _, _, start, end in compare_lines(file):
        for number in range(start, end) if word != "equal" else ():
            if number + 1 not in prose and len(lines[number]) <= MAX_LINE:
                for turn, line in enumerate(_change_line(lines[number], ending)):
                    yield _Place(file, number, turn, line, headers[number])


def _find_prose(file: FileChange) -> frozenset[int]:
    """Return the numbers from 1 of the lines of texts that go over several lines, such as docstrings."""
    module = _parse(file.text_after) if is_python(file.path) else None
    texts = [node for node in ast.walk(module) if isinstance(node, ast.Constant | ast.JoinedStr)] if module else []
    return frozenset(
        number
        for text in texts
        if (text.end_lineno or text.lineno) > text.lineno
        for number in range(text.lineno, (text.end_lineno or text.lineno) + 1)
    )


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
    if _COMMENT.match(line):
        return
    for place in _PLACE.finditer(line):
        new = str(int(place[0]) + 1) if place[0].isdigit() else _OPPOSITES[place[0]]
        yield line[: place.start()] + new + line[place.end() :]
    is_whole = all(line.count(pair[0]) == line.count(pair[1]) for pair in ("()", "[]", "{}"))
    returned = _RETURN.fullmatch(line) if is_whole and not line.rstrip().endswith(("\\", "`")) else None
    if returned and ending in _EMPTY_RETURNS:
        yield returned[1] + _EMPTY_RETURNS[ending]
