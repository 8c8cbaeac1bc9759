"""The provider's side of the gateway: one connection per request to one host only, and the metered answer."""

import contextlib
import http.client
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import SplitResult, urlsplit

from reknit.adapters.gateway.box_connection import BoxRequest
from reknit.adapters.gateway.call_ledger import CallLedger, CallMonitor, InFlightRequest
from reknit.core.errors import UsageError
from reknit.core.gateway.metering import AnswerFacts, Meter, find_status, to_refusal
from reknit.core.gateway.policy import BlankedStream, KeyBlanking, lower_names, select_answer_headers
from reknit.core.gateway.wire import Wire

_HELP = "set `upstream` to an http or https URL without a user name or password"
_CONNECT_S = 20.0
_ANSWER_S = 600.0
_MAX_ERROR_BODY = 1 << 20

Hold = Callable[[socket.socket], contextlib.AbstractContextManager[None]]
"""Registers a connection with the gateway while it is open."""


class Upstream:
    """The address of the model. Redirects are never followed."""

    def __init__(self, address: str) -> None:
        self._address = _parse_address(address)

    @contextlib.contextmanager
    def connect(self, hold: Hold) -> Iterator[http.client.HTTPConnection]:
        https = self._address.scheme == "https"
        make = http.client.HTTPSConnection if https else http.client.HTTPConnection
        with contextlib.closing(make(self._address.netloc, timeout=_CONNECT_S)) as connection:
            connection.connect()
            connection.sock.settimeout(_ANSWER_S)
            with hold(connection.sock):
                yield connection

    def send(
        self, connection: http.client.HTTPConnection, line: tuple[str, str], headers: Mapping[str, str], body: bytes
    ) -> "UpstreamResponse":
        """Send a request. `line`: method and target."""
        (method, target), its_socket = line, connection.sock
        # not compressed: the gateway must be able to read the usage in it
        sent_headers = {**headers, "accept-encoding": "identity", "connection": "close"}
        if body:
            sent_headers["content-type"] = "application/json"
        connection.request(method, self._address.path + target, body or None, sent_headers)
        return UpstreamResponse(connection.getresponse(), its_socket)


class UpstreamResponse:
    """An answer that is read as it arrives."""

    def __init__(self, response: http.client.HTTPResponse, its_socket: socket.socket) -> None:
        self._response, self._socket = response, its_socket
        self.status, self.headers = response.status, lower_names(response.getheaders())
        self._ends_at: float | None = None

    def close(self) -> None:
        self._response.close()

    def limit_remaining_time(self, most_s: float) -> None:
        """Limit the time for the rest of the answer. Only the first call counts."""
        if self._ends_at is None:
            self._ends_at = time.monotonic() + most_s

    def parts(self) -> Iterator[bytes]:
        """Yield data as it arrives. Stop at the announced length, because `read1` waits there before Python 3.11.8."""
        remaining = self._response.length
        while remaining is None or remaining > 0:
            try:
                part = self._read_part()
            except OSError as cut:
                raise http.client.IncompleteRead(b"", remaining) from cut
            if not part and remaining is not None:
                raise http.client.IncompleteRead(b"", remaining)
            if not part:
                return
            yield part
            remaining = None if remaining is None else remaining - len(part)

    def _read_part(self) -> bytes:
        if self._ends_at is not None:
            left_s = self._ends_at - time.monotonic()
            if left_s <= 0:
                raise TimeoutError("the answer did not end in time")
            self._socket.settimeout(left_s)
        return self._response.read1(65536)

    def read_error_body(self) -> bytes:
        """Return the received part of the body, up to a limit."""
        body = bytearray()
        with contextlib.suppress(http.client.HTTPException):
            for part in self.parts():
                body += part
                if len(body) > _MAX_ERROR_BODY:
                    break
        return bytes(body[:_MAX_ERROR_BODY])


def _parse_address(upstream: str) -> SplitResult:
    address = urlsplit(upstream.rstrip("/"))
    if address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc:
        # the value is not shown: it may contain a password
        raise UsageError("bad-upstream", "the agent's upstream is not a valid address", help=_HELP)
    return address


_AFTER_HANG_UP_S = 120.0


class UpstreamResponses:
    """Meters a provider's answers, looks for rate limits, and streams the answers to the box.

    `flight` is None if the request is free. Costs are settled before the box sees the end of an answer: its next one
    needs the released budget, and the agent may exit after the answer.
    """

    def __init__(self, wire: Wire, ledger: CallLedger, monitor: CallMonitor, *, key: str) -> None:
        self._wire, self._ledger, self._monitor, self._keys = wire, ledger, monitor, KeyBlanking(key)

    def forward(self, request: BoxRequest, answer: UpstreamResponse, flight: InFlightRequest | None) -> None:
        if answer.status < http.client.MULTIPLE_CHOICES:
            self._forward_success(request, answer, flight)
            return
        if flight:
            flight.may_cost = False
        if answer.status >= http.client.BAD_REQUEST:
            self._forward_error(request, answer, flight)
            return
        if flight:
            self._monitor.record_answer(answer.status, since=flight.limits)
        self._settle(flight)
        request.fail(502, f"the model endpoint answered with a redirect ({answer.status})")

    def answer_unreachable(self, request: BoxRequest, problem: Exception, flight: InFlightRequest | None) -> None:
        self._monitor.record_unreachable()
        if flight and not isinstance(problem, TimeoutError):  # on a timeout the model may still be working
            flight.may_cost = False
        self._settle(flight)
        request.fail(502, f"the model endpoint did not answer ({type(problem).__name__})")

    def _forward_error(self, request: BoxRequest, answer: UpstreamResponse, flight: InFlightRequest | None) -> None:
        body = answer.read_error_body()
        meter = Meter(self._wire.read_event, streamed=False)
        meter.feed(body)
        meter.end()
        if flight:
            status = find_status(answer.status, meter.facts)
            self._monitor.record_answer(status, since=flight.limits)
            if limit := to_refusal(status, answer.headers, wait_s=meter.facts.wait_s, now=time.time()):
                self._monitor.record_limit(limit)
        self._settle(flight)
        if _is_compressed(answer):
            request.fail(answer.status, "the model's error is compressed and cannot be checked for the key")
            return
        request.begin(answer.status, self._select_headers(answer))
        request.part(BlankedStream(self._keys).feed(body))  # without `end()`: the body may end in the middle of a key
        request.end()

    def _forward_success(self, request: BoxRequest, answer: UpstreamResponse, flight: InFlightRequest | None) -> None:
        meter = Meter(self._wire.read_event, streamed="event-stream" in answer.headers.get("content-type", ""))
        if flight:
            self._monitor.record_answer(answer.status, since=flight.limits)
            flight.meter = meter
        if _is_compressed(answer):
            request.fail(502, "the model's answer is compressed and cannot be metered")
            return
        request.begin(answer.status, self._select_headers(answer))
        try:
            self._stream_parts(request, answer, meter, flight)
        except http.client.HTTPException:
            if not request.has_hung_up:
                self._monitor.record_unreachable()
            request.close_connection = True  # no last chunk: the box sees that the answer was cut off
            return
        self._settle(flight)
        request.end()

    def _stream_parts(
        self, request: BoxRequest, answer: UpstreamResponse, meter: Meter, flight: InFlightRequest | None
    ) -> None:
        """Stream the answer. Read it to the end even if the box hung up, because the end contains the cost."""
        noted: AnswerFacts | None = None
        blanked = BlankedStream(self._keys)
        for part in answer.parts():
            meter.feed(part)
            if flight and noted is None and (meter.facts.final or meter.facts.status):
                noted = self._record_facts(answer.status, meter.facts, flight)
            request.part(blanked.feed(part))
            if request.has_hung_up:
                answer.limit_remaining_time(_AFTER_HANG_UP_S)
        request.part(blanked.end())
        meter.end()
        if flight and (noted is None or (noted.status, noted.refused) != (meter.facts.status, meter.facts.refused)):
            self._record_facts(answer.status, meter.facts, flight)

    def _select_headers(self, answer: UpstreamResponse) -> dict[str, str]:
        return select_answer_headers(answer.headers, self._wire.ANSWER_HEADERS, self._keys)

    def _record_facts(self, status: int, facts: AnswerFacts, flight: InFlightRequest) -> AnswerFacts:
        self._monitor.record_answer(find_status(status, facts), since=flight.limits, refused=facts.refused)
        if limit := to_refusal(facts.status, {}, wait_s=facts.wait_s, now=time.time()):
            self._monitor.record_limit(limit)
        elif not facts.status:
            self._monitor.record_success(since=flight.limits)
        return facts

    def _settle(self, flight: InFlightRequest | None) -> None:
        if flight:
            self._ledger.settle(flight)


def _is_compressed(answer: UpstreamResponse) -> bool:
    return answer.headers.get("content-encoding", "identity") != "identity"
