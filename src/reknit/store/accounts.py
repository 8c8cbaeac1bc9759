"""Limits of provider accounts: one row an account, shared by every run on the database."""

import time

import sqlalchemy as sa

from reknit.core.metering import NotNow
from reknit.core.quota import rest_s
from reknit.store.tables import accounts
from reknit.store.writing import Writer

_c = accounts.c


class SqlAccounts:
    def __init__(self, engine: sa.Engine) -> None:
        self._writer = Writer(engine)
        self._engine = engine

    def not_before(self, account: str) -> float | None:
        query = sa.select(_c.until).where(_c.account == account, _c.until > time.time())
        with self._engine.connect() as db:
            return db.execute(query).scalar_one_or_none()

    def limited(self, account: str, limit: NotNow) -> None:
        """Of several times the latest holds: of two limits at once both must be over."""
        now = time.time()
        until = limit.until if limit.until is not None else now + rest_s(self._strikes(account))
        statement = self._writer.insert(accounts).values(account=account, until=until, strikes=1)
        later = sa.case((_c.until > statement.excluded.until, _c.until), else_=statement.excluded.until)
        again = {"until": later, "strikes": _c.strikes + 1}
        self._writer.write(statement.on_conflict_do_update(index_elements=["account"], set_=again))

    def served(self, account: str) -> None:
        """An answer to an older request says nothing against a limit that came after it."""
        self._writer.write(sa.update(accounts).where(_c.account == account, _c.until <= time.time()).values(strikes=0))

    def _strikes(self, account: str) -> int:
        with self._engine.connect() as db:
            return db.execute(sa.select(_c.strikes).where(_c.account == account)).scalar_one_or_none() or 0
