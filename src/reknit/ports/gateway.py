"""Protocols of the connection from a box to its model, and of the accounting of its cost."""

import socket
from collections.abc import Callable
from typing import Protocol

from reknit.core.agents.call import Usage
from reknit.core.gateway.access import GatewayObservation, ModelAccess
from reknit.core.gateway.metering import ProviderRefusal


class Accounts(Protocol):
    """Rate limits of provider accounts, shared by every run on the database."""

    def not_before(self, account: str) -> float | None:
        """Return the time at which the account accepts requests again, if it is in the future."""

    def record_limit(self, account: str, limit: ProviderRefusal) -> None: ...

    def record_success(self, account: str) -> None:
        """Record a normal answer: the account's rate limit is over."""


class CallAccounting(Protocol):
    """Accounts for one agent call on the host: consulted before every model request, updated after it."""

    @property
    def accounts(self) -> Accounts: ...

    def record_cost(self, usd: float, held_usd: float = 0.0) -> None:
        """Store the call's total cost so far, and the cost reserved for open requests. Both are then on disk."""


class BoxServer(Protocol):
    """A server on the host that answers on the one socket a box can connect to."""

    def serve(self, listener: socket.socket) -> None:
        """Answer on this listening socket until it is closed."""


class Gateway(BoxServer, Protocol):
    """The only way from a box to its model; runs on the host for one agent call."""

    token: str
    """Token for model requests. The agent's processes inherit it in their environment, so it must not allow reports."""
    report_token: str
    """Token for the report channel alone. It is in a file of the agent's HOME and never in an environment."""

    def close(self) -> Usage:
        """Stop, and return the tokens used and their cost. Idempotent."""

    @property
    def observation(self) -> GatewayObservation: ...


GatewayMaker = Callable[[ModelAccess, CallAccounting], Gateway]
