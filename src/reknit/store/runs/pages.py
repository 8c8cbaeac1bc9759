"""Reads the pages of the dashboard: lists of runs by key, sums per week, and the audit trail."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from reknit.core.capabilities import UNLISTED_KINDS
from reknit.core.dashboard.values import AuditEntry, Cursor, WeekOfFixes, WeekOfSpending
from reknit.core.runs.view import RunView
from reknit.store import tables
from reknit.store.runs.reader import select_runs, to_run_view
from reknit.store.transactions import RetryingTransactions

WEEK_S = 7 * 86_400
ListName = Literal["all", "open", "unsettled", "landed"]
_C = tables.runs.c


@dataclass(frozen=True)
class _List:
    rows: sa.ColumnElement[bool]
    time: sa.Column[float]
    is_oldest_first: bool = False


_LISTS: dict[ListName, _List] = {
    "all": _List(sa.true(), _C.created_at),
    "open": _List(tables.OPEN_RUN, _C.created_at),
    "unsettled": _List(tables.UNSETTLED_RUN, _C.ended_at, is_oldest_first=True),
    "landed": _List(tables.LANDED_RUN, _C.ended_at),
}


class DashboardReader:
    """Read access for pages. `repositories`: only runs of these; None: of all."""

    def __init__(self, engine: sa.Engine) -> None:
        self._tables = RetryingTransactions(engine)

    def list_repositories(self) -> list[str]:
        rows = self._tables.read_rows(sa.select(_C.repository).distinct())
        return [str(row.repository) for row in rows]

    def list_runs(
        self, name: ListName, *, after: Cursor | None, limit: int, repositories: Collection[str] | None = None
    ) -> tuple[list[RunView], Cursor | None]:
        """Return one page, and the cursor of the next one; None: it is the last. An index leads to the first row."""
        page = _LISTS[name]
        query = select_runs().where(page.rows, _C.kind.not_in(UNLISTED_KINDS), *_in(repositories))
        key, order = sa.tuple_(page.time, _C.id), (page.time, _C.id)
        if after:
            start = sa.tuple_(sa.literal(after.at), sa.literal(after.id))
            query = query.where(key > start if page.is_oldest_first else key < start)
        query = query.order_by(*(order if page.is_oldest_first else (column.desc() for column in order)))
        rows = self._tables.read_rows(query.limit(limit + 1))
        views = [to_run_view(row) for row in rows[:limit]]
        if len(rows) <= limit:
            return views, None
        last = views[-1]
        at = last.created_at if page.time is _C.created_at else last.ended_at
        return views, Cursor(at or 0.0, last.id)

    def count_unsettled(self, repositories: Collection[str] | None = None) -> int:
        rows = sa.select(sa.func.count()).select_from(tables.runs)
        rows = rows.where(tables.UNSETTLED_RUN, _C.kind.not_in(UNLISTED_KINDS), *_in(repositories))
        return int(self._tables.read(rows) or 0)

    def sum_fixes(self, since: float, repositories: Collection[str] | None = None) -> list[WeekOfFixes]:
        """Return the runs that landed something, per week since a time, newest first."""
        week = _week(_C.ended_at, since)
        undone = sa.func.sum(sa.case((_C.undone_at.is_not(None), 1), else_=0))
        query = sa.select(week, sa.func.count(), undone).where(
            tables.LANDED_RUN, _C.ended_at >= since, *_in(repositories)
        )
        rows = self._tables.read_rows(query.group_by(week).order_by(week.desc()))
        return [WeekOfFixes(since + number * WEEK_S, landed, int(gone)) for number, landed, gone in rows]

    def sum_spending(self, since: float, repositories: Collection[str] | None = None) -> list[WeekOfSpending]:
        """Return the cost of the runs that began since a time, per week, repository and agent."""
        week = _week(_C.created_at, since)
        groups = (week, _C.repository, _C.agent)
        usd = sa.func.sum(_C.spent_usd)
        query = sa.select(*groups, usd, sa.func.count()).where(_C.created_at >= since, *_in(repositories))
        rows = self._tables.read_rows(query.group_by(*groups).order_by(week.desc(), usd.desc()).limit(500))
        return [
            WeekOfSpending(since + number * WEEK_S, repository, agent, float(spent), runs)
            for number, repository, agent, spent, runs in rows
        ]


class DashboardLedger:
    """Write access of the web: what left the inbox, and who asked for what."""

    def __init__(self, engine: sa.Engine) -> None:
        self._tables = RetryingTransactions(engine)

    def settle(self, run_id: str) -> None:
        """Take a run that has ended out of the inbox."""
        rows = sa.update(tables.runs).where(_C.id == run_id, _C.ending.is_not(None), _C.settled_at.is_(None))
        self._tables.write(rows.values(settled_at=time.time()))

    def record(self, entry: AuditEntry) -> None:
        """Add one line to the audit trail."""
        values = {name: getattr(entry, name) for name in AuditEntry.__dataclass_fields__}
        self._tables.write(sa.insert(tables.audit).values(**values))

    def list_entries(self, limit: int = 100) -> Sequence[AuditEntry]:
        """Return the newest entries of the audit trail."""
        query = sa.select(tables.audit).order_by(tables.audit.c.number.desc()).limit(limit)
        return [
            AuditEntry(**{name: getattr(row, name) for name in AuditEntry.__dataclass_fields__})
            for row in self._tables.read_rows(query)
        ]


def _in(repositories: Collection[str] | None) -> tuple[sa.ColumnElement[bool], ...]:
    return () if repositories is None else (_C.repository.in_(sorted(repositories)),)


def _week(column: sa.Column[float], since: float) -> sa.Label[int]:
    """Return the number of whole weeks from `since` to the column."""
    return sa.cast(sa.func.floor((column - since) / WEEK_S), sa.Integer).label("week")
