"""Bodies of requests from the box: each of a clear length, and all of them together within bounds."""

import threading
from collections.abc import Callable
from email.message import Message
from typing import BinaryIO

from reknit.core.gateway import MAX_BODIES


class Malformed(Exception):
    """The request cannot be read to its end, so the connection cannot be used again."""

    status = 403


class TooMuch(Malformed):
    """There is no room for it now."""

    status = 503


class Room:
    """What the bodies of all connections may take up at once."""

    def __init__(self, size: int = MAX_BODIES) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, size: int) -> None:
        with self._lock:
            if size > self._left:
                raise TooMuch("too much is sent at once")
            self._left -= size

    def give_back(self, size: int) -> None:
        with self._lock:
            self._left += size


def read(stream: BinaryIO, headers: Message, most: int, take: Callable[[int], None]) -> bytes:
    """`take` is told each size before so much is read."""
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is None:
        return _exactly(stream, _size(length or "0", 10, most), take)
    if length is not None or coding.strip().lower() != "chunked":
        raise Malformed("the length of the body is not clear")
    return _chunks(stream, most, take)


def _chunks(stream: BinaryIO, most: int, take: Callable[[int], None]) -> bytes:
    body = bytearray()
    while size := _size(stream.readline(100).decode("latin-1").partition(";")[0], 16, most - len(body)):
        body += _exactly(stream, size, take)
        if stream.readline(100) != b"\r\n":
            raise Malformed("a chunk of the body is not well formed")
    if stream.readline(100) != b"\r\n":
        raise Malformed("trailers are not taken")
    return bytes(body)


def _size(text: str, base: int, most: int) -> int:
    try:
        size = int(text.strip(), base)
    except ValueError:
        raise Malformed("the length of the body is not a number") from None
    if not 0 <= size <= most:
        raise Malformed("the body is too large")
    return size


def _exactly(stream: BinaryIO, size: int, take: Callable[[int], None]) -> bytes:
    take(size)
    content = stream.read(size)
    if len(content) < size:
        raise Malformed("the body ends too early")
    return content
