"""The statuses of an issue, and the allowed transitions. The database has the same table and rejects all others."""

from collections.abc import Mapping
from typing import Literal, get_args

Status = Literal["OPEN", "IN_PROGRESS", "RESOLVED", "FAILED", "MERGED", "IGNORED", "DUPLICATE"]
STATUSES: tuple[Status, ...] = get_args(Status)
BaselineState = Literal["new", "unchanged", "updated", "absent"]
"""SARIF's terms: how an issue compares with the newest import of the tools that reported it."""
TO_DO: tuple[Status, ...] = ("OPEN", "IN_PROGRESS", "FAILED")
"""Statuses with work left to do."""

TRANSITIONS: Mapping[tuple[Status, Status], str] = {
    ("OPEN", "IN_PROGRESS"): "a run works on it",
    ("OPEN", "IGNORED"): "a person says it is a false positive or will not be fixed",
    ("OPEN", "DUPLICATE"): "a person says it is the same as another one",
    ("IN_PROGRESS", "RESOLVED"): "its file is in the commit that landed",
    ("IN_PROGRESS", "FAILED"): "its agent crashed, no change for it was accepted, or its file is not in the commit",
    ("IN_PROGRESS", "OPEN"): "its run ended before it was tried or judged",
    ("FAILED", "IN_PROGRESS"): "a run tries it again",
    ("FAILED", "IGNORED"): "a person says it is a false positive or will not be fixed",
    ("FAILED", "DUPLICATE"): "a person says it is the same as another one",
    ("RESOLVED", "MERGED"): "the forge says that its pull request is merged",
    (
        "RESOLVED",
        "OPEN",
    ): "its commit was undone, it is reported in a tree with that commit or after its branch is gone, "
    "or a person reopens it",
    ("MERGED", "OPEN"): "a tool sees it again",
    ("IGNORED", "OPEN"): "a person reopens it",
    ("DUPLICATE", "OPEN"): "a person reopens it",
}
"""(before, after) -> when that happens."""


def list_statuses_before(after: Status) -> tuple[Status, ...]:
    """Return every status that `after` may follow."""
    return tuple(old for old, new in TRANSITIONS if new == after)
