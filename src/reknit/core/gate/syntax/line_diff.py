"""Which lines a change adds and removes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from reknit.core.repository.change import FileChange

LARGEST_COMPARISON = 1_000_000
"""Lines before times lines after; above it lines are compared as a multiset, so that no file can stall the gate."""


LARGE = 300_000
"""Characters; of a larger file only the changed lines are read."""


@dataclass(frozen=True)
class LineDiff:
    added: tuple[str, ...]
    removed: tuple[str, ...]


@lru_cache(maxsize=64)  # most rules need it
def line_diff(file: FileChange) -> LineDiff:
    before, after = _lines(file.text_before), _lines(file.text_after)
    start = _common_start(before, after)
    before, after = before[start:], after[start:]
    end = _common_start(before[::-1], after[::-1])
    before, after = before[: len(before) - end], after[: len(after) - end]
    if len(before) * len(after) > LARGEST_COMPARISON:
        return LineDiff(
            tuple((Counter(after) - Counter(before)).elements()), tuple((Counter(before) - Counter(after)).elements())
        )
    added: list[str] = []
    removed: list[str] = []
    for word, b1, b2, a1, a2 in SequenceMatcher(None, before, after).get_opcodes():
        if word != "equal":
            removed += before[b1:b2]
            added += after[a1:a2]
    return LineDiff(tuple(added), tuple(removed))


def changed_lines(before: str, after: str) -> tuple[range, range] | None:
    """Line numbers in both texts, from the first difference to the last; None: small enough to read as a whole."""
    if max(len(before), len(after)) < LARGE or "\r" in before or "\r" in after:
        return None  # for Python a carriage return ends a line too
    old, new = before.split("\n"), after.split("\n")
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    # One extra line at both ends: where lines were only removed, their neighbours represent them.
    return range(start, len(old) - end + 2), range(start, len(new) - end + 2)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _common_start(left: Sequence[str], right: Sequence[str]) -> int:
    for number, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return number
    return min(len(left), len(right))
