"""The three pipes of a supervised command: bounded in memory, fully counted, never blocking."""

import contextlib
import os
from typing import IO

_CHUNK_BYTES = 64 * 1024
_DRAIN_READS = 64


class StreamReader:
    """Reads what is available on a pipe and passes it to `keep`."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self.fd = _unblocked(pipe)
        self.kept = bytearray()
        self.seen = 0

    def read(self) -> int | None:
        """Number of bytes read; 0 at the end of the stream, None if there is nothing yet."""
        try:
            data = os.read(self.fd, _CHUNK_BYTES)
        except BlockingIOError:
            return None
        self.seen += len(data)
        self.keep(data)
        return len(data)

    def keep(self, data: bytes) -> None:
        raise NotImplementedError

    def drain(self) -> None:
        """Read what is left in the pipe; bounded, because outside a box a surviving process could write forever."""
        for _ in range(_DRAIN_READS):
            if not self.read():
                return


class Head(StreamReader):
    """Keeps the beginning, and copies it to a file as it arrives."""

    def __init__(self, pipe: IO[bytes] | None, limit: int, copy: IO[bytes] | None) -> None:
        super().__init__(pipe)
        self._limit, self._copy = limit, copy

    def keep(self, data: bytes) -> None:
        fresh = data[: max(0, self._limit - len(self.kept))]
        self.kept += fresh
        if self._copy is not None and fresh:
            self._copy.write(fresh)


class Tail(StreamReader):
    """Keeps the end."""

    def __init__(self, pipe: IO[bytes] | None, limit: int) -> None:
        super().__init__(pipe)
        self._limit = limit

    def keep(self, data: bytes) -> None:
        self.kept += data
        del self.kept[: -self._limit]


class Feed:
    """Writes to a command's stdin as fast as it reads, then closes it."""

    def __init__(self, pipe: IO[bytes] | None, data: bytes) -> None:
        self.fd = _unblocked(pipe)
        self._pipe, self._left = pipe, memoryview(data)

    def write(self) -> bool:
        """Whether there is more to write. If the reader has gone away, there is not."""
        try:
            self._left = self._left[os.write(self.fd, self._left[:_CHUNK_BYTES]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        return len(self._left) > 0

    def say(self, word: bytes) -> None:
        """Write a few bytes before the data."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.fd, word)

    def close(self) -> None:
        if self._pipe is not None:
            self._pipe.close()


def _unblocked(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise ValueError("the child was started without its pipes")
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()
