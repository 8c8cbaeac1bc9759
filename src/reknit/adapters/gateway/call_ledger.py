"""Cost ledger and monitor of one agent call: the maximum cost of a request is on disk before it is sent."""

import threading
import time
from dataclasses import dataclass, fields, replace

from reknit.core.agents.call import Usage
from reknit.core.gateway.access import GatewayObservation
from reknit.core.gateway.budget import Reservation, to_call_budget
from reknit.core.gateway.metering import UNREACHABLE, AnswerFacts, Meter, ProviderRefusal, Tokens
from reknit.core.gateway.priced_request import CountedRequest, PricedRequest, remember_request
from reknit.ports.gateway import Accounts, CallAccounting


@dataclass(eq=False)
class InFlightRequest:
    """A billable request that is not settled yet."""

    priced: PricedRequest
    reservation: Reservation
    may_cost: bool = False
    """True once it was sent; false again after an error answer, which costs nothing."""
    limits: int = 0
    """Value of `CallMonitor.limits` when the request was sent."""
    meter: Meter | None = None
    """Meter of the answer; None until a successful answer begins."""


class CallLedger:
    """The requests and the cost of one call.

    One lock covers everything, also writes to `CallAccounting`, so that an older sum cannot overwrite a newer one.
    """

    def __init__(
        self, accounting: CallAccounting, closed: threading.Event, *, budget_usd: float, max_requests: int
    ) -> None:
        self._accounting, self._closed, self._max_requests = accounting, closed, max_requests
        self._call_budget = to_call_budget(budget_usd)
        self._requests = self._arrived = 0
        self._used = Tokens()
        self._earlier: tuple[CountedRequest, ...] = ()
        self._flights: list[InFlightRequest] = []
        self._changed = threading.Condition()

    def arrive(self) -> bool:
        """Count a request, even one that is refused later; False if the call has used up its requests."""
        with self._changed:
            self._raise_if_closed()
            may_pass = self._arrived < self._max_requests
            self._arrived += may_pass
            return may_pass

    def open_free(self) -> None:
        """Count a request that is forwarded and costs nothing."""
        with self._changed:
            self._raise_if_closed()
            self._requests += 1

    def open(self, priced: PricedRequest) -> InFlightRequest | str:
        """Reserve the request's cost, or return why the budget does not allow it.

        Wait first for other requests, which may release budget: with fewer output tokens than requested, the model's
        answer would be cut off.
        """
        with self._changed:
            reservation = self._call_budget.grant(need := priced.bound_cost(self._earlier))
            while self._flights and (reservation is None or reservation.output < need.output):
                self._changed.wait()
                reservation = self._call_budget.grant(need := priced.bound_cost(self._earlier))
            self._raise_if_closed()
            if reservation is None:
                return priced.explain_over_budget(need, self._call_budget.budget - self._call_budget.total)
            self._requests += 1
            call_budget = self._call_budget.reserve(reservation)
            self._accounting.record_cost(*call_budget.sums_usd)
            self._call_budget = call_budget
            flight = InFlightRequest(priced, reservation)
            self._flights.append(flight)
            return flight

    def _raise_if_closed(self) -> None:
        if self._closed.is_set():
            raise ConnectionAbortedError("the gateway is closed")

    def settle(self, flight: InFlightRequest) -> None:
        """Replace the reservation by the real cost after the answer, if that is known. Idempotent."""
        with self._changed:
            if flight in self._flights:
                self._settle(flight)

    def _settle(self, flight: InFlightRequest) -> None:
        self._flights.remove(flight)
        self._call_budget = self._call_budget.settle(flight.reservation, _compute_cost(flight))
        facts = flight.meter.facts if flight.meter else AnswerFacts()
        self._used = _add_tokens(self._used, facts.tokens)
        self._earlier = remember_request(self._earlier, flight.priced.to_counted_request(facts.tokens.prompt))
        self._changed.notify_all()
        self._accounting.record_cost(*self._call_budget.sums_usd)

    def close(self) -> Usage:
        """Settle requests in flight by what has arrived so far; call it once `closed` is set."""
        with self._changed:
            for flight in tuple(self._flights):
                self._settle(flight)
            used, (spent_usd, held_usd) = self._used, self._call_budget.sums_usd
            return Usage(
                input_tokens=used.input + used.cache_write,
                cached_tokens=used.cached,
                output_tokens=used.output,
                requests=self._requests,
                cost_usd=spent_usd,
                held_usd=held_usd,
            )


def _compute_cost(flight: InFlightRequest) -> int | None:
    if flight.meter:
        return flight.reservation.compute_cost(flight.meter.facts, is_started=flight.meter.is_started)
    # without an answer a provider charges nothing, unless it was we who closed the connection
    return None if flight.may_cost else 0


def _add_tokens(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(*(getattr(one, field.name) + getattr(other, field.name) for field in fields(Tokens)))


_MAX_NOTED = 50
_MAX_REASON_CHARS = 200


class CallMonitor:
    """Notes of one agent call: refusals, and the rate limits of its account, which it records."""

    def __init__(self, accounts: Accounts, account: str, closed: threading.Event) -> None:
        self._accounts, self._account, self._closed = accounts, account, closed
        self._observation = GatewayObservation()
        self._limits = 0
        self._was_limited = True  # an earlier call of the account may have met a limit
        self._lock = threading.Lock()

    @property
    def observation(self) -> GatewayObservation:
        return self._observation

    @property
    def limits(self) -> int:
        """Number of limits met. A successful answer lifts only limits that were met before its request was sent."""
        return self._limits

    def record_refusal(self, why: str) -> None:
        """Note a refusal. The notes are bounded: a box must not flood them."""
        words = ascii(why)[1:-1][:_MAX_REASON_CHARS]
        with self._lock:
            if len(self._observation.refused) < _MAX_NOTED and words not in self._observation.refused:
                self._observation = replace(self._observation, refused=(*self._observation.refused, words))

    def record_over_budget(self, why: str) -> None:
        self.record_refusal(why)
        with self._lock:
            self._observation = replace(self._observation, over_budget=why[:_MAX_REASON_CHARS])

    def find_limit_end(self) -> float | None:
        """Return when the account's known rate limit ends, if that is in the future."""
        until = self._accounts.not_before(self._account)
        if until is None or until <= time.time():
            return None
        self._record_limit(ProviderRefusal(429, until))
        return until

    def _record_limit(self, limit: ProviderRefusal) -> None:
        with self._lock:
            self._limits += 1
            self._was_limited = True
            self._observation = replace(self._observation, limit=limit)

    def record_unreachable(self) -> None:
        """Note a missing or partial answer, unless closing the gateway is the cause."""
        with self._lock:
            if self._closed.is_set():
                return
            self._limits += 1
            self._observation = replace(self._observation, status=UNREACHABLE, limit=ProviderRefusal(UNREACHABLE))

    def record_answer(self, status: int, *, since: int, refused: bool = False) -> None:
        """Note the status of an answer. `since`: the value of `limits` when the request was sent."""
        with self._lock:
            self._observation = replace(self._observation, model_refused=refused)
            if self._limits == since:
                self._observation = replace(self._observation, status=status)

    def record_limit(self, limit: ProviderRefusal) -> None:
        self._record_limit(limit)
        if limit.status == 429 or limit.until is not None:
            self._accounts.record_limit(self._account, limit)

    def record_success(self, *, since: int) -> None:
        with self._lock:
            if self._limits != since:
                return
            was_limited, self._was_limited = self._was_limited, False
            self._observation = replace(self._observation, limit=None)
        if was_limited:
            self._accounts.record_success(self._account)
