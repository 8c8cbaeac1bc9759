"""Writes the issue ledger: imports, and changes of statuses. Every write is idempotent."""

import contextlib
import dataclasses
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from reknit.core.issues.import_summary import ImportSource
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import ChangeNote
from reknit.store.issues.importing import SqlIssueImport
from reknit.store.issues.reader import IssueReader
from reknit.store.issues.status_changes import change_statuses, is_among, lock_repository, share_repository_locks
from reknit.store.tables import issue_changes, issues, runs
from reknit.store.transactions import RetryingTransactions

_i = issues.c


class SqlIssueLedger(IssueReader):
    """The issues of all repositories, and every change of their status."""

    def __init__(self, engine: sa.Engine) -> None:
        super().__init__(engine)
        self._tables, self._dialect = RetryingTransactions(engine), engine.dialect.name

    @contextlib.contextmanager
    def importing(self, repository: str, source: ImportSource) -> Iterator[SqlIssueImport]:
        with self._tables.transaction() as db, _enlarge_cache(db):
            for lock in lock_repository(self._dialect, repository):
                db.execute(lock)
            issue_import = SqlIssueImport(db, repository, source)
            yield issue_import
            issue_import.close()

    def change(self, ids: Sequence[int], to: Status, note: ChangeNote, *, duplicate_of: int = 0) -> tuple[int, ...]:
        """Change the status of issues. `duplicate_of` must be in the same repository; otherwise nothing changes."""
        conditions: list[sa.ColumnElement[bool]] = []
        if duplicate_of:
            place = sa.select(_i.repository).where(_i.id == duplicate_of).scalar_subquery()
            conditions = [_i.id != duplicate_of, _i.repository == place]

        def work(db: sa.Connection) -> tuple[int, ...]:
            changed = self._change(db, ids, to, note, *conditions)
            if duplicate_of:
                self._set(db, changed, duplicate_of=duplicate_of)
            return changed

        return self._tables.run_in_transaction(work)

    def take(
        self, run_id: str, ids: Sequence[int], note: ChangeNote, statuses: Collection[Status] = ("OPEN", "FAILED")
    ) -> tuple[int, ...]:
        """Claim issues for a run. A run that has ended claims none, because nothing would release them."""
        ending = sa.select(runs.c.ending).where(runs.c.id == run_id).with_for_update(read=True)

        def work(db: sa.Connection) -> tuple[int, ...]:
            if db.execute(ending).scalar() is None:
                mine = dataclasses.replace(note, run_id=run_id)
                self._change(db, ids, "IN_PROGRESS", mine, _i.status.in_(statuses))
            return self._list_with_status(db, run_id, ids, "IN_PROGRESS")

        return self._tables.run_in_transaction(work)

    def settle(self, run_id: str, ids: Sequence[int], to: Status, note: ChangeNote) -> tuple[int, ...]:
        mine = (_i.run_id == run_id, _i.status == "IN_PROGRESS")

        def work(db: sa.Connection) -> tuple[int, ...]:
            self._change(db, ids, to, dataclasses.replace(note, run_id=run_id), *mine)
            return self._list_with_status(db, run_id, ids, to)

        return self._tables.run_in_transaction(work)

    def mark_merged(self, commit: str, pull: str, note: ChangeNote) -> tuple[int, ...]:
        resolved = _i.commit_id == commit
        note = dataclasses.replace(note, commit=commit)

        def work(db: sa.Connection) -> tuple[int, ...]:
            for lock in share_repository_locks(self._dialect, resolved):
                db.execute(lock)
            statement = change_statuses("MERGED", note, resolved).returning(issue_changes.c.issue)
            changed = tuple(sorted(db.execute(statement).scalars()))
            self._set(db, changed, pull=pull)
            return changed

        return self._tables.run_in_transaction(work)

    def _change(
        self, db: sa.Connection, ids: Sequence[int], to: Status, note: ChangeNote, *which: sa.ColumnElement[bool]
    ) -> tuple[int, ...]:
        these = is_among(self._dialect, ids)
        for lock in share_repository_locks(self._dialect, these):
            db.execute(lock)
        changed = set(db.execute(change_statuses(to, note, these, *which).returning(issue_changes.c.issue)).scalars())
        return tuple(dict.fromkeys(issue for issue in ids if issue in changed))

    def _list_with_status(self, db: sa.Connection, run_id: str, ids: Sequence[int], status: Status) -> tuple[int, ...]:
        """Return those of the ids that this run gave this status."""
        mine = (_i.run_id == run_id, _i.status == status)
        matching_ids = set(db.execute(sa.select(_i.id).where(is_among(self._dialect, ids), *mine)).scalars())
        return tuple(dict.fromkeys(issue for issue in ids if issue in matching_ids))

    def _set(self, db: sa.Connection, ids: Sequence[int], **values: Any) -> None:
        if ids:
            db.execute(sa.update(issues).where(is_among(self._dialect, ids)).values(**values))


@contextlib.contextmanager
def _enlarge_cache(db: sa.Connection) -> Iterator[None]:
    """Enlarge SQLite's cache to 64 MB: fingerprints come in random order, so this saves a third of the time."""
    if db.dialect.name != "sqlite":
        yield
        return
    db.exec_driver_sql("PRAGMA cache_size = -64000")
    try:
        yield
    finally:
        db.exec_driver_sql("PRAGMA cache_size = -2000")
