"""Statements that change the status of issues: each inserts history rows, which triggers apply to the issues."""

import json
from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from reknit.core.issues.lifecycle import Status, list_statuses_before
from reknit.core.issues.model import ChangeNote
from reknit.store.tables import issue_changes, issues

_i = issues.c
_REPOSITORY_LOCK = 7_356_649
"""Used with the hash of a repository's name. An import holds the lock exclusively; other writers share it."""


def change_statuses(to: Status, note: ChangeNote, *which: sa.ColumnElement[bool]) -> sa.Insert:
    """Return the statement that gives this status to matching issues that may change to it; callers add `returning`.

    It locks rows in the order of their ids, so that two writers cannot deadlock. If another writer changes a row while
    this one waits, the row is checked again.
    """
    new = (
        sa.select(
            _i.id, _i.changes + 1, _i.status, _text(to), _text(note.author), _text(note.why),
            sa.literal(note.at, sa.Float), _text(note.run_id or None), _text(note.commit or None),
        )
        .where(_i.status.in_(list_statuses_before(to)), *which)
        .order_by(_i.id)
        .with_for_update()
    )  # fmt: skip
    columns = ["issue", "number", "old_status", "new_status", "who", "why", "at", "run_id", "commit_id"]
    return sa.insert(issue_changes).from_select(columns, new)


def _text(value: str | None) -> sa.ColumnElement[Any]:
    return sa.cast(sa.literal(value, sa.Text), sa.Text)


def is_among(dialect: str, ids: Collection[int], of: sa.ColumnElement[int] = _i.id) -> sa.ColumnElement[bool]:
    """Match one of these ids. All are one parameter, so that neither their number nor the cost of planning matters."""
    if dialect == "sqlite":
        return of.in_(sa.select(sa.func.json_each(json.dumps(list(ids))).table_valued("value").c.value))
    return of.in_(sa.select(sa.func.unnest(sa.cast(list(ids), ARRAY(sa.Integer)))))


def share_repository_locks(dialect: str, *which: sa.ColumnElement[bool]) -> list[sa.Executable]:
    """Return locks that block imports into these issues' repositories; none for SQLite, which has only one writer."""
    if dialect == "sqlite":
        return []
    hashes = sa.select(sa.func.hashtext(_i.repository).label("named")).where(*which).distinct().order_by("named")
    locks = hashes.subquery()
    return [sa.select(sa.func.pg_advisory_xact_lock_shared(_REPOSITORY_LOCK, locks.c.named))]


def lock_repository(dialect: str, repository: str) -> list[sa.Executable]:
    """Return locks that block every other writer of that repository's issues until the transaction ends."""
    if dialect == "sqlite":
        return []
    return [sa.select(sa.func.pg_advisory_xact_lock(_REPOSITORY_LOCK, sa.func.hashtext(repository)))]


def reopen_unfinished(dialect: str, run_id: str, ending: str, at: float) -> Sequence[sa.Executable]:
    """Reopen the issues that an ended run was still working on."""
    mine = (_i.run_id == run_id, _i.status == "IN_PROGRESS")
    note = ChangeNote("reknit", f"the run ended {ending} before it was judged", at, run_id)
    return [*share_repository_locks(dialect, *mine), change_statuses("OPEN", note, *mine)]


def reopen_resolved(dialect: str, run_id: str, at: float) -> Sequence[sa.Executable]:
    """Reopen the issues that a run resolved, except merged ones, after its commit was removed from every branch."""
    mine = (_i.run_id == run_id, _i.status == "RESOLVED")
    return [
        *share_repository_locks(dialect, *mine),
        change_statuses("OPEN", ChangeNote("reknit", "its branch was removed", at, run_id), *mine),
    ]
