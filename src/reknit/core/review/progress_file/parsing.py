"""Reads the entries of a review from PROGRESS.txt, even after a person has edited them.

Text between the entries belongs to others and is passed over. An entry that cannot be read is a problem with its line,
and the others are still returned. A person may number findings as they like, use `*` or `+` as bullets, leave out a
suggestion, an issue or a category, add blank lines, and continue a text on indented lines.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import get_args

from reknit.core.agents.reviewer import LEVELS
from reknit.core.review.progress_file.entries import (
    Entry,
    EntryVerdict,
    FailedEntry,
    FixEntry,
    ListedFinding,
    ReviewEntry,
)
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
    Line,
    RawEntry,
    find_entries,
)
from reknit.core.text.line_encoding import BLANKS, decode, decode_lines

Note = Callable[[int, str], None]

_NUMBER = re.compile(r"[0-9]+[.)](?:[ \t]+|$)")
_FIELD = re.compile(r"[ \t]{0,4}[-*+][ \t]+(File|Issue|Suggestion)[ \t]*:")
"""Further lines of a text are printed in column 5 and later, where no field begins."""
_PLACE = re.compile(r"(.*):([0-9]{1,9})")
_HEADING = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ \t]+([0-9]{2}:[0-9]{2})[ \t]+UTC[ \t]+-(?:[ \t]|$)")
_LEVEL = re.compile(r"(.*) \((blocking|warning|suggestion)\)")
_ATTEMPTS = re.compile(r"([0-9]{1,9}) of ([0-9]{1,9})(?: \(exhausted\))?")
_ITEM = re.compile(r"[ \t]?[-*+](?:[ \t]|$)")


@dataclass
class _Finding:
    line: int
    summary: list[str]
    fields: dict[str, list[str]] = field(default_factory=dict)
    last: list[str] = field(default_factory=list)
    """The text that an indented line continues."""


def read_findings(lines: Iterable[Line], note: Note) -> tuple[ListedFinding, ...]:
    """Return the numbered findings of a `[Review]` entry."""
    findings = [_read_finding(finding, note) for finding in _split_findings(lines, note)]
    return tuple(finding for finding in findings if finding)


def _split_findings(lines: Iterable[Line], note: Note) -> list[_Finding]:
    findings: list[_Finding] = []
    for number, line in lines:
        if begin := _NUMBER.match(line):
            summary = [line[begin.end() :]]
            findings.append(_Finding(number, summary, last=summary))
        elif findings and (label := _FIELD.match(line)):
            _begin_field(findings[-1], number, label[1], line[label.end() :], note)
        elif findings and line[:1] in ("", *BLANKS):
            findings[-1].last.append(line)
        elif line.strip(BLANKS) not in ("", "None.", "None"):
            note(
                number,
                "this line is in no finding: they begin with `1. **ID**: `, and their further lines are indented",
            )
    return findings


def _begin_field(finding: _Finding, number: int, label: str, words: str, note: Note) -> None:
    if label in finding.fields:
        note(number, f"this finding has `- {label}:` twice")
    finding.last = finding.fields[label] = [words]


def _read_finding(finding: _Finding, note: Note) -> ListedFinding | None:
    summary = " ".join(line.strip(BLANKS) for line in finding.summary).strip(BLANKS)
    name, colon, words = summary[2:].partition("**:")
    if not (summary.startswith("**") and name and colon):
        note(finding.line, "a finding begins with `1. **ID**: title`")
        return None
    file, line = _split_place("".join(part.strip(BLANKS) for part in finding.fields.get("File", ())))
    if not file:
        note(finding.line, "a finding needs `- File: path:line`")
        return None
    category, title = _split_category(words.strip(BLANKS))
    issue, suggestion = (_read_text(finding, label) for label in ("Issue", "Suggestion"))
    return ListedFinding(decode(name.strip(BLANKS)), category, title, decode(file), line, issue, suggestion)


def _split_place(words: str) -> tuple[str, int]:
    place = _PLACE.fullmatch(words)
    return (place[1], int(place[2])) if place else (words, 0)


def _split_category(words: str) -> tuple[str, str]:
    category, dash, title = words.partition(" - ")
    if not dash:
        return "", decode(words)
    return decode(category.rstrip(BLANKS)), decode(title.lstrip(BLANKS))


def _read_text(finding: _Finding, label: str) -> str:
    first, *rest = finding.fields.get(label, [""])
    return decode_lines(first, rest, indent=5)


@dataclass(frozen=True)
class LocatedEntry:
    """An entry and its line."""

    entry: Entry
    line: int


@dataclass(frozen=True)
class ParsedFile:
    """All entries and problems of a file."""

    entries: tuple[LocatedEntry, ...] = ()
    problems: tuple[EntryProblem, ...] = ()


def parse_entries(text: str) -> ParsedFile:
    """Return all entries that can be read, and a problem for each other one."""
    entries: list[LocatedEntry] = []
    problems: list[EntryProblem] = []
    for raw in find_entries(text):
        entry = _read_entry(raw)
        if entry and not raw.problems:
            entries.append(LocatedEntry(entry, raw.line))
        problems += sorted(raw.problems, key=lambda problem: problem.line)
    return ParsedFile(tuple(entries), tuple(problems))


def _read_entry(raw: RawEntry) -> Entry | None:
    """Return the entry; None, or noted problems: it is not whole."""
    if raw.problems:
        return None
    at = _read_moment(raw)
    for name in SECTIONS[raw.kind]:
        if name not in raw.sections:
            raw.note(raw.line, f"this entry has no `### {name}`")
    if at is None or raw.problems:
        return None
    return _read_review(raw, at) if raw.kind == "Review" else _read_fix(raw, at)


def _read_moment(raw: RawEntry) -> float | None:
    heading = _HEADING.match(raw.heading)
    try:
        moment = datetime.fromisoformat(f"{heading[1]}T{heading[2]}+00:00") if heading else None
    except ValueError:
        moment = None
    if not heading or not moment:
        raw.note(raw.line, f"the heading of an entry is `[{raw.kind}] YYYY-MM-DD HH:MM UTC - …`")
        return None
    raw.heading = raw.heading[heading.end() :]
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def _read_review(raw: RawEntry, at: float) -> ReviewEntry | None:
    name = _LEVEL.fullmatch(raw.heading)
    if not name:
        raw.note(raw.line, "the heading must end in a reviewer and its level: `security (blocking)`")
        return None
    section = raw.sections[VERDICT]
    verdict = next((word for word in get_args(EntryVerdict) if word == section.words), None)
    if not verdict or any(line for _, line in section.lines):
        raw.note(section.line, "the verdict is `### Verdict: PASSED`, `NEEDS_WORK` or `NO_ANSWER`")
        return None
    findings = read_findings(raw.sections[FINDINGS].lines, raw.note)
    level = next(level for level in LEVELS if level == name[2])
    return ReviewEntry(at, _decode_words(name[1]), level, verdict, findings, _read_reason(raw))


def _read_fix(raw: RawEntry, at: float) -> FixEntry | FailedEntry | None:
    reviewer, slash, names = raw.heading.partition("/")
    if not slash:
        raw.note(raw.line, "the heading must end in a reviewer and finding ids: `security/SEC-001, SEC-003`")
        return None
    ids = tuple(_decode_words(name) for name in names.split(",")) if names.strip(BLANKS) else ()
    counts = _read_counts(raw)
    if not counts:
        return None
    if raw.kind == "Review Fix":
        return FixEntry(at, _decode_words(reviewer), ids, _read_items(raw, FIXED), _read_items(raw, FILES), *counts)
    return FailedEntry(
        at, _decode_words(reviewer), ids, _read_items(raw, ISSUE), counts[0], _read_reason(raw), counts[1]
    )


def _read_reason(raw: RawEntry) -> str:
    section = raw.sections.get(REASON)
    first, *more = [line for _, line in section.lines] if section and section.lines else [""]
    return decode_lines(first, more, indent=2)


def _read_counts(raw: RawEntry) -> tuple[int, int] | None:
    section = raw.sections[ATTEMPTS]
    words = "\n".join(line.strip(BLANKS) for _, line in section.lines).strip("\n")
    counts = _ATTEMPTS.fullmatch(words)
    if not counts:
        raw.note(section.line, "below `### Attempts` is one line such as `1 of 3`")
        return None
    return int(counts[1]), int(counts[2])


def _read_items(raw: RawEntry, name: str) -> tuple[str, ...]:
    items: list[list[str]] = []
    for number, line in raw.sections[name].lines:
        if bullet := _ITEM.match(line):
            items.append([line[bullet.end() :]])
        elif items and line[:1] in ("", *BLANKS):
            items[-1].append(line)
        elif line and line != "None.":
            raw.note(number, f"below `### {name}` each item begins with `- `, and its further lines are indented")
    return tuple(decode_lines(first, rest, indent=2) for first, *rest in items)


def _decode_words(words: str) -> str:
    return decode(words.strip(BLANKS))
