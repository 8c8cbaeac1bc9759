"""Reads complete HTTP/1.1 requests from a box's connection with bounded memory, and writes the answers."""

import contextlib
import json
import re
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler
from types import MappingProxyType
from typing import BinaryIO, cast

from reknit.core.gateway.policy import MAX_BODIES, MAX_STRANGERS_BODY

_NUMBERS = {10: re.compile("[0-9]{1,20}"), 16: re.compile("[0-9a-fA-F]{1,16}")}


class MalformedError(Exception):
    """The request cannot be read to its end, so the connection cannot be reused."""

    status = 403


class TooLargeError(MalformedError):
    """Part of the body was not read."""

    status = 413


class NoMemoryError(MalformedError):
    """Other requests use all the memory for bodies at the moment."""

    status = 503


class BodyMemory:
    """Counts the memory for the bodies of all connections, and limits it."""

    def __init__(self, size: int = MAX_BODIES) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, size: int) -> None:
        with self._lock:
            if size > self._left:
                raise NoMemoryError("too much data in flight")
            self._left -= size

    def release(self, size: int) -> None:
        with self._lock:
            self._left += size


def read_body(stream: BinaryIO, headers: Message, most: int, take: Callable[[int], None]) -> bytes:
    """Read a body of unambiguous length. `take` is called with each size before that many bytes are read."""
    codings, lengths = headers.get_all("transfer-encoding", []), headers.get_all("content-length", [])
    if len(codings) + len(lengths) > 1:
        raise MalformedError("the body length is ambiguous")
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is None:
        return _read_exactly(stream, _parse_size(length or "0", 10, most), take)
    if coding.strip().lower() != "chunked":
        raise MalformedError("the body length is ambiguous")
    return _read_chunks(stream, most, take)


def _read_chunks(stream: BinaryIO, most: int, take: Callable[[int], None]) -> bytes:
    body = bytearray()
    while size := _parse_size(stream.readline(100).decode("latin-1").partition(";")[0], 16, most - len(body)):
        body += _read_exactly(stream, size, take)
        if stream.readline(100) != b"\r\n":
            raise MalformedError("a chunk of the body is not well formed")
    if stream.readline(100) != b"\r\n":
        raise MalformedError("trailers are not accepted")
    return bytes(body)


def _parse_size(text: str, base: int, most: int) -> int:
    if not _NUMBERS[base].fullmatch(text.strip()):
        raise MalformedError("the body length is not a number")
    if (size := int(text, base)) > most:
        raise TooLargeError("the body is too large")
    return size


def _read_exactly(stream: BinaryIO, size: int, take: Callable[[int], None]) -> bytes:
    take(size)
    content = stream.read(size)
    if len(content) < size:
        raise MalformedError("the body ends too early")
    return content


_LINGER_S = 1.0
_NO_SERVER = socketserver.BaseServer(("", 0), socketserver.BaseRequestHandler)
"""The handler requires a server but never uses it: the gateway accepts connections itself."""


class BoxRequest(BaseHTTPRequestHandler):
    """One connection from the box. Writing to a box that hung up is not an error: it only sets `has_hung_up`.

    `attend` reads the `body` of each request, and answers with `fail`, `answer`, or `begin`, `part` and `end`. `error`
    formats a failure like the vendor, so that the agent's CLI understands it.
    """

    protocol_version = "HTTP/1.1"
    has_hung_up = False

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
        """Print nothing: what a box sends must not reach our terminal."""

    def version_string(self) -> str:
        return "reknit"

    def _handle_request(self) -> None:
        try:
            self._handle(self)
        except MalformedError as problem:
            self.fail(problem.status, str(problem))
            self.hang_up()
        finally:
            self._memory.release(self._held)
            self._held = self._read = 0

    # http.server looks methods up by these names
    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = _handle_request  # noqa: N815, RUF100
    do_DELETE = do_OPTIONS = do_CONNECT = do_TRACE = _handle_request  # noqa: N815, RUF100

    def body(self, most: int) -> bytes:
        """Read the body; call it once per request. Its memory is released after the request is answered."""
        return read_body(cast(BinaryIO, self.rfile), self.headers, most, self._reserve_memory)

    def _reserve_memory(self, size: int) -> None:
        """Reserve memory for a large body. Small ones need none, so that large ones cannot block them."""
        self._read += size
        more = max(0, self._read - MAX_STRANGERS_BODY) - self._held
        self._memory.take(more)
        self._held += more

    def hang_up(self) -> None:
        """Close the connection, after reading incoming data for up to a second: otherwise the answer could be lost."""
        self.close_connection = True
        ends_at = time.monotonic() + _LINGER_S
        with self._note_hang_up():
            self.connection.settimeout(_LINGER_S)
            self.connection.shutdown(socket.SHUT_WR)
            while self.connection.recv(65536) and time.monotonic() < ends_at:
                pass

    @contextlib.contextmanager
    def _note_hang_up(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self.has_hung_up = self.close_connection = True

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
        with self._note_hang_up():
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        with self._note_hang_up():
            self.end_headers()

    def part(self, content: bytes) -> None:
        if not content:
            return  # an empty chunk would end the body
        with self._note_hang_up():
            self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))

    def end(self) -> None:
        with self._note_hang_up():
            self.wfile.write(b"0\r\n\r\n")
