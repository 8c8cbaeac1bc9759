"""Where the entries of a review begin, end and have their sections; everything else in PROGRESS.txt is passed over."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reknit.core.text.line_encoding import BLANKS

Kind = Literal["Review", "Review Fix", "Review Fix Failed"]
VERDICT, FINDINGS = "Verdict", "Findings"
FIXED, FILES, ATTEMPTS = "What was fixed", "Files changed", "Attempts"
ISSUE, REASON = "Issue", "Reason"
SECTIONS: Mapping[Kind, tuple[str, ...]] = {
    "Review": (VERDICT, FINDINGS),
    "Review Fix": (FIXED, FILES, ATTEMPTS),
    "Review Fix Failed": (ISSUE, ATTEMPTS, REASON),
}
END = "---"
NO_END = f"this entry has no `{END}` at its end"

_TAG = re.compile(r"\[(Review|Review Fix|Review Fix Failed)\](?:[ \t]+|$)")
_DATE = re.compile(r"[0-9]{4}-")
_END = re.compile(r"-{3,}")
_SECTION = re.compile(r"###[ \t]+")

Line = tuple[int, str]
"""Its number, counted from 1, and its text."""


@dataclass(frozen=True)
class EntryProblem:
    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


@dataclass
class Section:
    line: int
    words: str
    """What its title has after a colon."""
    lines: list[Line] = field(default_factory=list)


@dataclass
class FoundEntry:
    """An entry while it is read; its words are still encoded."""

    line: int
    kind: Kind
    heading: str
    """Without the tag."""
    sections: dict[str, Section] = field(default_factory=dict)
    problems: list[EntryProblem] = field(default_factory=list)
    last: Section | None = None
    """The one that the next line belongs to."""

    def note(self, line: int, what: str) -> None:
        self.problems.append(EntryProblem(line, what))


def find_entries(text: str) -> Iterator[FoundEntry]:
    lines = [line.rstrip(BLANKS) for line in text.removeprefix("\ufeff").split("\n")]
    entry: FoundEntry | None = None
    for index, line in enumerate(lines):
        if begun := _begin(lines, index):
            if entry:
                yield _unfinished(entry)
            entry = begun
        elif entry and _END.fullmatch(line):
            yield entry
            entry = None
        elif entry:
            _continue(entry, index + 1, line)
    if entry:
        yield _unfinished(entry)


def find_other_text(text: str) -> int:
    """Return the number of the first line that belongs to no entry; 0: there is none."""
    lines = [line.rstrip(BLANKS) for line in text.removeprefix("\ufeff").split("\n")]
    is_inside = False
    for index, line in enumerate(lines):
        is_end = bool(_END.fullmatch(line))
        if line and not is_inside and not _begin(lines, index):
            return index + 1
        is_inside = not is_end and (is_inside or bool(line))
    return 0


def is_structure(line: str) -> bool:
    """Whether this text would be taken for structure if a line began with it."""
    return bool(_TAG.match(line) or _SECTION.match(line) or _END.fullmatch(line))


def _unfinished(entry: FoundEntry) -> FoundEntry:
    """It says only that: what is missing in it may be what was cut off."""
    entry.problems = [EntryProblem(entry.line, NO_END)]
    return entry


def _begin(lines: Sequence[str], index: int) -> FoundEntry | None:
    """Prose may begin with `[Review]` too: an entry has a date there, or one of its sections below."""
    tag = _TAG.match(lines[index])
    if not tag:
        return None
    kind: Kind = tag[1]  # type: ignore[assignment]
    entry = FoundEntry(index + 1, kind, lines[index][tag.end() :])
    return entry if _DATE.match(entry.heading) or _has_section_below(lines, index, kind) else None


def _has_section_below(lines: Sequence[str], index: int, kind: Kind) -> bool:
    below = next((lines[place] for place in range(index + 1, len(lines)) if lines[place]), "")
    begin = _SECTION.match(below)
    return bool(begin and below[begin.end() :].startswith(SECTIONS[kind]))


def _continue(entry: FoundEntry, number: int, line: str) -> None:
    if begin := _SECTION.match(line):
        _begin_section(entry, number, line[begin.end() :])
    elif entry.last:
        entry.last.lines.append((number, line))
    elif line:
        entry.note(number, f"`### {SECTIONS[entry.kind][0]}` must come first in this entry")


def _begin_section(entry: FoundEntry, number: int, title: str) -> None:
    name, _, words = title.partition(":")
    name = name.rstrip(BLANKS)
    entry.last = Section(number, words.strip(BLANKS))
    if name not in SECTIONS[entry.kind]:
        entry.note(number, f"`### {name}` is no section of a `[{entry.kind}]` entry")
    elif name in entry.sections:
        entry.note(number, f"`### {name}` is there twice")
    entry.sections.setdefault(name, entry.last)
