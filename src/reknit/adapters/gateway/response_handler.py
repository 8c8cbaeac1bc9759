"""Handles a provider's answer: meters it, looks for rate limits, settles its cost, and streams it to the box."""

import http.client
import time

from reknit.adapters.gateway.box_connection import BoxRequest
from reknit.adapters.gateway.call_ledger import CallLedger, InFlightRequest
from reknit.adapters.gateway.call_monitor import CallMonitor
from reknit.adapters.gateway.upstream import UpstreamResponse
from reknit.core.gateway.key_blanking import BlankedStream, KeyBlanking
from reknit.core.gateway.metering import AnswerFacts, Meter, refusal_of, status_of
from reknit.core.gateway.policy import answer_headers
from reknit.core.gateway.wire import Wire

_AFTER_HANG_UP_S = 120.0


class UpstreamResponses:
    """`flight` is None if the request is free. Everything is settled before the box sees the end of an answer: its
    next request is judged by what this one left of the budget, and what the agent reads may make it exit."""

    def __init__(self, wire: Wire, ledger: CallLedger, watch: CallMonitor, *, key: str) -> None:
        self._wire, self._ledger, self._watch, self._keys = wire, ledger, watch, KeyBlanking(key)

    def forward(self, request: BoxRequest, answer: UpstreamResponse, flight: InFlightRequest | None) -> None:
        if answer.status < http.client.MULTIPLE_CHOICES:
            self._success(request, answer, flight)
            return
        if flight:
            flight.may_cost = False
        if answer.status >= http.client.BAD_REQUEST:
            self._error(request, answer, flight)
            return
        if flight:
            self._watch.answered(answer.status, since=flight.limits)
        self._settle(flight)
        request.fail(502, f"the model endpoint answered with a redirect ({answer.status})")

    def unreachable(self, request: BoxRequest, problem: Exception, flight: InFlightRequest | None) -> None:
        self._watch.unreachable()
        if flight and not isinstance(problem, TimeoutError):  # on a timeout the model may still be working
            flight.may_cost = False
        self._settle(flight)
        request.fail(502, f"the model endpoint did not answer ({type(problem).__name__})")

    def _error(self, request: BoxRequest, answer: UpstreamResponse, flight: InFlightRequest | None) -> None:
        body = answer.error_body()
        meter = Meter(self._wire.read_event, streamed=False)
        meter.feed(body)
        meter.end()
        if flight:
            status = status_of(answer.status, meter.facts)
            self._watch.answered(status, since=flight.limits)
            if limit := refusal_of(status, answer.headers, wait_s=meter.facts.wait_s, now=time.time()):
                self._watch.limited(limit)
        self._settle(flight)
        if _is_compressed(answer):
            request.fail(answer.status, "the model's error is compressed and cannot be checked for the key")
            return
        request.begin(answer.status, self._headers(answer))
        request.part(BlankedStream(self._keys).feed(body))  # not `end()`: the body may be cut in the middle of a key
        request.end()

    def _success(self, request: BoxRequest, answer: UpstreamResponse, flight: InFlightRequest | None) -> None:
        meter = Meter(self._wire.read_event, streamed="event-stream" in answer.headers.get("content-type", ""))
        if flight:
            self._watch.answered(answer.status, since=flight.limits)
            flight.meter = meter
        if _is_compressed(answer):
            request.fail(502, "the model's answer is compressed and cannot be metered")
            return
        request.begin(answer.status, self._headers(answer))
        try:
            self._parts(request, answer, meter, flight)
        except http.client.HTTPException:
            if not request.is_gone:
                self._watch.unreachable()
            request.close_connection = True  # no last chunk: the box sees that the answer was cut off
            return
        self._settle(flight)
        request.end()

    def _parts(
        self, request: BoxRequest, answer: UpstreamResponse, meter: Meter, flight: InFlightRequest | None
    ) -> None:
        """Reads to the end even if the box hung up: only the end says what the answer cost."""
        noted: AnswerFacts | None = None
        blanked = BlankedStream(self._keys)
        for part in answer.parts():
            meter.feed(part)
            if flight and noted is None and (meter.facts.final or meter.facts.status):
                noted = self._note(answer.status, meter.facts, flight)
            request.part(blanked.feed(part))
            if request.is_gone:
                answer.hurry(_AFTER_HANG_UP_S)
        request.part(blanked.end())
        meter.end()
        if flight and (noted is None or (noted.status, noted.refused) != (meter.facts.status, meter.facts.refused)):
            self._note(answer.status, meter.facts, flight)

    def _headers(self, answer: UpstreamResponse) -> dict[str, str]:
        return answer_headers(answer.headers, self._wire.ANSWER_HEADERS, self._keys)

    def _note(self, status: int, facts: AnswerFacts, flight: InFlightRequest) -> AnswerFacts:
        self._watch.answered(status_of(status, facts), since=flight.limits, refused=facts.refused)
        if limit := refusal_of(facts.status, {}, wait_s=facts.wait_s, now=time.time()):
            self._watch.limited(limit)
        elif not facts.status:
            self._watch.served(since=flight.limits)
        return facts

    def _settle(self, flight: InFlightRequest | None) -> None:
        if flight:
            self._ledger.settle(flight)


def _is_compressed(answer: UpstreamResponse) -> bool:
    return answer.headers.get("content-encoding", "identity") != "identity"
