"""The books of one agent call: what each request may cost is on disk before it goes out, and settled by its answer."""

import threading
from dataclasses import dataclass, fields

from reknit.core.agents.call import Usage
from reknit.core.gateway.budget import Reservation, purse_of
from reknit.core.gateway.metering import AnswerFacts, Meter, Tokens
from reknit.core.gateway.priced_request import PricedRequest
from reknit.core.gateway.prices import PER_USD
from reknit.core.gateway.token_bound import CountedRequest, kept
from reknit.ports.gateway import CallAccounting


@dataclass(eq=False)
class InFlightRequest:
    """A request on its way that costs money."""

    asking: PricedRequest
    grant: Reservation
    may_cost: bool = False
    """It went out, and no error came in place of its answer."""
    limits: int = 0
    """How many the account had met when it went out."""
    meter: Meter | None = None
    """Of its answer; None as long as there is none that is charged for."""


class CallLedger:
    """All of it under one lock, also what the clerk writes: a later sum is never overtaken by an earlier one."""

    def __init__(
        self, accounting: CallAccounting, closed: threading.Event, *, budget_usd: float, max_requests: int
    ) -> None:
        self._accounting, self._closed, self._max_requests = accounting, closed, max_requests
        self._call_budget = purse_of(budget_usd)
        self._requests = self._arrived = 0
        self._used = Tokens()
        self._earlier: tuple[CountedRequest, ...] = ()
        self._flights: list[InFlightRequest] = []
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

    def open(self, asking: PricedRequest) -> InFlightRequest | str:
        """Or why there is no money left for it. Waits first for what others may give back: a model
        that is given less than it asks for is cut short."""
        with self._changed:
            grant = self._call_budget.grant(need := asking.need(self._earlier))
            while self._flights and (grant is None or grant.output < need.output):
                self._changed.wait()
                grant = self._call_budget.grant(need := asking.need(self._earlier))
            self._stop_when_closed()
            if grant is None:
                return asking.too_dear(need, self._call_budget.budget - self._call_budget.total)
            self._requests += 1
            call_budget = self._call_budget.opened(grant)
            self._accounting.spent(*call_budget.sums_usd)
            self._call_budget = call_budget
            flight = InFlightRequest(asking, grant)
            self._flights.append(flight)
            return flight

    def _stop_when_closed(self) -> None:
        if self._closed.is_set():
            raise ConnectionAbortedError("the gateway is closed")

    def settle(self, flight: InFlightRequest) -> None:
        """After its answer, whatever came of it. A second time changes nothing."""
        with self._changed:
            if flight in self._flights:
                self._settle(flight)

    def _settle(self, flight: InFlightRequest) -> None:
        self._flights.remove(flight)
        self._call_budget = self._call_budget.closed(flight.grant, _cost(flight))
        facts = flight.meter.facts if flight.meter else AnswerFacts()
        self._used = _sum(self._used, facts.tokens)
        self._earlier = kept(self._earlier, flight.asking.counted(facts.tokens.prompt))
        self._changed.notify_all()
        self._accounting.spent(*self._call_budget.sums_usd)

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
                cost_usd=self._call_budget.settled / PER_USD,
            )


def _cost(flight: InFlightRequest) -> int:
    if flight.meter:
        return flight.grant.cost(flight.meter.facts, begun=flight.meter.begun)
    # we hung up while the model was at it; a provider that gives no answer charges nothing
    return flight.grant.worst if flight.may_cost else 0


def _sum(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(*(getattr(one, each.name) + getattr(other, each.name) for each in fields(Tokens)))
