"""The box's side of the gateway: reads complete HTTP/1.1 requests from one connection and writes the answers."""

import contextlib
import json
import socket
import socketserver
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from types import MappingProxyType
from typing import BinaryIO, cast

from reknit.adapters.gateway.request_body import BodyMemory, Malformed, read
from reknit.core.gateway.policy import MAX_STRANGERS_BODY

_LINGER_S = 1.0
_NO_SERVER = socketserver.BaseServer(("", 0), socketserver.BaseRequestHandler)
"""The handler requires a server but never uses it: the gateway accepts connections itself."""


class BoxRequest(BaseHTTPRequestHandler):
    """One connection from the box. `attend` answers each request after reading its `body`: with `fail`, `answer`, or
    `begin`, `part` and `end`. Writing to a box that hung up is not an error: it only sets `is_gone`.

    `error` formats a failure as the vendor does, so that the agent's CLI understands it.
    """

    protocol_version = "HTTP/1.1"
    is_gone = False

    def __init__(
        self,
        connection: socket.socket,
        attend: Callable[["BoxRequest"], None],
        error: Callable[[int, str], Mapping[str, object]],
        memory: BodyMemory,
    ) -> None:
        self._handle, self._error, self._memory = attend, error, memory
        self._held = self._read = 0
        super().__init__(connection, ("box", 0), _NO_SERVER)

    def log_message(self, *_: object) -> None:
        """Nothing a box sends is printed on our terminal."""

    def version_string(self) -> str:
        return "reknit"

    def _take(self) -> None:
        try:
            self._handle(self)
        except Malformed as problem:
            self.fail(problem.status, str(problem))
            self.hang_up()
        finally:
            self._memory.give_back(self._held)
            self._held = self._read = 0

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_CONNECT = do_TRACE = _take

    def body(self, most: int) -> bytes:
        """Call it once per request. The body counts as held until the request is answered."""
        return read(cast(BinaryIO, self.rfile), self.headers, most, self._hold)

    def _hold(self, size: int) -> None:
        """A small body needs no reservation: large bodies must not block the small requests of others."""
        self._read += size
        more = max(0, self._read - MAX_STRANGERS_BODY) - self._held
        self._memory.take(more)
        self._held += more

    def hang_up(self) -> None:
        """Unread data would reset the connection and lose the answer, so it is read and dropped for a moment."""
        self.close_connection = True
        ends_at = time.monotonic() + _LINGER_S
        with self._writing():
            self.connection.settimeout(_LINGER_S)
            self.connection.shutdown(socket.SHUT_WR)
            while self.connection.recv(65536) and time.monotonic() < ends_at:
                pass

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self.is_gone = self.close_connection = True

    def fail(self, status: int, why: str, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        self.answer(status, self._error(status, f"reknit: {why}"), headers)

    def answer(self, status: int, content: object, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        """Send one JSON value; None: no body."""
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body:
            self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        with self._writing():
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        with self._writing():
            self.end_headers()

    def part(self, content: bytes) -> None:
        if not content:
            return  # an empty chunk would end the body
        with self._writing():
            self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))

    def end(self) -> None:
        with self._writing():
            self.wfile.write(b"0\r\n\r\n")
