"""The stream on which a command in a box reports results: what has arrived here can no longer be changed there.

A socket, not a file or a pipe: no other process of the box can open it by a path, not even below `/proc`.
"""

import contextlib
import fcntl
import secrets
import socket
import threading

MOST_BYTES = 64_000_000
_LOWEST, _NUMBERS = 300, 500
"""Of the descriptor. node closes the lower ones in the programs it starts, so they would not pass through `npx`."""
_CHUNK_BYTES = 1 << 16
_END_S = 10.0


class ResultStream:
    """`box_fd` is passed to the command; the caller that starts it closes it here."""

    def __init__(self, key: str) -> None:
        """`key`: the first line that whoever reports reads from the stream; it is in no argument and no file."""
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
            while data := self._host_end.recv(_CHUNK_BYTES):
                self._kept += data[: MOST_BYTES - len(self._kept)]

    def received(self) -> bytes:
        """To be asked when the command has ended. Outside a sandbox, a process of it may still hold the other end."""
        with contextlib.suppress(OSError):
            self._host_end.shutdown(socket.SHUT_RDWR)
        self._reader.join(_END_S)
        return bytes(self._kept)

    def close(self) -> None:
        self._host_end.close()
