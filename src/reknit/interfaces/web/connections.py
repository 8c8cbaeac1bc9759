"""Connections of the web server, cut while their sender is not verified: too slow, too many, or not HTTP."""

import asyncio
import contextlib
import sys
import time
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from reknit.adapters.gateway.box_connection import BodyMemory
from reknit.interfaces.web.limits import Refusals, RequestLimits

HEAD_PART = 1 << 10
"""The parser gets the head of a request in parts of so many bytes, because it bounds only what is incomplete."""
_READ_SIZE = 32 << 10
"""Bytes that asyncio reads at a time. Its own 256 KB, of every connection, arrive before the first one is refused."""
_DRAIN_S, _MAX_DRAINED = 0.5, 256 << 10


class Visitors:
    """The connections whose sender is not verified yet, and what they share."""

    def __init__(self, limits: RequestLimits, refusals: Refusals) -> None:
        self.limits, self.refusals = limits, refusals
        self.memory = BodyMemory(limits.held_bytes)
        self._waiting: dict[LimitedConnection, None] = {}

    def make_connection(
        self, config: Config, server_state: ServerState, app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> "LimitedConnection":  # fmt: skip
        """Return the protocol of a new connection; uvicorn calls this as if it were a class of protocols."""
        return LimitedConnection(self, config, server_state, app_state, _loop)

    def add(self, connection: "LimitedConnection") -> None:
        """Add a connection. If there are too many, cut the oldest: a forge finishes within milliseconds."""
        if len(self._waiting) >= self.limits.connections:
            next(iter(self._waiting)).refuse(503, "too many connections")
        self._waiting[connection] = None

    def remove(self, connection: "LimitedConnection") -> None:
        self._waiting.pop(connection, None)


class LimitedConnection(H11Protocol):
    """One connection. The application finds it in `request.state.connection`."""

    def __init__(self, visitors: Visitors, config: Config, server_state: ServerState, app_state: dict[str, Any],
                 _loop: asyncio.AbstractEventLoop | None = None) -> None:  # fmt: skip
        super().__init__(config, server_state, {**app_state, "connection": self}, _loop)
        self._visitors = visitors
        self._deadline: asyncio.TimerHandle | None = None
        self._received = self._drained = 0
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.max_size = _READ_SIZE  # type: ignore[attr-defined]
        super().connection_made(transport)
        self._await_verification()

    def connection_lost(self, exc: Exception | None) -> None:
        self.verify()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:  # unread data would reset the connection and lose the answer
            self._drained += len(data)
            if self._drained > _MAX_DRAINED:
                self.transport.abort()
            return
        self._received += len(data)
        while data and not self._is_refused:
            size = HEAD_PART if self.conn.their_state is h11.IDLE else len(data)
            part, data = data[:size], data[size:]
            super().data_received(part)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self._await_verification()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - it would repeat the library's words
        """Refuse what is not HTTP. Called while the error of the parser is handled."""
        status = getattr(sys.exception(), "error_status_hint", 400)
        why = "the headers are too large" if status == 431 else HTTPStatus(status).phrase.lower()
        self.refuse(status, why)

    def verify(self) -> None:
        """End the limits on an unverified sender: only our own work is left."""
        self._visitors.remove(self)
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def refuse(self, status: int, why: str) -> None:
        """Answer with our own words, read no more, and log it; a response of the application is dropped."""
        self.verify()
        if self._is_refused or self.transport.is_closing():
            return
        self._is_refused = True
        source = str(self.client[0]) if self.client else "an unknown address"
        self._visitors.refusals.note(source, status, why, now=time.monotonic())
        body = f"{why}\n"
        lines = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", "content-type: text/plain; charset=utf-8",
            f"content-length: {len(body)}", "connection: close", "", body,
        )  # fmt: skip
        self.transport.write("\r\n".join(lines).encode())
        with contextlib.suppress(OSError):  # the other side may have gone already
            self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(_DRAIN_S, self.transport.abort)
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.body = bytearray()
            self.cycle.message_event.set()

    def _await_verification(self) -> None:
        self.verify()
        self._received = 0
        self._deadline = self.loop.call_later(self._visitors.limits.total_s, self._end_slow_request)
        self._visitors.add(self)

    def _end_slow_request(self) -> None:
        if self._received:
            self.refuse(408, "the request took too long")
        else:
            self.transport.close()
