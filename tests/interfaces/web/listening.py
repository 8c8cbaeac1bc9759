"""A webhook server in this process, and what its tests ask it."""

import contextlib
import hashlib
import hmac
import http.client
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from reknit.adapters.github.webhook import read_delivery
from reknit.core.forge.values import WebhookEvent
from reknit.interfaces.web.limits import RequestLimits
from reknit.interfaces.web.server import WebServer, create_server
from reknit.interfaces.web.webhooks import PATH, make_webhook_routes

SECRET = "s3cret"
BOUNDS = RequestLimits()
LOOKS_SIGNED = {"X-GitHub-Delivery": "d1", "X-Hub-Signature-256": f"sha256={'0' * 64}"}
SIGNED_LINES = tuple(f"{name}: {value}" for name, value in LOOKS_SIGNED.items())


def signed(body: bytes, **more: str) -> dict[str, str]:
    signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return {"X-GitHub-Delivery": "d1", "X-Hub-Signature-256": f"sha256={signature}", **more}


@dataclass
class Listening:
    port: int = 0
    events: list[WebhookEvent] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    followed: "queue.Queue[WebhookEvent]" = field(default_factory=queue.Queue)
    may_end: threading.Event = field(default_factory=threading.Event)
    """What follows an answer goes on until then."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{PATH}"

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookEvent | None:
        return read_delivery(headers, body, SECRET)

    def wake(self, event: WebhookEvent) -> tuple[str, ...]:
        self.events.append(event)
        return (f"r-{event.number}",) if event.number else ()

    def follow(self, event: WebhookEvent) -> None:
        self.may_end.wait(10)
        self.followed.put(event)

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def raw(self, *lines: str) -> str:
        """The status line that answers these lines."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as wire:
            wire.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1"))
            return wire.makefile("rb").readline().decode()


def until(is_so: Callable[[], bool]) -> bool:
    ends_at = time.monotonic() + 10
    while not (holds := is_so()) and time.monotonic() < ends_at:
        time.sleep(0.01)
    return holds


@contextlib.contextmanager
def in_thread(server: WebServer) -> Iterator[WebServer]:
    """Serve until the end of the block."""
    thread = threading.Thread(target=server.serve_until_stopped)
    thread.start()
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def served(made: Listening, bounds: RequestLimits = BOUNDS) -> Iterator[WebServer]:
    said = made.said.append
    server = create_server("127.0.0.1", 0, make_webhook_routes(made, said), said, bounds)
    made.port = server.port
    with in_thread(server):
        try:
            yield server
        finally:
            made.may_end.set()
