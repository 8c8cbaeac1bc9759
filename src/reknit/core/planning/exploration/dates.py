"""A date as people write it in frontmatter; the same in every locale and time zone."""

import re
from datetime import UTC, date, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3})[a-z]{0,6}\.?,?[ -](\d{4})(?!\d)")
_MONTH_DAY = re.compile(r"([a-z]{3})[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)")


def date_of(text: str) -> date | None:
    """In UTC if it has a time zone. None: it is not a date, or could be two (`11/12/2026`)."""
    written = text.strip().lower()
    try:
        return _exact(written) or _worded(written)
    except (ValueError, OverflowError):  # the 31st of April, or the year 0
        return None


def _exact(written: str) -> date | None:
    if match := _YEAR_FIRST.match(written):
        zoned = _with_zone(written)
        return zoned or date(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_FIRST.match(written):
        return date(int(match[3]), int(match[2]), int(match[1]))
    return None


def _with_zone(written: str) -> date | None:
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    return moment.astimezone(UTC).date() if moment.tzinfo else None


def _worded(written: str) -> date | None:
    if match := _DAY_MONTH.match(written):
        day, month, year = match[1], match[2], match[3]
    elif match := _MONTH_DAY.match(written):
        month, day, year = match[1], match[2], match[3]
    else:
        return None
    return date(int(year), _MONTHS.index(month) + 1, int(day)) if month in _MONTHS else None
