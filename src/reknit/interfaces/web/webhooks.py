"""The webhook endpoint. Rejects unsigned requests, and bounds what any request costs before it is verified."""

import contextlib
import math
import re
import socket
import sys
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Protocol

from reknit.adapters.gateway.request_body import BodyMemory, TooMuch
from reknit.core.errors import ReknitError
from reknit.core.forge.webhook import WebhookEvent
from reknit.interfaces.web.connections import Connections, RequestLimits, UnverifiedConnection
from reknit.interfaces.web.refusals import Refusals

PATH = "/webhooks/github"

Say = Callable[[str], None]

_MOST_DIGITS = 10
"""Of a content length; Python itself refuses to parse thousands of them."""
_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_DELIVERY = re.compile(r"[\x21-\x7e]{1,100}")
_PART = 64 << 10
_DRAIN_S, _MAX_DRAINED = 0.5, 256 << 10


class Receiver(Protocol):
    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookEvent | None:
        """None: it is not signed."""

    def wake(self, event: WebhookEvent) -> tuple[str, ...]:
        """The runs that were notified."""

    def follow(self, event: WebhookEvent) -> None:
        """Called after the answer: it may take longer than a forge waits."""


def server(host: str, port: int, receiver: Receiver, say: Say, bounds: RequestLimits | None = None) -> "WebhookServer":
    return WebhookServer((host, port), receiver, say, bounds or RequestLimits())


class _Refused(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class _HungUp(Exception):
    """The client closed the connection, so there is no one to answer."""


class WebhookServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, address: tuple[str, int], receiver: Receiver, say: Say, bounds: RequestLimits) -> None:
        self.receiver, self.say, self.bounds = receiver, say, bounds
        self.connections, self.memory, self.refusals = (
            Connections(bounds.connections),
            BodyMemory(bounds.held),
            Refusals(say),
        )
        super().__init__(address, _Delivery)

    def service_actions(self) -> None:
        now = time.monotonic()
        self.connections.cut_late(now)
        self.refusals.flush(now=now)

    def server_close(self) -> None:
        super().server_close()
        self.refusals.flush(now=math.inf)

    def say_outage(self, problem: ReknitError) -> None:
        self.say(f"error[{problem.name}]: {problem.what}")

    def handle_error(self, request: object, client_address: object) -> None:
        """A broken connection is not worth a traceback; a failure on our side is."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Headers:
    """The lines before the body, as the HTTP parser reads them."""

    def __init__(self, stream: BufferedIOBase, most: int, visit: UnverifiedConnection) -> None:
        self._stream, self._left, self._visit = stream, most, visit

    def readline(self, limit: int) -> bytes:
        line = self._stream.readline(min(limit, self._left + 1))
        self._left -= len(line)
        if self._left < 0:
            raise _Refused(431, "the headers are too large")
        if not line.endswith(b"\n"):
            raise _ended(self._visit)
        return line

    def close(self) -> None:
        self._stream.close()


def _ended(visit: UnverifiedConnection) -> Exception:
    """Why nothing more can be read."""
    return _Refused(*visit.cut) if visit.cut else _HungUp()


class _Delivery(BaseHTTPRequestHandler):
    """One connection, one request."""

    protocol_version = default_request_version = request_version = "HTTP/1.1"  # also for requests that cannot be parsed
    requestline = ""
    disable_nagle_algorithm = True
    timeout = 60.0
    """Per read or write; until the request is verified, `Connections` limits their total."""
    server: WebhookServer

    def setup(self) -> None:
        bounds = self.server.bounds
        self._visit = UnverifiedConnection(self.request, time.monotonic() + bounds.total_s)
        self.server.connections.add(self._visit)
        super().setup()
        self._stream = self.rfile
        self.rfile = _Headers(self._stream, bounds.headers, self._visit)  # type: ignore[assignment]

    def handle(self) -> None:
        try:
            self.handle_one_request()
        except _Refused as refused:
            self._refuse(refused.status, refused.why)
        except _HungUp:
            return
        finally:
            self.server.connections.remove(self._visit)

    def do_GET(self) -> None:
        if self.path != "/healthz":
            raise _Refused(404, "there is nothing at this path")
        self._answer(200, "ok")

    def do_POST(self) -> None:
        receiver = self.server.receiver
        event = receiver.verify(dict(self.headers.items()), self._body(self._length()))
        if event is None:
            raise _Refused(401, "not signed with the secret of this server")
        try:
            woken = receiver.wake(event)
        except ReknitError as problem:
            self.server.say_outage(problem)
            raise _Refused(503, "it cannot be accepted now") from None
        if woken:
            self.server.say(f"{self.headers.get('x-github-event', 'event')} for {', '.join(woken)}")
        self._answer(202, f"{len(woken)} run(s) notified")
        try:
            receiver.follow(event)
        except ReknitError as problem:
            self.server.say_outage(problem)

    def _length(self) -> int:
        """Of the body; refuses whatever can be refused without reading the body."""
        if self.path != PATH:
            raise _Refused(404, "there is nothing at this path")
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal()):
            raise _Refused(411, "no content length")
        if len(length) > _MOST_DIGITS or int(length) > self.server.bounds.body:
            raise _Refused(413, "the body is too large")
        if not _SIGNATURE.fullmatch(self.headers.get("x-hub-signature-256", "")):
            raise _Refused(401, "not signed")
        if not _DELIVERY.fullmatch(self.headers.get("x-github-delivery", "")):
            raise _Refused(400, "no delivery id")
        return int(length)

    def _body(self, length: int) -> bytes:
        """Read in parts, so that only bytes actually received use memory."""
        body, held = bytearray(), 0
        try:
            while len(body) < length:
                part = self._stream.read1(min(_PART, length - len(body)))
                if not part:
                    raise _ended(self._visit)
                body += part
                more = max(0, len(body) - self.server.bounds.small_body) - held
                self.server.memory.take(more)
                held += more
            self.server.connections.remove(self._visit)  # it is complete: only our own work is left
            return bytes(body)
        except TooMuch:
            raise _Refused(503, "too much data at once") from None
        finally:
            self.server.memory.give_back(held)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Called by the parser, whose own messages repeat what was sent."""
        raise _Refused(code, HTTPStatus(code).phrase.lower())

    def _refuse(self, status: int, why: str) -> None:
        self.server.refusals.note(str(self.client_address[0]), status, why, now=time.monotonic())
        with contextlib.suppress(OSError):
            self._answer(status, why)
            self._drain()

    def _answer(self, status: int, text: str) -> None:
        body = f"{text}\n".encode()
        self.close_connection = True
        self.send_response(status)
        for name, value in (("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(body)))):
            self.send_header(name, value)
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _drain(self) -> None:
        """Unread data would reset the connection and lose the answer, so read and discard some of it."""
        ends_at, left = time.monotonic() + _DRAIN_S, _MAX_DRAINED
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_DRAIN_S)
        while left > 0 and time.monotonic() < ends_at and (part := self.connection.recv(_PART)):
            left -= len(part)

    def version_string(self) -> str:
        return "reknit"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
        """`refusals` logs what is worth a line."""
