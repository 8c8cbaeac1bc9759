"""Reads the entries of a review from PROGRESS.txt, also after a person has edited them.

Text between the entries belongs to others and is passed over. An entry that cannot be read is a problem with its line,
and the others are still returned. A person may number findings as they like, use `*` or `+` as bullets, leave out a
suggestion, an issue or a category, add blank lines, and continue a text on indented lines.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import get_args

from reknit.core.agents.reviewer import LEVELS
from reknit.core.review.progress_file.entries import Entry, FailedEntry, FixEntry, ReviewEntry, Verdict
from reknit.core.review.progress_file.finding_list import read_findings
from reknit.core.review.progress_file.layout import (
    ATTEMPTS,
    FILES,
    FINDINGS,
    FIXED,
    ISSUE,
    REASON,
    SECTIONS,
    VERDICT,
    EntryProblem,
    FoundEntry,
    find_entries,
)
from reknit.core.text.line_encoding import BLANKS, decode, join_lines

_HEADING = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ \t]+([0-9]{2}:[0-9]{2})[ \t]+UTC[ \t]+-(?:[ \t]|$)")
_LEVEL = re.compile(r"(.*) \((blocking|warning|suggestion)\)")
_ATTEMPTS = re.compile(r"([0-9]{1,9}) of ([0-9]{1,9})(?: \(exhausted\))?")
_ITEM = re.compile(r"[ \t]?[-*+](?:[ \t]|$)")


@dataclass(frozen=True)
class LocatedEntry:
    entry: Entry
    line: int


@dataclass(frozen=True)
class ParsedFile:
    entries: tuple[LocatedEntry, ...] = ()
    problems: tuple[EntryProblem, ...] = ()


def parse_entries(text: str) -> ParsedFile:
    entries: list[LocatedEntry] = []
    problems: list[EntryProblem] = []
    for found in find_entries(text):
        entry = _read(found)
        if entry and not found.problems:
            entries.append(LocatedEntry(entry, found.line))
        problems += sorted(found.problems, key=lambda problem: problem.line)
    return ParsedFile(tuple(entries), tuple(problems))


def _read(found: FoundEntry) -> Entry | None:
    """None, or noted problems: it is not whole."""
    if found.problems:
        return None
    at = _moment(found)
    for name in SECTIONS[found.kind]:
        if name not in found.sections:
            found.note(found.line, f"this entry has no `### {name}`")
    if at is None or found.problems:
        return None
    return _review(found, at) if found.kind == "Review" else _fix(found, at)


def _moment(found: FoundEntry) -> float | None:
    heading = _HEADING.match(found.heading)
    try:
        moment = datetime.fromisoformat(f"{heading[1]}T{heading[2]}+00:00") if heading else None
    except ValueError:
        moment = None
    if not heading or not moment:
        found.note(found.line, f"the heading of an entry is `[{found.kind}] YYYY-MM-DD HH:MM UTC - …`")
        return None
    found.heading = found.heading[heading.end() :]
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def _review(found: FoundEntry, at: float) -> ReviewEntry | None:
    name = _LEVEL.fullmatch(found.heading)
    if not name:
        found.note(found.line, "the heading must end in a reviewer and its level: `security (blocking)`")
        return None
    section = found.sections[VERDICT]
    verdict = next((word for word in get_args(Verdict) if word == section.words), None)
    if not verdict or any(line for _, line in section.lines):
        found.note(section.line, "the verdict is `### Verdict: PASSED` or `### Verdict: NEEDS_WORK`")
        return None
    findings = read_findings(found.sections[FINDINGS].lines, found.note)
    level = next(level for level in LEVELS if level == name[2])
    return ReviewEntry(at, _plain(name[1]), level, verdict, findings)


def _fix(found: FoundEntry, at: float) -> FixEntry | FailedEntry | None:
    reviewer, slash, names = found.heading.partition("/")
    if not slash:
        found.note(found.line, "the heading must end in a reviewer and finding ids: `security/SEC-001, SEC-003`")
        return None
    ids = tuple(_plain(each) for each in names.split(",")) if names.strip(BLANKS) else ()
    counts = _counts(found)
    if not counts:
        return None
    if found.kind == "Review Fix":
        return FixEntry(at, _plain(reviewer), ids, _items(found, FIXED), _items(found, FILES), *counts)
    first, *more = [line for _, line in found.sections[REASON].lines] or [""]
    reason = join_lines(first, more, indent=2)
    return FailedEntry(at, _plain(reviewer), ids, _items(found, ISSUE), counts[0], reason, counts[1])


def _counts(found: FoundEntry) -> tuple[int, int] | None:
    section = found.sections[ATTEMPTS]
    words = "\n".join(line.strip(BLANKS) for _, line in section.lines).strip("\n")
    counts = _ATTEMPTS.fullmatch(words)
    if not counts:
        found.note(section.line, "below `### Attempts` is one line such as `1 of 3`")
        return None
    return int(counts[1]), int(counts[2])


def _items(found: FoundEntry, name: str) -> tuple[str, ...]:
    items: list[list[str]] = []
    for number, line in found.sections[name].lines:
        if bullet := _ITEM.match(line):
            items.append([line[bullet.end() :]])
        elif items and line[:1] in ("", *BLANKS):
            items[-1].append(line)
        elif line and line != "None.":
            found.note(number, f"below `### {name}` each item begins with `- `, and its further lines are indented")
    return tuple(join_lines(first, rest, indent=2) for first, *rest in items)


def _plain(words: str) -> str:
    return decode(words.strip(BLANKS))
