"""The fates that are written down for a selection of cases: CI runs these and fails if one is worse."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gauntlet.row import Row

_BETTER = {"landed": "caught", "refused": "passed"}
"""Known miss -> what it becomes once it is one no more."""


def read_expected(path: Path) -> Mapping[str, str]:
    """Id -> fate."""
    return {case: fate for fate, named in tomllib.loads(path.read_text()).items() for case in named}


def surprises(rows: Sequence[Row], expected: Mapping[str, str]) -> Iterator[tuple[bool, str]]:
    """Whether it is worse, and a line about it. A case that did not run is worse than any answer."""
    for row in rows:
        fate = expected[row.id]
        if row.fate == fate:
            continue
        is_worse = row.fate != _BETTER.get(fate)
        what = "worse than expected" if is_worse else "better than expected: write it down"
        why = row.not_run or row.problem or " ".join([row.ending, *row.rules, *row.proof, *row.saw])
        yield is_worse, f"{what}: {row.id} is {row.fate}, not {fate}: {why}"
