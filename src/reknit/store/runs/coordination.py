"""Tables by which processes share work: queued runs, slot leases, and rate limits of provider accounts."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.backoff import MAX_WAIT_S, compute_rest_s
from reknit.core.runs.slot import Slot
from reknit.store import tables
from reknit.store.tables import accounts, slots
from reknit.store.transactions import RetryingTransactions

_slot = slots.c
Wanted = Literal["any", "clean", "dirty"]


class TableSlots:
    """Slots as rows of a table, for several machines on one Postgres. The clock of the database decides on expiry."""

    def __init__(self, engine: sa.Engine, pool: str, lease_s: float = 60.0) -> None:
        self.engine, self.pool, self.lease_s, self._tables = engine, pool, lease_s, RetryingTransactions(engine)
        clock = "extract(epoch from clock_timestamp())::float8"  # not now(): that is the transaction's start
        if engine.dialect.name == "sqlite":
            clock = "((julianday('now') - 2440587.5) * 86400.0)"
        self._now: sa.ColumnElement[float] = sa.literal_column(clock, sa.Float)

    def claim(self, state: Wanted = "any", *, number: int | None = None) -> Slot | None:
        """Lease a dirty slot first (it may hold runs), then a clean one, then a new number; None if there is none.

        The update succeeds only on an unchanged row, so no lock is held after the read. If two processes choose the
        same row, one of them fails and reads again.
        """
        while True:
            rows = self._read_slots()
            free = [row for row in rows if row.free and _fits(row, state, number)]
            if free:
                row = min(free, key=lambda row: (row.owner is None, row.number))
                if slot := self._take(row):
                    return slot
            elif state == "dirty" or number is not None:
                return None
            elif slot := self._add(next(n for n in range(len(rows) + 1) if n not in {row.number for row in rows})):
                return slot

    def _read_slots(self) -> Sequence[Any]:
        query = sa.select(_slot.number, _slot.owner, (_slot.expires_at < self._now).label("free")).where(
            _slot.pool == self.pool
        )
        return self._tables.read_rows(query)

    def _take(self, row: Any) -> Slot | None:
        owner = uuid.uuid4().hex
        unchanged = _slot.owner.is_(None) if row.owner is None else _slot.owner == row.owner
        statement = (
            sa.update(slots)
            .where(_slot.pool == self.pool, _slot.number == row.number, unchanged, _slot.expires_at < self._now)
            .values(owner=owner, expires_at=self._now + self.lease_s)
        )
        return Slot(self.pool, row.number, owner) if self._changes_one_row(statement) else None

    def _add(self, number: int) -> Slot | None:
        owner = uuid.uuid4().hex
        values = {"pool": self.pool, "number": number, "owner": owner, "expires_at": self._now + self.lease_s}
        try:
            self._changes_one_row(sa.insert(slots).values(**values))
        except sa.exc.IntegrityError:
            return None
        return Slot(self.pool, number, owner)

    def renew(self, slot: Slot) -> bool:
        """Extend the lease. Return False if it has expired: another process may hold the slot now."""
        statement = sa.update(slots).where(*self._match_slot(slot), _slot.expires_at > self._now)
        return self._changes_one_row(statement.values(expires_at=self._now + self.lease_s))

    def release(self, slot: Slot) -> None:
        """Give up the lease. Call it only if the slot has no run left; otherwise let the lease expire."""
        self._tables.write(sa.update(slots).where(*self._match_slot(slot)).values(owner=None, expires_at=0.0))

    def list_dirty(self) -> list[int]:
        query = sa.select(_slot.number).where(
            _slot.pool == self.pool, _slot.owner.is_not(None), _slot.expires_at < self._now
        )
        return sorted(row.number for row in self._tables.read_rows(query))

    def _match_slot(self, slot: Slot) -> tuple[sa.ColumnElement[bool], ...]:
        return (_slot.pool == slot.pool, _slot.number == slot.number, _slot.owner == slot.owner)

    def _changes_one_row(self, statement: Any) -> bool:
        with self.engine.begin() as db:
            return bool(db.execute(statement).rowcount == 1)


def _fits(row: Any, condition: Wanted, number: int | None) -> bool:
    if number is not None:
        return bool(row.number == number)
    return condition == "any" or (row.owner is None) == (condition == "clean")


@dataclass(frozen=True)
class QueuedRun:
    """A run that waits for a worker."""

    id: str
    kind: str
    has_ended: bool
    """A person cancelled it before a worker took it."""


class RunQueue:
    """Runs that wait for a worker. The row is removed once the engine has the run."""

    def __init__(self, engine: sa.Engine) -> None:
        self._tables = RetryingTransactions(engine)

    def add(self, run_id: str, pool: str) -> None:
        """Queue the run. `pool`: only workers with this checkpoint version take it."""
        self._tables.add_once(tables.queued, run_id=run_id, pool=pool)

    def oldest(self, pool: str, limit: int) -> list[QueuedRun]:
        runs, queued = tables.runs.c, tables.queued.c
        query = sa.select(runs.id, runs.kind, runs.ending).join(tables.queued, queued.run_id == runs.id)
        rows = self._tables.read_rows(query.where(queued.pool == pool).order_by(runs.created_at).limit(limit))
        return [QueuedRun(row.id, row.kind, row.ending is not None) for row in rows]

    def holds(self, run_id: str) -> bool:
        c = tables.queued.c
        return self._tables.read(sa.select(c.run_id).where(c.run_id == run_id)) is not None

    def remove(self, run_id: str) -> None:
        self._tables.write(sa.delete(tables.queued).where(tables.queued.c.run_id == run_id))


_account = accounts.c


class SqlAccounts:
    """Rate limits of provider accounts: one row per account, shared by every run on the database."""

    def __init__(self, engine: sa.Engine) -> None:
        self._tables = RetryingTransactions(engine)

    def not_before(self, account: str) -> float | None:
        until: float | None = self._tables.read(
            sa.select(_account.until).where(_account.account == account, _account.until > time.time())
        )
        return until

    def record_limit(self, account: str, limit: ProviderRefusal) -> None:
        """Record a rate limit. The later time counts, because two limits of one account must both be over.

        Refusals of concurrent requests count as one strike, and no wait is longer than `MAX_WAIT_S`.
        """
        now = time.time()
        requested_until = now + compute_rest_s(self._read_strikes(account)) if limit.until is None else limit.until
        until = min(requested_until, now + MAX_WAIT_S)
        statement = self._tables.insert(accounts).values(account=account, until=until, strikes=1)
        later = sa.case((_account.until > statement.excluded.until, _account.until), else_=statement.excluded.until)
        strikes = sa.case((_account.until <= now, _account.strikes + 1), else_=_account.strikes)
        again = {"until": later, "strikes": strikes}
        self._tables.write(statement.on_conflict_do_update(index_elements=["account"], set_=again))

    def record_success(self, account: str) -> None:
        """Reset the strikes unless a limit is in force: the answer may belong to a request from before that limit."""
        over = sa.update(accounts).where(
            _account.account == account, _account.until <= time.time(), _account.strikes > 0
        )
        self._tables.write(over.values(strikes=0))

    def _read_strikes(self, account: str) -> int:
        return self._tables.read(sa.select(_account.strikes).where(_account.account == account)) or 0
