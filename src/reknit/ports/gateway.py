"""The way from a box to its model, and the accounting of what is spent on it."""

import socket
from collections.abc import Callable
from typing import Protocol

from reknit.core.agents.call import Usage
from reknit.core.gateway.access import GatewayObservation, ModelAccess
from reknit.core.gateway.metering import ProviderRefusal


class Accounts(Protocol):
    """Rate limits of provider accounts, shared by every run on the database."""

    def not_before(self, account: str) -> float | None:
        """When that provider account accepts requests again, if that is still in the future."""

    def limited(self, account: str, limit: ProviderRefusal) -> None: ...

    def served(self, account: str) -> None:
        """It answered normally: its rate limit is over."""


class CallAccounting(Protocol):
    """Accounts for one agent call on the host: consulted before every model request, updated after it."""

    @property
    def accounts(self) -> Accounts: ...

    def spent(self, usd: float, held_usd: float = 0.0) -> None:
        """This call's total so far, and what is reserved for requests in flight. On disk when it returns."""


class BoxServer(Protocol):
    """What answers on the host to the one socket that a box can connect to."""

    def serve(self, listener: socket.socket) -> None:
        """Answer on this listening socket until it is closed."""


class Gateway(BoxServer, Protocol):
    """The only way from a box to its model; runs on the host for one agent call."""

    token: str
    """For model requests. The agent's processes inherit it in their environment, so it cannot report."""
    report_token: str
    """For the report channel alone. It is in a file of the agent's HOME and never in an environment."""

    def close(self) -> Usage:
        """Stop, and return what was used and what it cost. Idempotent."""

    @property
    def seen(self) -> GatewayObservation: ...


GatewayMaker = Callable[[ModelAccess, CallAccounting], Gateway]
