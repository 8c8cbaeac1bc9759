"""Reads and writes the pipes of a supervised command, and receives its results. Memory is bounded; nothing blocks."""

import contextlib
import fcntl
import os
import secrets
import socket
import threading
from collections.abc import Callable
from typing import IO

from reknit.adapters import process

_CHUNK_BYTES = 64 * 1024
_DRAIN_READS = 64


class StreamReader:
    """A pipe that is read as data arrives; subclasses decide in `keep` which data they store."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self.fd = process.unblock(pipe)
        self.data = bytearray()
        self.total_bytes = 0

    def read(self) -> int | None:
        """Return the number of bytes read; 0 at the end of the stream, None if there is nothing yet."""
        try:
            data = os.read(self.fd, _CHUNK_BYTES)
        except BlockingIOError:
            return None
        self.total_bytes += len(data)
        self.keep(data)
        return len(data)

    def keep(self, data: bytes) -> None:
        raise NotImplementedError

    def drain(self) -> None:
        """Read the rest of the pipe; bounded, because outside a box a surviving process could write forever."""
        for _ in range(_DRAIN_READS):
            if not self.read():
                return


class Head(StreamReader):
    """The beginning of a pipe's data, copied to a file as it arrives."""

    def __init__(self, pipe: IO[bytes] | None, limit: int, copy: IO[bytes] | None) -> None:
        super().__init__(pipe)
        self._limit, self._copy = limit, copy

    def keep(self, data: bytes) -> None:
        fresh = data[: max(0, self._limit - len(self.data))]
        self.data += fresh
        if self._copy is not None and fresh:
            self._copy.write(fresh)


class Tail(StreamReader):
    """The end of a pipe's data."""

    def __init__(self, pipe: IO[bytes] | None, limit: int) -> None:
        super().__init__(pipe)
        self._limit = limit

    def keep(self, data: bytes) -> None:
        self.data += data
        del self.data[: -self._limit]


class Feed:
    """The data for a command's stdin, written as fast as the command reads; the pipe is closed afterwards."""

    def __init__(self, pipe: IO[bytes] | None, data: bytes) -> None:
        self.fd = process.unblock(pipe)
        self._pipe, self._unsent = pipe, memoryview(data)

    def write(self) -> bool:
        """Write as much as possible. Return True if there is more to write; False if the command closed its stdin."""
        try:
            self._unsent = self._unsent[os.write(self.fd, self._unsent[:_CHUNK_BYTES]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        return len(self._unsent) > 0

    def write_first(self, word: bytes) -> None:
        """Write a few bytes before the data."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.fd, word)

    def close(self) -> None:
        if self._pipe is not None:
            self._pipe.close()


MAX_KEPT_BYTES = 64_000_000
_LOWEST, _NUMBERS = 300, 500
"""Range of the descriptor. node closes lower ones in the programs it starts, so they would not pass through `npx`."""
_RECEIVE_BYTES = 1 << 16
_END_S = 10.0


class ResultStream:
    """The stream of test results from a command in a box, which cannot change a result that it has sent.

    `box_fd` goes to the command; the caller that starts the command closes it.
    """

    def __init__(self, key: str, listener: Callable[[bytes], None] | None = None) -> None:
        """`key`: the first line that the reporter reads from the stream; it is in no argument and no file."""
        self._listener = listener
        self._host_end, box_end = socket.socketpair()
        self._host_end.sendall(key.encode() + b"\n")
        with box_end:
            self.box_fd = fcntl.fcntl(box_end, fcntl.F_DUPFD_CLOEXEC, _LOWEST + secrets.randbelow(_NUMBERS))
        self._kept = bytearray()
        self._reader = threading.Thread(target=self._read, name="reknit-results", daemon=True)

    def listen(self) -> None:
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(ConnectionResetError):  # the command ended without reading the key
            while data := self._host_end.recv(_RECEIVE_BYTES):
                self._kept += data[: MAX_KEPT_BYTES - len(self._kept)]
                if self._listener:
                    self._listener(data)

    def read_results(self) -> bytes:
        """Return the results; call it after the command has ended.

        Without a sandbox, a process of the command may still live and hold the other end, so close the stream first.
        """
        with contextlib.suppress(OSError):
            self._host_end.shutdown(socket.SHUT_RDWR)
        self._reader.join(_END_S)
        return bytes(self._kept)

    def close(self) -> None:
        self._host_end.close()
