"""The webhook endpoint, which rejects unsigned requests and bounds the cost of any unverified request."""

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

from reknit.adapters.gateway.box_connection import BodyMemory, NoMemoryError
from reknit.core.errors import ReknitError
from reknit.core.forge.values import WebhookEvent
from reknit.interfaces.web.connections import Connections, Refusals, RequestLimits, UnverifiedConnection

PATH = "/webhooks/github"

Say = Callable[[str], None]

_MAX_LENGTH_DIGITS = 10
"""Maximum digits of a content length; Python itself refuses to parse thousands of them."""
_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_DELIVERY = re.compile(r"[\x21-\x7e]{1,100}")
_PART = 64 << 10
_DRAIN_S, _MAX_DRAINED = 0.5, 256 << 10


class Receiver(Protocol):
    """Handles verified events."""

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookEvent | None:
        """Return the event; None: it is not signed."""

    def wake(self, event: WebhookEvent) -> tuple[str, ...]:
        """Notify the runs that the event concerns, and return them."""

    def follow(self, event: WebhookEvent) -> None:
        """Do what may take longer than a forge waits; called after the answer."""


def create_server(
    host: str, port: int, receiver: Receiver, say: Say, bounds: RequestLimits | None = None
) -> "WebhookServer":
    """Return a server that listens at this address."""
    return WebhookServer((host, port), receiver, say, bounds or RequestLimits())


class _RefusedError(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class _HungUpError(Exception):
    """The client closed the connection, so there is no one to answer."""


class WebhookServer(ThreadingHTTPServer):
    """A server for webhooks, with one thread per connection."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, address: tuple[str, int], receiver: Receiver, say: Say, bounds: RequestLimits) -> None:
        self.receiver, self.say, self.bounds = receiver, say, bounds
        self.connections, self.memory, self.refusals = (
            Connections(bounds.connections),
            BodyMemory(bounds.held_bytes),
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
        self.say(f"error[{problem.name}]: {problem.message}")

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a broken connection; print the traceback of a failure on our side."""
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
            raise _RefusedError(431, "the headers are too large")
        if not line.endswith(b"\n"):
            raise _ended(self._visit)
        return line

    def close(self) -> None:
        self._stream.close()


def _ended(visit: UnverifiedConnection) -> Exception:
    """Return why nothing more can be read."""
    return _RefusedError(*visit.cut) if visit.cut else _HungUpError()


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
        except _RefusedError as refused:
            self._refuse(refused.status, refused.why)
        except _HungUpError:
            return
        finally:
            self.server.connections.remove(self._visit)

    def do_GET(self) -> None:
        if self.path != "/healthz":
            raise _RefusedError(404, "there is nothing at this path")
        self._answer(200, "ok")

    def do_POST(self) -> None:
        receiver = self.server.receiver
        event = receiver.verify(dict(self.headers.items()), self._body(self._length()))
        if event is None:
            raise _RefusedError(401, "not signed with the secret of this server")
        try:
            woken = receiver.wake(event)
        except ReknitError as problem:
            self.server.say_outage(problem)
            raise _RefusedError(503, "it cannot be accepted now") from None
        if woken:
            self.server.say(f"{self.headers.get('x-github-event', 'event')} for {', '.join(woken)}")
        self._answer(202, f"{len(woken)} run(s) notified")
        try:
            receiver.follow(event)
        except ReknitError as problem:
            self.server.say_outage(problem)

    def _length(self) -> int:
        """Return the length of the body; refuse whatever can be refused without reading the body."""
        if self.path != PATH:
            raise _RefusedError(404, "there is nothing at this path")
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal()):
            raise _RefusedError(411, "no content length")
        if len(length) > _MAX_LENGTH_DIGITS or int(length) > self.server.bounds.body:
            raise _RefusedError(413, "the body is too large")
        if not _SIGNATURE.fullmatch(self.headers.get("x-hub-signature-256", "")):
            raise _RefusedError(401, "not signed")
        if not _DELIVERY.fullmatch(self.headers.get("x-github-delivery", "")):
            raise _RefusedError(400, "no delivery id")
        return int(length)

    def _body(self, length: int) -> bytes:
        """Read in parts, so that only bytes actually received use memory."""
        body, memory_in_use = bytearray(), 0
        try:
            while len(body) < length:
                part = self._stream.read1(min(_PART, length - len(body)))
                if not part:
                    raise _ended(self._visit)
                body += part
                more = max(0, len(body) - self.server.bounds.small_body) - memory_in_use
                self.server.memory.take(more)
                memory_in_use += more
            self.server.connections.remove(self._visit)  # it is complete: only our own work is left
            return bytes(body)
        except NoMemoryError:
            raise _RefusedError(503, "too much data at once") from None
        finally:
            self.server.memory.release(memory_in_use)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Refuse a request that the parser rejects, whose own messages repeat what was sent."""
        raise _RefusedError(code, HTTPStatus(code).phrase.lower())

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
        ends_at, budget = time.monotonic() + _DRAIN_S, _MAX_DRAINED
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_DRAIN_S)
        while budget > 0 and time.monotonic() < ends_at and (part := self.connection.recv(_PART)):
            budget -= len(part)

    def version_string(self) -> str:
        return "reknit"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
        """`refusals` logs what is worth a line."""
