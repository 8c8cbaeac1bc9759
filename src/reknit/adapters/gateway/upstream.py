"""The gateway's connection to the model: one per request, to one host only; redirects are never followed."""

import contextlib
import http.client
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import SplitResult, urlsplit

from reknit.core.errors import UsageProblem
from reknit.core.gateway.policy import lower

_HELP = "set `upstream` to an http or https URL without a user name or password"
_CONNECT_S = 20.0
_ANSWER_S = 600.0
_MAX_ERROR_BODY = 1 << 20

Hold = Callable[[socket.socket], contextlib.AbstractContextManager[None]]
"""Registers a connection with the gateway while it is open."""


class Upstream:
    def __init__(self, address: str) -> None:
        self._address = _split(address)

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
        """`line`: method and target."""
        (method, target), its_socket = line, connection.sock
        # not compressed: the gateway must be able to read the usage in it
        given = {**headers, "accept-encoding": "identity", "connection": "close"}
        if body:
            given["content-type"] = "application/json"
        connection.request(method, self._address.path + target, body or None, given)
        return UpstreamResponse(connection.getresponse(), its_socket)


class UpstreamResponse:
    def __init__(self, response: http.client.HTTPResponse, its_socket: socket.socket) -> None:
        self._response, self._socket = response, its_socket
        self.status, self.headers = response.status, lower(response.getheaders())
        self._ends_at: float | None = None

    def close(self) -> None:
        self._response.close()

    def hurry(self, most_s: float) -> None:
        """Wait at most this much longer for its end. Only the first call counts."""
        if self._ends_at is None:
            self._ends_at = time.monotonic() + most_s

    def parts(self) -> Iterator[bytes]:
        """Yields data as it arrives. The length is checked here: before Python 3.11.8 `read1` waits past the end."""
        left = self._response.length
        while left is None or left > 0:
            try:
                part = self._next()
            except OSError as cut:
                raise http.client.IncompleteRead(b"", left) from cut
            if not part and left is not None:
                raise http.client.IncompleteRead(b"", left)
            if not part:
                return
            yield part
            left = None if left is None else left - len(part)

    def _next(self) -> bytes:
        if self._ends_at is not None:
            left_s = self._ends_at - time.monotonic()
            if left_s <= 0:
                raise TimeoutError("the answer did not end in time")
            self._socket.settimeout(left_s)
        return self._response.read1(65536)

    def error_body(self) -> bytes:
        """As much of it as arrived, up to a limit."""
        body = bytearray()
        with contextlib.suppress(http.client.HTTPException):
            for part in self.parts():
                body += part
                if len(body) > _MAX_ERROR_BODY:
                    break
        return bytes(body[:_MAX_ERROR_BODY])


def _split(upstream: str) -> SplitResult:
    address = urlsplit(upstream.rstrip("/"))
    if address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc:
        # the value is not shown: it may contain a password
        raise UsageProblem("bad-upstream", "the agent's upstream is not a valid address", help=_HELP)
    return address
