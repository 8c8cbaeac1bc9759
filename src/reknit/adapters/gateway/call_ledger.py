"""The ledger of one agent call: a request's worst-case cost is on disk before it is sent; its answer settles it."""

import threading
from dataclasses import dataclass, fields

from reknit.core.agents.call import Usage
from reknit.core.gateway.budget import Reservation, budget_of
from reknit.core.gateway.metering import AnswerFacts, Meter, Tokens
from reknit.core.gateway.priced_request import PricedRequest
from reknit.core.gateway.prices import PER_USD
from reknit.core.gateway.token_bound import CountedRequest, kept
from reknit.ports.gateway import CallAccounting


@dataclass(eq=False)
class InFlightRequest:
    """A billable request that is not settled yet."""

    asking: PricedRequest
    grant: Reservation
    may_cost: bool = False
    """It was sent, and no error came back instead of an answer."""
    limits: int = 0
    """How many rate limits this call had met when it was sent."""
    meter: Meter | None = None
    """Meters its answer; None until there is one that is charged for."""


class CallLedger:
    """One lock covers everything, including writes to `CallAccounting`: an older sum never overwrites a newer one."""

    def __init__(
        self, accounting: CallAccounting, closed: threading.Event, *, budget_usd: float, max_requests: int
    ) -> None:
        self._accounting, self._closed, self._max_requests = accounting, closed, max_requests
        self._call_budget = budget_of(budget_usd)
        self._requests = self._arrived = 0
        self._used = Tokens()
        self._earlier: tuple[CountedRequest, ...] = ()
        self._flights: list[InFlightRequest] = []
        self._changed = threading.Condition()

    def arrive(self) -> bool:
        """Count a request, even one that is refused later; False if the call has used up its requests."""
        with self._changed:
            self._stop_when_closed()
            is_left = self._arrived < self._max_requests
            self._arrived += is_left
            return is_left

    def open_free(self) -> None:
        """Count a request that is forwarded and costs nothing."""
        with self._changed:
            self._stop_when_closed()
            self._requests += 1

    def open(self, asking: PricedRequest) -> InFlightRequest | str:
        """Reserve its cost, or return why the budget does not allow it. First waits for reservations that other
        requests may release: a model that gets fewer output tokens than it asks for is cut short."""
        with self._changed:
            grant = self._call_budget.grant(need := asking.need(self._earlier))
            while self._flights and (grant is None or grant.output < need.output):
                self._changed.wait()
                grant = self._call_budget.grant(need := asking.need(self._earlier))
            self._stop_when_closed()
            if grant is None:
                return asking.over_budget(need, self._call_budget.budget - self._call_budget.total)
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
        """Call it after the answer, whatever the result. Idempotent."""
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
        """Call it once `closed` is set: requests in flight are settled by what has arrived so far."""
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
    # we hung up while the model was working; a provider that gives no answer charges nothing
    return flight.grant.worst if flight.may_cost else 0


def _sum(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(*(getattr(one, each.name) + getattr(other, each.name) for each in fields(Tokens)))
