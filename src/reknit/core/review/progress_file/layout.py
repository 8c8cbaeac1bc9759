"""Finds the file of a review, and its entries with their sections; other text in PROGRESS.txt is passed over."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reknit.core.repository.uncommitted import PROGRESS_FILES
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
OPTIONAL_SECTIONS: Mapping[Kind, tuple[str, ...]] = {"Review": (REASON,)}
"""Sections that an entry may also have."""
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
    """A problem in the file, and its line."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


@dataclass
class Section:
    """A section of an entry."""

    line: int
    words: str
    """The part of its title after a colon."""
    lines: list[Line] = field(default_factory=list)


@dataclass
class RawEntry:
    """An entry while it is read; its words are still encoded."""

    line: int
    kind: Kind
    heading: str
    """Without the tag."""
    sections: dict[str, Section] = field(default_factory=dict)
    problems: list[EntryProblem] = field(default_factory=list)
    last: Section | None = None
    """The one that the next line belongs to."""

    def note(self, line: int, message: str) -> None:
        self.problems.append(EntryProblem(line, message))


def find_entries(text: str) -> Iterator[RawEntry]:
    """Yield the entries of a text."""
    lines = [line.rstrip(BLANKS) for line in text.removeprefix("\ufeff").split("\n")]
    entry: RawEntry | None = None
    for index, line in enumerate(lines):
        if next_entry := _begin_entry(lines, index):
            if entry:
                yield _mark_unfinished(entry)
            entry = next_entry
        elif entry and _END.fullmatch(line):
            yield entry
            entry = None
        elif entry:
            _continue_entry(entry, index + 1, line)
    if entry:
        yield _mark_unfinished(entry)


def find_other_text(text: str) -> int:
    """Return the number of the first line that belongs to no entry; 0: there is none."""
    lines = [line.rstrip(BLANKS) for line in text.removeprefix("\ufeff").split("\n")]
    is_inside = False
    for index, line in enumerate(lines):
        is_end = bool(_END.fullmatch(line))
        if line and not is_inside and not _begin_entry(lines, index):
            return index + 1
        is_inside = not is_end and (is_inside or bool(line))
    return 0


def is_structure(line: str) -> bool:
    """Return True if this text would be taken for structure if a line began with it."""
    return bool(_TAG.match(line) or _SECTION.match(line) or _END.fullmatch(line))


def _mark_unfinished(entry: RawEntry) -> RawEntry:
    """Report only the missing end: other missing parts may have been cut off."""
    entry.problems = [EntryProblem(entry.line, NO_END)]
    return entry


def _begin_entry(lines: Sequence[str], index: int) -> RawEntry | None:
    """Return an entry that begins here. Prose may begin with `[Review]` too: an entry has a date or a section."""
    tag = _TAG.match(lines[index])
    if not tag:
        return None
    kind: Kind = tag[1]  # type: ignore[assignment]
    entry = RawEntry(index + 1, kind, lines[index][tag.end() :])
    return entry if _DATE.match(entry.heading) or _has_section_below(lines, index, kind) else None


def _has_section_below(lines: Sequence[str], index: int, kind: Kind) -> bool:
    below = next((lines[place] for place in range(index + 1, len(lines)) if lines[place]), "")
    begin = _SECTION.match(below)
    return bool(begin and below[begin.end() :].startswith(SECTIONS[kind]))


def _continue_entry(entry: RawEntry, number: int, line: str) -> None:
    if begin := _SECTION.match(line):
        _begin_section(entry, number, line[begin.end() :])
    elif entry.last:
        entry.last.lines.append((number, line))
    elif line:
        entry.note(number, f"`### {SECTIONS[entry.kind][0]}` must come first in this entry")


def _begin_section(entry: RawEntry, number: int, title: str) -> None:
    name, _, words = title.partition(":")
    name = name.rstrip(BLANKS)
    entry.last = Section(number, words.strip(BLANKS))
    if name not in (*SECTIONS[entry.kind], *OPTIONAL_SECTIONS.get(entry.kind, ())):
        entry.note(number, f"`### {name}` is no section of a `[{entry.kind}]` entry")
    elif name in entry.sections:
        entry.note(number, f"`### {name}` is there twice")
    entry.sections.setdefault(name, entry.last)


def choose_path(existing: Collection[str], configured: str = "") -> str:
    """Return the file, relative to the root; raise ValueError if it may not be used.

    `configured`: the setting `review.progress`.
    """
    if not configured:
        return next((path for path in PROGRESS_FILES if path in existing), PROGRESS_FILES[0])
    if refusal := explain_refused_path(configured):
        raise ValueError(refusal)
    return configured


def explain_refused_path(path: str) -> str:
    """Return why entries may not be written to this path; empty: they may."""
    if path.startswith("/"):
        return f"{path!r} must be relative to the repository's root"
    names = path.split("/")
    if ".." in names:
        return f"{path!r} must not contain '..'"
    if any(_is_git_name(name) for name in names):
        return f"{path!r} is inside a git folder"
    if "" in names or "." in names or not path.isprintable():
        return f"{path!r} is not the plain path of a file, such as 'docs/PROGRESS.txt'"
    return ""


def explain_not_appendable(path: str, text: str) -> str:
    """Return why no entry is added to a file with this text; empty: it may be.

    The usual files may hold a person's notes too. Any other file could be one that a program reads, such as `.env`.
    """
    line = 0 if path in PROGRESS_FILES else find_other_text(text)
    return f"{path!r} has other text than entries of reviews (line {line})" if line else ""


def _is_git_name(name: str) -> bool:
    """Return True if a file system that ignores case, trailing dots or all after a colon takes it for `.git`."""
    return name.partition(":")[0].casefold().rstrip(" .") in (".git", "git~1")
