"""The gateway's side to the model: one connection a request, to one host alone; redirects are never followed."""

import contextlib
import http.client
import socket
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import SplitResult, urlsplit

from reknit.core.errors import UsageProblem

_HELP = "set `upstream` to an http or https address, without a user or password in it"
_CONNECT_S = 20.0
_ANSWER_S = 600.0
_MAX_ERROR_BODY = 1 << 20

Hold = Callable[[socket.socket], contextlib.AbstractContextManager[None]]
"""Keeps a connection known to the gateway while it is open."""


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
    ) -> http.client.HTTPResponse:
        """`line`: method and target."""
        method, target = line
        # not compressed: the usage must be readable on its way through
        given = {**headers, "accept-encoding": "identity", "connection": "close"}
        if body:
            given["content-type"] = "application/json"
        connection.request(method, self._address.path + target, body or None, given)
        return connection.getresponse()


def parts(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """Whatever has come, as it comes. The length is watched here: before Python 3.11.8 `read1` waits beyond the end."""
    left = answer.length
    while left is None or left > 0:
        part = answer.read1(65536)
        if not part and left is not None:
            raise http.client.IncompleteRead(b"", left)
        if not part:
            return
        yield part
        left = None if left is None else left - len(part)


def error_body(answer: http.client.HTTPResponse) -> bytes:
    """As much of it as came and is worth reading."""
    body = bytearray()
    with contextlib.suppress(http.client.HTTPException, OSError):
        for part in parts(answer):
            body += part
            if len(body) > _MAX_ERROR_BODY:
                break
    return bytes(body[:_MAX_ERROR_BODY])


def _split(upstream: str) -> SplitResult:
    address = urlsplit(upstream.rstrip("/"))
    if address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc:
        # not shown: it may hold a password
        raise UsageProblem("bad-upstream", "the agent's upstream is no address of a model", help=_HELP)
    return address
