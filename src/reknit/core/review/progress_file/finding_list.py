"""The numbered findings of a `[Review]` entry, as reknit wrote them or a person changed them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.progress_file.layout import Line
from reknit.core.text.line_encoding import BLANKS, decode, join_lines

Note = Callable[[int, str], None]

_NUMBER = re.compile(r"[0-9]+[.)](?:[ \t]+|$)")
_FIELD = re.compile(r"[ \t]{0,4}[-*+][ \t]+(File|Issue|Suggestion)[ \t]*:")
"""Further lines of a text are printed in column 5 and later, where no field begins."""
_PLACE = re.compile(r"(.*):([0-9]{1,9})")


@dataclass
class _Finding:
    line: int
    summary: list[str]
    fields: dict[str, list[str]] = field(default_factory=dict)
    last: list[str] = field(default_factory=list)
    """The text that an indented line continues."""


def read_findings(lines: Iterable[Line], note: Note) -> tuple[ListedFinding, ...]:
    findings = [_read(finding, note) for finding in _split(lines, note)]
    return tuple(finding for finding in findings if finding)


def _split(lines: Iterable[Line], note: Note) -> list[_Finding]:
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


def _read(finding: _Finding, note: Note) -> ListedFinding | None:
    summary = " ".join(line.strip(BLANKS) for line in finding.summary).strip(BLANKS)
    name, colon, words = summary[2:].partition("**:")
    if not (summary.startswith("**") and name and colon):
        note(finding.line, "a finding begins with `1. **ID**: title`")
        return None
    file, line = _place("".join(part.strip(BLANKS) for part in finding.fields.get("File", ())))
    if not file:
        note(finding.line, "a finding needs `- File: path:line`")
        return None
    category, title = _category(words.strip(BLANKS))
    issue, suggestion = (_text(finding, label) for label in ("Issue", "Suggestion"))
    return ListedFinding(decode(name.strip(BLANKS)), category, title, decode(file), line, issue, suggestion)


def _place(words: str) -> tuple[str, int]:
    place = _PLACE.fullmatch(words)
    return (place[1], int(place[2])) if place else (words, 0)


def _category(words: str) -> tuple[str, str]:
    category, dash, title = words.partition(" - ")
    if not dash:
        return "", decode(words)
    return decode(category.rstrip(BLANKS)), decode(title.lstrip(BLANKS))


def _text(finding: _Finding, label: str) -> str:
    first, *rest = finding.fields.get(label, [""])
    return join_lines(first, rest, indent=5)
