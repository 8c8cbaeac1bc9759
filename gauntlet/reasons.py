"""Why a miss is a miss: by its id, or else by its language and class, or its class."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache

from gauntlet.case import SEMANTIC
from gauntlet.corpus import HERE
from gauntlet.row import Row


@cache
def reasons() -> Mapping[str, str]:
    return tomllib.loads((HERE / "reasons.toml").read_text())


def reason_for(row: Row) -> str:
    """Empty: nobody has looked yet."""
    keys = [row.id, f"{row.kind}/{row.language}/{row.group}", f"{row.kind}/{row.group}"]
    if row.holdout:  # what explains a semantic cheat is that they were off
        keys = [f"holdout/{row.id}", *(keys if row.group not in SEMANTIC else ())]
    return next((reasons()[key] for key in keys if key in reasons()), "")


def unexplained(rows: Sequence[Row]) -> list[str]:
    return [row.id for row in rows if not reason_for(row)]
