"""Runs that were queued for a worker. Their row goes when the engine has the run."""

from dataclasses import dataclass

import sqlalchemy as sa

from reknit.store import tables
from reknit.store.transactions import RetryingTransactions


@dataclass(frozen=True)
class QueuedRun:
    id: str
    kind: str
    has_ended: bool
    """A person cancelled it before a worker took it."""


class RunQueue:
    def __init__(self, engine: sa.Engine) -> None:
        self._tables = RetryingTransactions(engine)

    def add(self, run_id: str, pool: str) -> None:
        """`pool`: only workers of this checkpoint version take it."""
        self._tables.add_once(tables.queued, run_id=run_id, pool=pool)

    def oldest(self, pool: str, limit: int) -> list[QueuedRun]:
        runs, queued = tables.runs.c, tables.queued.c
        query = sa.select(runs.id, runs.kind, runs.ending).join(tables.queued, queued.run_id == runs.id)
        rows = self._tables.rows(query.where(queued.pool == pool).order_by(runs.created_at).limit(limit))
        return [QueuedRun(row.id, row.kind, row.ending is not None) for row in rows]

    def holds(self, run_id: str) -> bool:
        c = tables.queued.c
        return self._tables.read(sa.select(c.run_id).where(c.run_id == run_id)) is not None

    def remove(self, run_id: str) -> None:
        self._tables.write(sa.delete(tables.queued).where(tables.queued.c.run_id == run_id))
