"""What git says of the last commits and of a branch, as values."""

import re
from datetime import UTC, datetime

from reknit.core.planning.context import CommitLine
from reknit.core.text.format import words

SHORT_ID = 12
"""Always as long: what git calls short depends on how many objects a clone has."""
_MOST_NAME = 80
_COMMIT = re.compile(rb"([0-9a-f]{40})\0([^\0]*)\0(-?\d{1,12})\0([^\0]*)\0\n")


def commits_of(log: bytes) -> tuple[CommitLine, ...]:
    return tuple(
        CommitLine(found[1].decode("ascii")[:SHORT_ID], _line(found[4]), _line(found[2], _MOST_NAME), _day(found[3]))
        for found in _COMMIT.finditer(log)
    )


def size_of(numstat: bytes) -> tuple[int, int]:
    """Files, and lines added and removed; a binary file has none."""
    rows = [row.split(b"\t", 2)[:2] for row in numstat.split(b"\0")[:-1]]
    return len(rows), sum(int(number) for row in rows for number in row if number.isdigit())


def _line(raw: bytes, most: int = 240) -> str:
    return words(raw.decode("utf-8", "replace"), most)


def _day(seconds: bytes) -> str:
    """Empty: no calendar has it."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
