"""Reads the documents of a repository: which files they are, their frontmatter, and how old they are."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime

from reknit.core.planning.context import Doc, Frontmatter
from reknit.core.planning.exploration.expected_files import is_state
from reknit.core.planning.exploration.frontmatter import parse_frontmatter

FIRST_BYTES = 4096
MAX_DOCS = 1_000
_EXTENSIONS = (".md", ".markdown", ".mdx")
_MAX_CHARACTER_BYTES = 4
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3})[a-z]{0,6}\.?,?[ -](\d{4})(?!\d)")
_MONTH_DAY = re.compile(r"([a-z]{3})[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)")
STALE_DAYS = 30


def select_documents(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the Markdown files at the root, then those below docs/."""
    documents = (
        path for path in paths if path.lower().endswith(_EXTENSIONS) and ("/" not in path or path[:5] == "docs/")
    )
    return tuple(sorted(documents, key=lambda path: ("/" in path, path)))


def read_doc(path: str, head: bytes | str) -> Doc:
    """Return the document. `head`: its first bytes, or why they could not be read."""
    if isinstance(head, str):
        return Doc(path, problem=head)
    text = decode_head(head)
    return Doc(path, problem="it is not UTF-8 text") if text is None else Doc(path, *parse_frontmatter(text))


def decode_head(head: bytes) -> str | None:
    """Return the text; None: it is not UTF-8. The last character may be cut."""
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError as broken:
        is_cut = len(head) >= FIRST_BYTES and broken.start > len(head) - _MAX_CHARACTER_BYTES
        return head[: broken.start].decode("utf-8") if is_cut else None


def parse_date(text: str) -> date | None:
    """Return the date, in UTC if it has a time zone; None: no date, or an ambiguous one (`11/12/2026`)."""
    normalized = text.strip().lower()
    try:
        return _parse_numeric(normalized) or _parse_worded(normalized)
    except (ValueError, OverflowError):  # the 31st of April, or the year 0
        return None


def _parse_numeric(text: str) -> date | None:
    if match := _YEAR_FIRST.match(text):
        zoned = _parse_zoned(text)
        return zoned or date(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_FIRST.match(text):
        return date(int(match[3]), int(match[2]), int(match[1]))
    return None


def _parse_zoned(text: str) -> date | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC).date() if moment.tzinfo else None


def _parse_worded(text: str) -> date | None:
    if match := _DAY_MONTH.match(text):
        day, month, year = match[1], match[2], match[3]
    elif match := _MONTH_DAY.match(text):
        month, day, year = match[1], match[2], match[3]
    else:
        return None
    return date(int(year), _MONTHS.index(month) + 1, int(day)) if month in _MONTHS else None


def find_stale(docs: Sequence[Doc], as_of: date) -> tuple[str, ...]:
    """Return the documents with `status: stale`, and those updated more than 30 days before."""
    return tuple(doc.path for doc in docs if _is_stale(doc.frontmatter, as_of))


def find_state_age_days(docs: Sequence[Doc], as_of: date) -> int | None:
    """Return the age of the newest STATE.md; None: none has a date. One in the future is as old as today."""
    ages = [_measure_age_days(doc.frontmatter, as_of) for doc in docs if is_state(doc.path)]
    return min((max(age, 0) for age in ages if age is not None), default=None)


def _is_stale(frontmatter: Frontmatter, as_of: date) -> bool:
    age = _measure_age_days(frontmatter, as_of)
    return dict(frontmatter).get("status", "").lower() == "stale" or (age is not None and age > STALE_DAYS)


def _measure_age_days(frontmatter: Frontmatter, as_of: date) -> int | None:
    updated = parse_date(dict(frontmatter).get("updated", ""))
    return (as_of - updated).days if updated else None
