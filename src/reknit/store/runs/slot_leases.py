"""Slot leases in a table: one row per slot, expiry by the database's own clock. For fleets on Postgres."""

import uuid
from collections.abc import Sequence
from typing import Any, Literal

import sqlalchemy as sa

from reknit.core.runs.slot import Slot
from reknit.store.tables import slots
from reknit.store.transactions import RetryingTransactions

_c = slots.c
Wanted = Literal["any", "clean", "dirty"]


class TableSlots:
    def __init__(self, engine: sa.Engine, pool: str, lease_s: float = 60.0) -> None:
        self.engine, self.pool, self.lease_s, self._tables = engine, pool, lease_s, RetryingTransactions(engine)
        clock = "extract(epoch from clock_timestamp())::float8"  # not now(): that is the transaction's start
        if engine.dialect.name == "sqlite":
            clock = "((julianday('now') - 2440587.5) * 86400.0)"
        self._now: sa.ColumnElement[float] = sa.literal_column(clock, sa.Float)

    def claim(self, wanted: Wanted = "any", *, number: int | None = None) -> Slot | None:
        """Lease a dirty slot first (it may hold runs), then a clean one, then a new number; None if there is none.

        Compare-and-swap, with no lock held in between: of two claimants, one finds its row changed and looks again.
        """
        while True:
            rows = self._rows()
            free = [row for row in rows if row.free and _fits(row, wanted, number)]
            if free:
                row = min(free, key=lambda row: (row.owner is None, row.number))
                if slot := self._take(row):
                    return slot
            elif wanted == "dirty" or number is not None:
                return None
            elif slot := self._add(next(n for n in range(len(rows) + 1) if n not in {row.number for row in rows})):
                return slot

    def _rows(self) -> Sequence[Any]:
        query = sa.select(_c.number, _c.owner, (_c.expires_at < self._now).label("free")).where(_c.pool == self.pool)
        return self._tables.rows(query)

    def _take(self, row: Any) -> Slot | None:
        owner = uuid.uuid4().hex
        unchanged = _c.owner.is_(None) if row.owner is None else _c.owner == row.owner
        statement = (
            sa.update(slots)
            .where(_c.pool == self.pool, _c.number == row.number, unchanged, _c.expires_at < self._now)
            .values(owner=owner, expires_at=self._now + self.lease_s)
        )
        return Slot(self.pool, row.number, owner) if self._changed(statement) else None

    def _add(self, number: int) -> Slot | None:
        owner = uuid.uuid4().hex
        values = {"pool": self.pool, "number": number, "owner": owner, "expires_at": self._now + self.lease_s}
        try:
            self._changed(sa.insert(slots).values(**values))
        except sa.exc.IntegrityError:
            return None
        return Slot(self.pool, number, owner)

    def renew(self, slot: Slot) -> bool:
        """False: too late, another process may hold it. An expired lease is never revived."""
        statement = sa.update(slots).where(*self._mine(slot), _c.expires_at > self._now)
        return self._changed(statement.values(expires_at=self._now + self.lease_s))

    def release(self, slot: Slot) -> None:
        """Call it only if no run is left under the slot; otherwise let it expire."""
        self._tables.write(sa.update(slots).where(*self._mine(slot)).values(owner=None, expires_at=0.0))

    def dirty(self) -> list[int]:
        query = sa.select(_c.number).where(_c.pool == self.pool, _c.owner.is_not(None), _c.expires_at < self._now)
        return sorted(row.number for row in self._tables.rows(query))

    def _mine(self, slot: Slot) -> tuple[sa.ColumnElement[bool], ...]:
        return (_c.pool == slot.pool, _c.number == slot.number, _c.owner == slot.owner)

    def _changed(self, statement: Any) -> bool:
        with self.engine.begin() as db:
            return bool(db.execute(statement).rowcount == 1)


def _fits(row: Any, wanted: Wanted, number: int | None) -> bool:
    if number is not None:
        return bool(row.number == number)
    return wanted == "any" or (row.owner is None) == (wanted == "clean")
