"""Request bodies from the box: each has an unambiguous length, and their total size is bounded."""

import re
import threading
from collections.abc import Callable
from email.message import Message
from typing import BinaryIO

from reknit.core.gateway.policy import MAX_BODIES

_NUMBERS = {10: re.compile("[0-9]{1,20}"), 16: re.compile("[0-9a-fA-F]{1,16}")}


class Malformed(Exception):
    """The request cannot be read to its end, so the connection cannot be reused."""

    status = 403


class TooLarge(Malformed):
    """Part of the body was not read."""

    status = 413


class TooMuch(Malformed):
    """There is no memory left for it at the moment."""

    status = 503


class BodyMemory:
    """How much memory the bodies of all connections may use at once."""

    def __init__(self, size: int = MAX_BODIES) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, size: int) -> None:
        with self._lock:
            if size > self._left:
                raise TooMuch("too much data in flight")
            self._left -= size

    def give_back(self, size: int) -> None:
        with self._lock:
            self._left += size


def read(stream: BinaryIO, headers: Message, most: int, take: Callable[[int], None]) -> bytes:
    """`take` is called with each size before that many bytes are read."""
    codings, lengths = headers.get_all("transfer-encoding", []), headers.get_all("content-length", [])
    if len(codings) + len(lengths) > 1:
        raise Malformed("the body length is ambiguous")
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is None:
        return _exactly(stream, _size(length or "0", 10, most), take)
    if coding.strip().lower() != "chunked":
        raise Malformed("the body length is ambiguous")
    return _chunks(stream, most, take)


def _chunks(stream: BinaryIO, most: int, take: Callable[[int], None]) -> bytes:
    body = bytearray()
    while size := _size(stream.readline(100).decode("latin-1").partition(";")[0], 16, most - len(body)):
        body += _exactly(stream, size, take)
        if stream.readline(100) != b"\r\n":
            raise Malformed("a chunk of the body is not well formed")
    if stream.readline(100) != b"\r\n":
        raise Malformed("trailers are not accepted")
    return bytes(body)


def _size(text: str, base: int, most: int) -> int:
    if not _NUMBERS[base].fullmatch(text.strip()):
        raise Malformed("the body length is not a number")
    if (size := int(text, base)) > most:
        raise TooLarge("the body is too large")
    return size


def _exactly(stream: BinaryIO, size: int, take: Callable[[int], None]) -> bytes:
    take(size)
    content = stream.read(size)
    if len(content) < size:
        raise Malformed("the body ends too early")
    return content
