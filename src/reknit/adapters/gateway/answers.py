"""What becomes of a provider's answer: metered, read for limits, settled, and handed to the box as it comes."""

import http.client
import time

from reknit.adapters.gateway.books import Books, Flight
from reknit.adapters.gateway.box_http import BoxRequest
from reknit.adapters.gateway.upstream import error_body, parts
from reknit.adapters.gateway.watch import Watch
from reknit.core.gateway import chosen, lower
from reknit.core.metering import Meter, Told, not_now
from reknit.core.wire import Wire


class Answers:
    """`flight` is None where nothing is charged for. Everything is settled before the box sees the end of an answer:
    its next request is judged by what this one left, and what it reads may make it end."""

    def __init__(self, wire: Wire, books: Books, watch: Watch) -> None:
        self._wire, self._books, self._watch = wire, books, watch

    def hand_over(self, request: BoxRequest, answer: http.client.HTTPResponse, flight: Flight | None) -> None:
        if answer.status >= http.client.BAD_REQUEST:
            self._error(request, answer, flight)
            return
        if flight:
            self._watch.answered(answer.status)
        if answer.status >= http.client.MULTIPLE_CHOICES:
            self._settle(flight)
            request.fail(502, f"the model's address answers with a redirect ({answer.status})")
        else:
            self._success(request, answer, flight)

    def none(self, request: BoxRequest, problem: Exception, flight: Flight | None) -> None:
        self._watch.unreachable()
        self._settle(flight)
        request.fail(502, f"the model's address gives no answer ({type(problem).__name__})")

    def _error(self, request: BoxRequest, answer: http.client.HTTPResponse, flight: Flight | None) -> None:
        body, headers = error_body(answer), lower(answer.getheaders())
        meter = Meter(self._wire.told, streamed=False)
        meter.feed(body)
        meter.end()
        if flight:
            self._watch.answered(meter.told.status or answer.status)
        if limit := not_now(answer.status, headers, wait_s=meter.told.wait_s, now=time.time()):
            self._watch.limited(limit)
        self._settle(flight)
        request.begin(answer.status, chosen(headers.items(), self._wire.ANSWER_HEADERS))
        request.part(body)
        request.end()

    def _success(self, request: BoxRequest, answer: http.client.HTTPResponse, flight: Flight | None) -> None:
        headers = lower(answer.getheaders())
        meter = Meter(self._wire.told, streamed="event-stream" in headers.get("content-type", ""))
        if flight:
            flight.meter = meter
        if headers.get("content-encoding", "identity") != "identity":
            request.fail(502, "the model's answer is compressed and cannot be metered")
            return
        request.begin(answer.status, chosen(headers.items(), self._wire.ANSWER_HEADERS))
        try:
            self._parts(request, answer, meter, flight)
        except http.client.HTTPException:
            request.close_connection = True  # no last chunk: the box sees that the answer was cut
            return
        self._settle(flight)
        request.end()

    def _parts(
        self, request: BoxRequest, answer: http.client.HTTPResponse, meter: Meter, flight: Flight | None
    ) -> None:
        noted: Told | None = None
        for part in parts(answer):
            meter.feed(part)
            if flight and noted is None and (meter.told.final or meter.told.status):
                noted = self._note(answer.status, meter.told)
            request.part(part)
        meter.end()
        if flight and noted != meter.told:
            self._note(answer.status, meter.told)

    def _note(self, status: int, told: Told) -> Told:
        self._watch.answered(told.status or status, refused=told.refused)
        if limit := not_now(told.status, {}, wait_s=told.wait_s, now=time.time()):
            self._watch.limited(limit)
        elif not told.status:
            self._watch.served()
        return told

    def _settle(self, flight: Flight | None) -> None:
        if flight:
            self._books.settle(flight)
