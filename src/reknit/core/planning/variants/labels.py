"""What labels and titles on a forge say: an estimate, a priority, an incident."""

import re
from collections.abc import Iterable

_POINTS = re.compile(r"(?:story[ -]?points?|points?|effort|estimate|size|sp)(?: ?[:/=-] ?| )(\w+)")
_POINTS_LAST = re.compile(r"(\d{1,2}) ?(?:points?|pts?|sp)")
_SIZES = {
    "xs": 1, "s": 1, "tiny": 1, "small": 1, "low": 1, "trivial": 1, "m": 3, "medium": 3,
    "l": 5, "large": 5, "high": 5, "xl": 8, "xxl": 13, "huge": 13,
}  # fmt: skip
"""As tasks of a plan are weighed: S 1, M 3, L 5."""
_PRIORITY = re.compile(r"(?<![\w-])(?:priority|prio|urgent|critical|blocker|p[0-4])(?![\w-])")
_CRITICAL_LABEL = re.compile(r"(?<![\w-])(?:critical|incident|outage|sev-?[01]|p0)(?![\w-])")
_NOUNS = "incident|outage|bug|failure|vulnerability|security|regression|error|issue|defect|hotfix"
_CRITICAL_TITLE = re.compile(
    r"(?<![\w-])(?:(?i:incident|outage|sev-?[01]|p0|data loss|production (?:is )?down)(?![\w-])"
    rf"|CRITICAL(?![\w-])|(?i:critical)(?:[\]:]| (?i:{_NOUNS})(?![\w-])))"
)


def points(labels: Iterable[str]) -> int | None:
    """The largest estimate that a label names; None: none does."""
    found = [size for label in labels if (size := _points(label.casefold().strip())) is not None]
    return max(found, default=None)


def _points(label: str) -> int | None:
    written = _POINTS.fullmatch(label) or _POINTS_LAST.fullmatch(label)
    if not written:
        return None
    word = written[1]
    return int(word) if word.isascii() and word.isdigit() and len(word) < 3 else _SIZES.get(word)


def is_priority(label: str) -> bool:
    return bool(_PRIORITY.search(label.casefold()))


def is_critical_label(label: str) -> bool:
    return bool(_CRITICAL_LABEL.search(label.casefold()))


def is_critical_title(title: str) -> bool:
    """Stricter than a label: `Inline critical CSS` and `non-critical` are no incidents."""
    return bool(_CRITICAL_TITLE.search(title))
