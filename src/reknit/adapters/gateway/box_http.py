"""The box's side of the gateway: reads whole HTTP/1.1 requests from one connection and writes answers to it."""

import json
import socket
import socketserver
from collections.abc import Callable, Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler
from types import MappingProxyType
from typing import BinaryIO, cast

from reknit.core.gateway import MAX_BODY

_NO_SERVER = socketserver.BaseServer(("", 0), socketserver.BaseRequestHandler)
"""The handler asks for a server and never uses it: the gateway accepts by itself."""


class Malformed(Exception):
    """The request cannot be read to its end, so the connection cannot be used again."""


class BoxRequest(BaseHTTPRequestHandler):
    """One connection from the box. `attend` answers each request: with `fail`, `answer`, or `begin`, `part` and `end`.

    `error` words a failure as the vendor does, so that the agent's CLI understands it.
    """

    protocol_version = "HTTP/1.1"

    def __init__(
        self,
        connection: socket.socket,
        attend: Callable[["BoxRequest", bytes], None],
        error: Callable[[int, str], Mapping[str, object]],
    ) -> None:
        self._attend, self._error = attend, error
        super().__init__(connection, ("box", 0), _NO_SERVER)

    def log_message(self, *_: object) -> None:
        """Nothing a box says goes to our terminal."""

    def version_string(self) -> str:
        return "reknit"

    def _take(self) -> None:
        try:
            body = _body(cast(BinaryIO, self.rfile), self.headers)
        except Malformed as problem:
            self.close_connection = True
            self.fail(403, str(problem))
            return
        self._attend(self, body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_CONNECT = do_TRACE = _take

    def fail(self, status: int, why: str, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        self.answer(status, self._error(status, f"reknit: {why}"), headers)

    def answer(self, status: int, content: object, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        """One JSON value; None: no body."""
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body:
            self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def part(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


def _body(stream: BinaryIO, headers: Message) -> bytes:
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is None:
        return _exactly(stream, _size(length or "0", 10))
    if length is not None or coding.strip().lower() != "chunked":
        raise Malformed("the length of the body is not clear")
    return _chunks(stream)


def _chunks(stream: BinaryIO) -> bytes:
    body = bytearray()
    while size := _size(stream.readline(100).decode("latin-1").partition(";")[0], 16):
        body += _exactly(stream, size)
        if len(body) > MAX_BODY:
            raise Malformed("the body is too large")
        if stream.readline(100) != b"\r\n":
            raise Malformed("a chunk of the body is not well formed")
    if stream.readline(100) != b"\r\n":
        raise Malformed("trailers are not taken")
    return bytes(body)


def _size(text: str, base: int) -> int:
    try:
        size = int(text.strip(), base)
    except ValueError:
        raise Malformed("the length of the body is not a number") from None
    if not 0 <= size <= MAX_BODY:
        raise Malformed("the body is too large")
    return size


def _exactly(stream: BinaryIO, size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise Malformed("the body ends too early")
    return content
