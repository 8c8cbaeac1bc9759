"""An entry as it is appended to PROGRESS.txt; `core/text/line_encoding.py` says how unusual text is written."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from reknit.core.review.progress_file.entries import Entry, FailedEntry, FixEntry, ListedFinding, ReviewEntry
from reknit.core.review.progress_file.layout import END, is_structure
from reknit.core.text.line_encoding import NOTHING, one_line, several_lines

MOST = 999_999_999
"""Of a line number or a count of attempts."""
NONE = "None."

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MINUTE = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(minutes=1)
_LAST_MINUTE = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(minutes=1)
_SEPARATING_DASH = re.compile(r"(?<= )-(?= |$)")
_LINE_NUMBER = re.compile(r":(?=[0-9]{1,9}$)")


def print_entry(entry: Entry) -> str:
    """Ends in `---` and a newline. What the file cannot hold is rounded as in `printable`."""
    entry = printable(entry)
    lines = _review(entry) if isinstance(entry, ReviewEntry) else _fix(entry)
    return "\n".join([*lines, "", END, ""])


def printable(entry: Entry) -> Entry:
    """As the file can hold it: a whole minute of the years 1 to 9999, and numbers from 0 to `MOST`. Text stays."""
    at = _minute(entry.at) * 60.0
    if isinstance(entry, ReviewEntry):
        findings = tuple(replace(finding, line=_number(finding.line)) for finding in entry.findings)
        return replace(entry, at=at, findings=findings)
    return replace(entry, at=at, attempts=_number(entry.attempts), of=_number(entry.of))


def _minute(at: float) -> int:
    if math.isnan(at):
        return 0
    return int(min(max(at, _FIRST_MINUTE * 60), _LAST_MINUTE * 60) // 60)


def _number(number: int) -> int:
    return min(max(number, 0), MOST)


def _review(entry: ReviewEntry) -> list[str]:
    lines = [
        f"[Review] {_date(entry.at)} - {one_line(entry.reviewer)} ({entry.level})",
        "",
        f"### Verdict: {entry.verdict}",
        "",
        "### Findings",
    ]
    for number, finding in enumerate(entry.findings, start=1):
        lines += ["", *_finding(number, finding)]
    return lines if entry.findings else [*lines, "", NONE]


def _finding(number: int, finding: ListedFinding) -> list[str]:
    name = one_line(finding.id).replace("*", f"*{NOTHING}") or NOTHING
    return [
        f"{number}. **{name}**: {_summary(finding)}".rstrip(" "),
        f"   - File: {_place(finding)}",
        *_bullet("   - Issue:", finding.issue),
        *(_bullet("   - Suggestion:", finding.suggestion) if finding.suggestion else ()),
    ]


def _summary(finding: ListedFinding) -> str:
    title = one_line(finding.title)
    if not finding.category and " - " not in title:
        return title
    category = _SEPARATING_DASH.sub(lambda _: f"-{NOTHING}", one_line(finding.category))
    return f"{category or NOTHING} - {title or NOTHING}"


def _place(finding: ListedFinding) -> str:
    file = one_line(finding.file) or NOTHING
    return f"{file}:{finding.line}" if finding.line else _LINE_NUMBER.sub(lambda _: f":{NOTHING}", file)


def _fix(entry: FixEntry | FailedEntry) -> list[str]:
    reviewer = one_line(entry.reviewer).replace("/", "\\u{2f}")
    ids = ", ".join(one_line(each).replace(",", "\\u{2c}") or NOTHING for each in entry.findings)
    heading = f"{_date(entry.at)} - {reviewer}/{ids}"
    attempts = f"{entry.attempts} of {entry.of}"
    if isinstance(entry, FixEntry):
        return [
            f"[Review Fix] {heading}",
            *("", "### What was fixed", *_items(entry.fixed)),
            *("", "### Files changed", *_items(entry.files)),
            *("", "### Attempts", attempts),
        ]
    exhausted = " (exhausted)" if entry.attempts == entry.of else ""
    return [
        f"[Review Fix Failed] {heading}",
        *("", "### Issue", *_items(entry.issue)),
        *("", "### Attempts", attempts + exhausted),
        *("", "### Reason", *_reason(entry.reason)),
    ]


def _items(items: Iterable[str]) -> list[str]:
    return [line for item in items for line in _bullet("-", item)] or [NONE]


def _reason(reason: str) -> list[str]:
    if not reason:
        return []
    first, *rest = several_lines(reason)
    return [NOTHING + first if is_structure(first) else first, *_indented(rest, 2)]


def _bullet(label: str, text: str) -> list[str]:
    """Further lines are below the first letter after the bullet."""
    first, *rest = several_lines(text)
    return [f"{label} {first}".rstrip(" "), *_indented(rest, label.index("-") + 2)]


def _indented(lines: Iterable[str], columns: int) -> list[str]:
    return [f"{'':{columns}}{line}" if line else "" for line in lines]


def _date(at: float) -> str:
    moment = _EPOCH + timedelta(minutes=at // 60)
    return f"{moment.year:04}-{moment:%m-%d %H:%M} UTC"
