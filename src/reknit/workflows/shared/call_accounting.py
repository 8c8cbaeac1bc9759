"""Accounts for one agent call in the database: money per call, rate limits per provider account."""

from dataclasses import dataclass

from reknit.core.gateway.metering import ProviderRefusal
from reknit.ports.gateway import Accounts
from reknit.ports.runs import RunLedger


@dataclass(frozen=True)
class RunCallAccounting:
    ledger: RunLedger
    accounts: Accounts
    run_id: str
    call: str
    """Unique in the run, and different each time the same attempt is restarted."""

    def spent(self, usd: float, held_usd: float = 0.0) -> None:
        self.ledger.charge(self.run_id, self.call, usd, held_usd)

    def not_before(self, account: str) -> float | None:
        return self.accounts.not_before(account)

    def limited(self, account: str, limit: ProviderRefusal) -> None:
        self.accounts.limited(account, limit)

    def served(self, account: str) -> None:
        self.accounts.served(account)
