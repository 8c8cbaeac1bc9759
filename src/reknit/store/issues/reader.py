"""Reads issues and their history."""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from reknit.core.issues.lifecycle import STATUSES
from reknit.core.issues.model import ChangeNote, Counts, Issue, IssueChange, IssueFilter, IssuePage
from reknit.store.issues.page_query import BEYOND, issues_query, page_query
from reknit.store.issues.values import Row, issues_of
from reknit.store.tables import imports, issue_changes, issues
from reknit.store.transactions import patiently

_i = issues.c
_AT_ONCE = 1000


class IssueReader:
    def __init__(self, engine: sa.Engine) -> None:
        self.engine, self._one_look = engine, engine
        if engine.dialect.name != "sqlite":  # saves a transaction's two round trips, which take as long as a page
            self._one_look = engine.execution_options(isolation_level="AUTOCOMMIT")

    def issues(self, ids: Sequence[int]) -> tuple[Issue, ...]:
        query, params = issues_query(self.engine.dialect.name, ids)

        def once() -> Sequence[Row]:
            with self._one_look.connect() as db:
                return _rows(db, query, params)

        found = {issue.id: issue for issue in issues_of(patiently(self.engine, once))}
        return tuple(found[issue] for issue in dict.fromkeys(ids) if issue in found)

    def history(self, issue: int) -> tuple[IssueChange, ...]:
        c = issue_changes.c
        begun = (
            sa.select(_i.tool, imports.c.who, imports.c.at, imports.c.commit_id)
            .join(imports, sa.and_(imports.c.repository == _i.repository, imports.c.number == _i.first_import))
            .where(_i.id == issue)
        )
        with self.engine.connect() as db:
            first = db.execute(begun).one_or_none()
            rows = db.execute(sa.select(issue_changes).where(c.issue == issue).order_by(c.number)).all()
        if first is None:
            return ()
        created = ChangeNote(first.who, f"{first.tool} found it", first.at, commit=first.commit_id)
        return (IssueChange(issue, None, "OPEN", created), *(_change(row) for row in rows))

    def page(self, repository: str, chosen: IssueFilter, *, after: int = 0, limit: int = 50) -> IssuePage:
        query, params = page_query(self.engine.dialect.name, repository, chosen, limit + 1, newest_first=True)
        kept: list[Issue] = []
        rows: Sequence[Row] = ()
        with self._one_look.connect() as db:
            while len(kept) <= limit:
                rows = _rows(db, query, {**params, "after": after or BEYOND})
                kept += _chosen(issues_of(rows), chosen)
                if len(rows) <= limit:
                    break
                after = rows[-1][0]
        return IssuePage(tuple(kept[:limit]), kept[limit - 1].id if len(kept) > limit else 0)

    def each(self, repository: str, chosen: IssueFilter) -> Iterator[Issue]:
        query, params = page_query(self.engine.dialect.name, repository, chosen, _AT_ONCE, newest_first=False)
        after = 0
        while True:
            with self._one_look.connect() as db:
                rows = _rows(db, query, {**params, "after": after})
            yield from _chosen(issues_of(rows), chosen)
            if len(rows) < _AT_ONCE:
                return
            after = rows[-1][0]

    def counts(self, repository: str) -> Counts:
        query = sa.select(_i.status, sa.func.count()).where(_i.repository == repository).group_by(_i.status)
        with self.engine.connect() as db:
            found = {status: int(count) for status, count in db.execute(query)}
        return {status: found.get(status, 0) for status in STATUSES}

    def landed(self, repository: str) -> tuple[str, ...]:
        query = (
            sa.select(_i.commit_id)
            .where(_i.repository == repository, _i.status == "RESOLVED")
            .group_by(_i.commit_id)
            .order_by(sa.func.max(_i.changed_at), _i.commit_id)
        )
        with self.engine.connect() as db:
            return tuple(db.execute(query).scalars())

    def resolved(self, repository: str) -> dict[str, list[str]]:
        where = (_i.repository == repository, _i.status == "RESOLVED")
        files: dict[str, list[str]] = {}
        with self.engine.connect() as db:
            for commit, path in db.execute(sa.select(_i.commit_id, _i.path).where(*where).distinct()):
                files.setdefault(commit, []).append(path)
        return files


def _rows(db: sa.Connection, query: str, params: dict[str, Any]) -> Sequence[Row]:
    """Uses the driver directly: its rows are plain tuples."""
    cursor: Any = db.connection.cursor()
    try:
        cursor.execute(query, params)
        rows: Sequence[Row] = cursor.fetchall()
        return rows
    finally:
        cursor.close()


def _chosen(found: list[Issue], chosen: IssueFilter) -> list[Issue]:
    return [issue for issue in found if issue.baseline in chosen.baselines] if chosen.baselines else found


def _change(row: Any) -> IssueChange:
    note = ChangeNote(row.who, row.why, row.at, row.run_id or "", row.commit_id or "")
    return IssueChange(row.issue, row.old_status, row.new_status, note)
