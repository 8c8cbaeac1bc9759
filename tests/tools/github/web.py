"""HTTP over TCP and over a unix socket: reads requests, hands them to one function, writes its answers."""

import socket
import socketserver
import sys
import threading
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes

    @property
    def asked(self) -> dict[str, str]:
        return dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False
    """The connection is closed in the middle of it."""


DROPPED = Answer(0)
"""The connection is closed without a word."""
Responder = Callable[[Request], Answer]


class TcpServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Accepts until its socket is shut down, so that closing waits for no poll; and leaves no thread behind."""

    daemon_threads = False
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, responder: Responder, address: Any = ("127.0.0.1", 0)) -> None:
        self.responder = responder
        self._connections: set[socket.socket] = set()
        super().__init__(address, _Handler)
        self._thread = threading.Thread(target=self._accept, name="github-http")
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self.socket.getsockname()[1])

    def end(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        for connection in tuple(self._connections):
            _cut(connection)
        self.server_close()

    def _accept(self) -> None:
        while True:
            try:
                connection, address = self.socket.accept()
            except OSError:
                return
            self._connections.add(connection)
            self.process_request(connection, address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        _cut(request)
        request.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A killed client leaves broken connections: not a failure of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class UnixServer(TcpServer):
    """The same on a unix socket."""

    address_family = socket.AF_UNIX


def _cut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    """Head and body leave in one packet: without it every answer costs 40 ms (Nagle and delayed acknowledgement)."""
    server: Any

    def log_message(self, *_: object) -> None:
        pass

    def address_string(self) -> str:
        return "local"  # the peer of a unix socket has no address

    def handle_expect_100(self) -> bool:
        super().handle_expect_100()
        self.wfile.flush()
        return True

    def answer(self) -> None:
        place = urllib.parse.urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = urllib.parse.unquote(place.path)
        answer = self.server.responder(Request(self.command, path, place.query, headers, self._body()))
        if answer is DROPPED:
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) // 2] if answer.is_cut else answer.body)
        self.close_connection = self.close_connection or answer.is_cut

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().strip() or b"0", 16):  # git sends big packs in chunks
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)
