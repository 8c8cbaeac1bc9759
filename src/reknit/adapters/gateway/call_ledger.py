"""The books of one agent call: what each request may cost is on disk before it goes out, and settled by its answer."""

import threading
from dataclasses import dataclass, fields

from reknit.core.agents.call import Usage
from reknit.core.gateway.budget import Grant, purse_of
from reknit.core.gateway.metering import Meter, Tokens, Told
from reknit.core.gateway.priced_request import Asking
from reknit.core.gateway.prices import PER_USD
from reknit.core.gateway.token_bound import Counted, kept
from reknit.ports.gateway import Clerk


@dataclass(eq=False)
class Flight:
    """A request on its way that costs money."""

    asking: Asking
    grant: Grant
    may_cost: bool = False
    """It went out, and no error came in place of its answer."""
    limits: int = 0
    """How many the account had met when it went out."""
    meter: Meter | None = None
    """Of its answer; None as long as there is none that is charged for."""


class Books:
    """All of it under one lock, also what the clerk writes: a later sum is never overtaken by an earlier one."""

    def __init__(self, clerk: Clerk, closed: threading.Event, *, budget_usd: float, max_requests: int) -> None:
        self._clerk, self._closed, self._max_requests = clerk, closed, max_requests
        self._purse = purse_of(budget_usd)
        self._requests = self._arrived = 0
        self._used = Tokens()
        self._earlier: tuple[Counted, ...] = ()
        self._flights: list[Flight] = []
        self._changed = threading.Condition()

    def arrive(self) -> bool:
        """Counts a request, also one that is refused later; False if the call has had all of its requests."""
        with self._changed:
            self._stop_when_closed()
            is_left = self._arrived < self._max_requests
            self._arrived += is_left
            return is_left

    def open_free(self) -> None:
        """A request that is passed on and costs nothing."""
        with self._changed:
            self._stop_when_closed()
            self._requests += 1

    def open(self, asking: Asking) -> Flight | str:
        """Or why there is no money left for it. Waits first for what others may give back: a model
        that is given less than it asks for is cut short."""
        with self._changed:
            grant = self._purse.grant(need := asking.need(self._earlier))
            while self._flights and (grant is None or grant.output < need.output):
                self._changed.wait()
                grant = self._purse.grant(need := asking.need(self._earlier))
            self._stop_when_closed()
            if grant is None:
                return asking.too_dear(need, self._purse.budget - self._purse.total)
            self._requests += 1
            purse = self._purse.opened(grant)
            self._clerk.spent(*purse.sums_usd)
            self._purse = purse
            flight = Flight(asking, grant)
            self._flights.append(flight)
            return flight

    def _stop_when_closed(self) -> None:
        if self._closed.is_set():
            raise ConnectionAbortedError("the gateway is closed")

    def settle(self, flight: Flight) -> None:
        """After its answer, whatever came of it. A second time changes nothing."""
        with self._changed:
            if flight in self._flights:
                self._settle(flight)

    def _settle(self, flight: Flight) -> None:
        self._flights.remove(flight)
        self._purse = self._purse.closed(flight.grant, _cost(flight))
        told = flight.meter.told if flight.meter else Told()
        self._used = _sum(self._used, told.tokens)
        self._earlier = kept(self._earlier, flight.asking.counted(told.tokens.prompt))
        self._changed.notify_all()
        self._clerk.spent(*self._purse.sums_usd)

    def close(self) -> Usage:
        """When `closed` is set: what is on its way is settled by what has come of it."""
        with self._changed:
            for flight in tuple(self._flights):
                self._settle(flight)
            used = self._used
            return Usage(
                input_tokens=used.input + used.cache_write,
                cached_tokens=used.cached,
                output_tokens=used.output,
                requests=self._requests,
                cost_usd=self._purse.settled / PER_USD,
            )


def _cost(flight: Flight) -> int:
    if flight.meter:
        return flight.grant.cost(flight.meter.told, begun=flight.meter.begun)
    # we hung up while the model was at it; a provider that gives no answer charges nothing
    return flight.grant.worst if flight.may_cost else 0


def _sum(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(*(getattr(one, each.name) + getattr(other, each.name) for each in fields(Tokens)))
