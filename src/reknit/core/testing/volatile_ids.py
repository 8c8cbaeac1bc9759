"""Recognises tests whose ids contain a value of the moment, so that they have another id in each run."""

import re
from collections import Counter
from collections.abc import Collection

_VOLATILE = re.compile(
    r"\b0x[0-9a-fA-F]{6,16}\b|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|\b[0-9a-f]{32}\b"
    r"|\d{4}-\d\d-\d\d(?:[T _-]\d\d[:.]?\d\d[:.\d]*)?|\b1\d{9}(?:\.\d+|\d{3,9})?\b|/tmp/[^\s\]:]*"
)
"""Addresses, UUIDs, dates and times, seconds since 1970, paths of temporary files."""


def is_volatile(test: str) -> bool:
    return bool(_VOLATILE.search(test))


def unrepeated(tests: Collection[str], others: Collection[str]) -> list[str]:
    """Return the tests that are not among the others, not even under an id that differs in a value of the moment.

    Each of the others stands for one test at most.
    """
    known, left = frozenset(others), list[str]()
    absent = sorted(test for test in tests if test not in known)
    new = Counter(_VOLATILE.sub("*", test) for test in known.difference(tests)) if absent else Counter[str]()
    for test in absent:
        form = _VOLATILE.sub("*", test)
        new[form] -= 1
        if form == test or new[form] < 0:
            left.append(test)
    return left
