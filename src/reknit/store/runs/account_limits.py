"""Rate limits of provider accounts: one row per account, shared by every run on the database."""

import time

import sqlalchemy as sa

from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.backoff import LONGEST_WAIT_S, rest_s
from reknit.store.tables import accounts
from reknit.store.transactions import RetryingTransactions

_c = accounts.c


class SqlAccounts:
    def __init__(self, engine: sa.Engine) -> None:
        self._tables = RetryingTransactions(engine)

    def not_before(self, account: str) -> float | None:
        until: float | None = self._tables.read(
            sa.select(_c.until).where(_c.account == account, _c.until > time.time())
        )
        return until

    def limited(self, account: str, limit: ProviderRefusal) -> None:
        """The latest time wins: if two limits apply at once, both must be over.

        Refusals of concurrent requests count as one strike, and no wait is longer than `LONGEST_WAIT_S`.
        """
        now = time.time()
        named = now + rest_s(self._strikes(account)) if limit.until is None else limit.until
        until = min(named, now + LONGEST_WAIT_S)
        statement = self._tables.insert(accounts).values(account=account, until=until, strikes=1)
        later = sa.case((_c.until > statement.excluded.until, _c.until), else_=statement.excluded.until)
        strikes = sa.case((_c.until <= now, _c.strikes + 1), else_=_c.strikes)
        again = {"until": later, "strikes": strikes}
        self._tables.write(statement.on_conflict_do_update(index_elements=["account"], set_=again))

    def served(self, account: str) -> None:
        """Resets the strikes unless a limit is in force: an answer to an older request does not lift a later limit."""
        over = sa.update(accounts).where(_c.account == account, _c.until <= time.time(), _c.strikes > 0)
        self._tables.write(over.values(strikes=0))

    def _strikes(self, account: str) -> int:
        return self._tables.read(sa.select(_c.strikes).where(_c.account == account)) or 0
