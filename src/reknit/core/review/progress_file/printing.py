"""Prints an entry of PROGRESS.txt; `core/text/line_encoding.py` encodes unusual text."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from reknit.core.review.progress_file.entries import Entry, FailedEntry, FixEntry, ListedFinding, ReviewEntry
from reknit.core.review.progress_file.layout import END, is_structure
from reknit.core.text.line_encoding import NOTHING, encode_line, encode_lines

MAX_NUMBER = 999_999_999
"""Highest line number or count of attempts."""
NONE = "None."

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MINUTE = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(minutes=1)
_LAST_MINUTE = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(minutes=1)
_SEPARATING_DASH = re.compile(r"(?<= )-(?= |$)")
_LINE_NUMBER = re.compile(r":(?=[0-9]{1,9}$)")


def print_entry(entry: Entry) -> str:
    """Return the text of an entry, ending in `---` and a newline; values are rounded by `to_printable`."""
    entry = to_printable(entry)
    lines = _print_review(entry) if isinstance(entry, ReviewEntry) else _print_fix(entry)
    return "\n".join([*lines, "", END, ""])


def to_printable(entry: Entry) -> Entry:
    """Round to what the file can hold: whole minutes of the years 1 to 9999, numbers from 0 to `MAX_NUMBER`."""
    at = _to_minute(entry.at) * 60.0
    if isinstance(entry, ReviewEntry):
        findings = tuple(replace(finding, line=_clamp(finding.line)) for finding in entry.findings)
        return replace(entry, at=at, findings=findings)
    return replace(entry, at=at, attempts=_clamp(entry.attempts), of=_clamp(entry.of))


def _to_minute(at: float) -> int:
    if math.isnan(at):
        return 0
    return int(min(max(at, _FIRST_MINUTE * 60), _LAST_MINUTE * 60) // 60)


def _clamp(number: int) -> int:
    return min(max(number, 0), MAX_NUMBER)


def _print_review(entry: ReviewEntry) -> list[str]:
    lines = [
        f"[Review] {_print_date(entry.at)} - {encode_line(entry.reviewer)} ({entry.level})",
        *("", f"### Verdict: {entry.verdict}"),
        *(("", "### Reason", *_print_reason(entry.reason)) if entry.reason else ()),
        *("", "### Findings"),
    ]
    for number, finding in enumerate(entry.findings, start=1):
        lines += ["", *_print_finding(number, finding)]
    return lines if entry.findings else [*lines, "", NONE]


def _print_finding(number: int, finding: ListedFinding) -> list[str]:
    name = encode_line(finding.id).replace("*", f"*{NOTHING}") or NOTHING
    return [
        f"{number}. **{name}**: {_print_summary(finding)}".rstrip(" "),
        f"   - File: {_print_place(finding)}",
        *_print_bullet("   - Issue:", finding.issue),
        *(_print_bullet("   - Suggestion:", finding.suggestion) if finding.suggestion else ()),
    ]


def _print_summary(finding: ListedFinding) -> str:
    title = encode_line(finding.title)
    if not finding.category and " - " not in title:
        return title
    category = _SEPARATING_DASH.sub(lambda _: f"-{NOTHING}", encode_line(finding.category))
    return f"{category or NOTHING} - {title or NOTHING}"


def _print_place(finding: ListedFinding) -> str:
    file = encode_line(finding.file) or NOTHING
    return f"{file}:{finding.line}" if finding.line else _LINE_NUMBER.sub(lambda _: f":{NOTHING}", file)


def _print_fix(entry: FixEntry | FailedEntry) -> list[str]:
    reviewer = encode_line(entry.reviewer).replace("/", "\\u{2f}")
    ids = ", ".join(encode_line(finding).replace(",", "\\u{2c}") or NOTHING for finding in entry.findings)
    heading = f"{_print_date(entry.at)} - {reviewer}/{ids}"
    attempts = f"{entry.attempts} of {entry.of}"
    if isinstance(entry, FixEntry):
        return [
            f"[Review Fix] {heading}",
            *("", "### What was fixed", *_print_items(entry.fixed)),
            *("", "### Files changed", *_print_items(entry.files)),
            *("", "### Attempts", attempts),
        ]
    exhausted = " (exhausted)" if entry.attempts == entry.of else ""
    return [
        f"[Review Fix Failed] {heading}",
        *("", "### Issue", *_print_items(entry.issue)),
        *("", "### Attempts", attempts + exhausted),
        *("", "### Reason", *_print_reason(entry.reason)),
    ]


def _print_items(items: Iterable[str]) -> list[str]:
    return [line for item in items for line in _print_bullet("-", item)] or [NONE]


def _print_reason(reason: str) -> list[str]:
    if not reason:
        return []
    first, *rest = encode_lines(reason)
    return [NOTHING + first if is_structure(first) else first, *_indent(rest, 2)]


def _print_bullet(label: str, text: str) -> list[str]:
    """Indent further lines to the first letter after the bullet."""
    first, *rest = encode_lines(text)
    return [f"{label} {first}".rstrip(" "), *_indent(rest, label.index("-") + 2)]


def _indent(lines: Iterable[str], columns: int) -> list[str]:
    return [f"{'':{columns}}{line}" if line else "" for line in lines]


def _print_date(at: float) -> str:
    moment = _EPOCH + timedelta(minutes=at // 60)
    return f"{moment.year:04}-{moment:%m-%d %H:%M} UTC"
