"""The way from a box to its model, and who keeps account of it."""

import socket
from collections.abc import Callable
from typing import Protocol

from reknit.core.agents.call import Usage
from reknit.core.gateway.access import GatewayObservation, ModelAccess
from reknit.core.gateway.metering import ProviderRefusal


class CallAccounting(Protocol):
    """Keeps the books of one agent call on the host: asked before every model request, told after it."""

    def spent(self, usd: float, held_usd: float = 0.0) -> None:
        """This call's total so far, and what is set aside for requests on their way. On disk when it returns."""

    def not_before(self, account: str) -> float | None:
        """When that provider account takes requests again, if it named a time that is still ahead."""

    def limited(self, account: str, limit: ProviderRefusal) -> None: ...

    def served(self, account: str) -> None:
        """It answered well: what was known of its limit is over."""


class Gateway(Protocol):
    """The one way from a box to its model; lives for one agent call, on the host."""

    token: str

    def serve(self, listener: socket.socket) -> None:
        """Answer on this listening socket until `close`."""

    def close(self) -> Usage:
        """Stop, and say what was used and what it cost. Idempotent."""

    @property
    def seen(self) -> GatewayObservation: ...


GatewayMaker = Callable[[ModelAccess, CallAccounting], Gateway]


class Accounts(Protocol):
    """Limits of provider accounts, shared by every run on the database."""

    def not_before(self, account: str) -> float | None: ...

    def limited(self, account: str, limit: ProviderRefusal) -> None: ...

    def served(self, account: str) -> None: ...
