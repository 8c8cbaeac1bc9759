"""Handles one connection from a set-up's box: forwards each request to a registry of the user, or refuses it."""

import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer

from reknit.adapters.setup.upstream import Upstreams
from reknit.core.setup.registries import (
    AnswerFilter,
    Origin,
    Refused,
    Registry,
    find_registry,
    list_hidden_parts,
    read_connect,
    read_target,
    restore_parts,
    to_answer_filter,
)

IDLE_S = 120.0
MAX_BODY_BYTES = 2 << 30
MAX_TOTAL_BYTES = 16 << 30
_CHUNK_BYTES = 1 << 16
_MAX_NOTES = 50
_REQUEST_HEADERS = ("accept", "user-agent", "range", "if-none-match", "if-modified-since")
"""Headers of the box that a registry gets; no cookie and no login of its own."""
_ANSWER_HEADERS = (
    "content-type", "content-encoding", "content-range", "accept-ranges", "etag", "last-modified", "cache-control",
    "location", "retry-after",
)  # fmt: skip


@dataclass
class ProxyRecord:
    """Requests of one set-up, and their problems."""

    requests: int = 0
    bytes: int = 0
    refused: list[str] = field(default_factory=list)
    """Hosts that the box requested and that are no registries."""
    problems: list[str] = field(default_factory=list)
    """Registries that did not answer."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, texts: list[str], text: str) -> None:
        with self.lock:
            if text not in texts and len(texts) < _MAX_NOTES:
                texts.append(text)

    def count(self, amount: int, *, requests: int = 0) -> bool:
        """Count an amount of data. Return False if the set-up has fetched more than it may."""
        with self.lock:
            self.requests += requests
            self.bytes += amount
            return self.bytes <= MAX_TOTAL_BYTES


class BoxExchange(BaseHTTPRequestHandler):
    """A connection that reads requests like a proxy and forwards them to registries."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def __init__(
        self, connection: socket.socket, registries: Sequence[Registry], upstreams: Upstreams, record: ProxyRecord,
        get_tls_context: Callable[[str], ssl.SSLContext],
    ) -> None:  # fmt: skip
        """`get_tls_context`: returns TLS settings with a certificate for a host."""
        self._registries, self._upstreams, self._record = registries, upstreams, record
        self._get_tls_context = get_tls_context
        self._tunnel: Origin | None = None
        self._has_begun = False
        super().__init__(connection, ("box", 0), BaseServer(("box", 0), BaseHTTPRequestHandler))

    def parse_request(self) -> bool:
        """Refuse ambiguous headers: a registry may read a folded line as another header."""
        if not super().parse_request():
            return False
        if self.headers.defects or not all(value.isprintable() for value in self.headers.values()):
            self.send_error(400)
            return False
        return True

    def do_GET(self) -> None:
        self._handle_request()

    def do_HEAD(self) -> None:
        self._handle_request()

    def do_CONNECT(self) -> None:
        """Speak TLS with the box, so that a login can be added; only for registries."""
        origin = read_connect(self.path)
        if origin is None or self._tunnel is not None:
            self.send_error(400)
            return
        if isinstance(refused := find_registry(origin, "/", self._registries), Refused):
            self._refuse(refused.host)
            return
        self.send_response_only(200)
        self.end_headers()
        self.connection = self._get_tls_context(origin.host).wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)
        self._tunnel, self.close_connection = origin, False

    def finish(self) -> None:
        super().finish()
        if self._tunnel is not None:
            self.connection.close()

    def log_message(self, *_: object) -> None:
        """Print nothing: a path could have a login in it."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send an error. The library calls this too, for requests that it cannot read or does not allow."""
        self.close_connection = True
        text = f"reknit: {explain or message or 'this request is not allowed in a set-up'}\n".encode()
        self.send_response_only(code)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def _handle_request(self) -> None:
        self._has_begun = False
        target = read_target(self.path, self._tunnel)
        has_body = any(length != "0" for length in self.headers.get_all("Content-Length", []))
        if target is None or has_body or "Transfer-Encoding" in self.headers:
            self.send_error(400)
            return
        origin = target[0]
        path = restore_parts(target[1], list_hidden_parts(origin, self._registries))
        answer_filter = to_answer_filter(origin, self._registries, self._upstreams.proxy_login(origin))
        registry = find_registry(origin, path, self._registries)
        if isinstance(registry, Refused):
            self._refuse(registry.host)
            return
        if not self._record.count(0, requests=1):
            self.send_error(403, explain="the set-up has fetched more than it may")
            return
        names = (
            name for name in _REQUEST_HEADERS if not (answer_filter.is_needed and name == "range")
        )  # the filter would not recognise a part of a login
        headers = {name: value for name in names if (value := self.headers.get(name))}
        headers |= {"Authorization": registry.login} if registry.login else {}
        try:
            with self._upstreams.answer(self.command, origin, path, headers) as answer:
                if answer_filter.is_needed and answer.headers.get("content-encoding", "identity") != "identity":
                    raise HTTPException("its answer is compressed, and could have a login in it")
                self._forward(answer, answer_filter)
        except (OSError, HTTPException) as problem:
            words = answer_filter.hide(str(problem).encode("utf-8", "replace")).decode() or type(problem).__name__
            self._record.note(self._record.problems, f"{origin}: {words}")
            if self._has_begun:
                self.close_connection = True  # the client sees that the end is missing
            else:
                self.send_error(502, explain=f"{origin} did not answer")

    def _refuse(self, host: str) -> None:
        self._record.note(self._record.refused, host)
        self.send_error(403, explain=f"{host} is not one of your package registries")

    def _forward(self, answer: HTTPResponse, answer_filter: AnswerFilter) -> None:
        values = {name: value for name in _ANSWER_HEADERS if (value := answer.headers.get(name))}
        if not all(value.isprintable() for value in values.values()):
            raise HTTPException("its answer has a folded header")
        self._has_begun = True
        self.send_response_only(answer.status)
        for name, value in values.items():
            self.send_header(name, answer_filter.hide(value.encode("latin-1", "replace")).decode("latin-1"))
        # clients use HEAD to learn the length of a file, which the library does not read from such an answer
        length = answer.length if self.command != "HEAD" else _parse_number(answer.headers.get("content-length", ""))
        has_body = self.command != "HEAD" and answer.status not in (204, 304)
        if length is not None:
            self.send_header("Content-Length", str(length))
        elif has_body:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if has_body:
            self._forward_body(answer, answer_filter, is_chunked=length is None)

    def _forward_body(self, answer: HTTPResponse, answer_filter: AnswerFilter, *, is_chunked: bool) -> None:
        sent_bytes, pieces = 0, iter(lambda: answer.read1(_CHUNK_BYTES), b"")
        for data in answer_filter.hide_in(pieces):
            sent_bytes += len(data)
            if sent_bytes > MAX_BODY_BYTES or not self._record.count(len(data)):
                self.close_connection = True  # the client sees that the end is missing
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if is_chunked else data)
        if is_chunked:
            self.wfile.write(b"0\r\n\r\n")


def _parse_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None
