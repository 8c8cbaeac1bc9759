"""Limits on what webhook requests may use before they are verified: connections, time and bytes."""

import contextlib
import socket
import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class RequestLimits:
    connections: int = 256
    total_s: float = 10.0
    """From the connection to the last byte of the body. GitHub itself waits no longer for an answer."""
    headers: int = 16 << 10
    body: int = 4 << 20
    """GitHub may send 25 MB; events that concern a run are about 30 KB."""
    small_body: int = 32 << 10
    """This much of each body is always accepted; the rest shares `held`."""
    held: int = 16 << 20


@dataclass(eq=False)
class UnverifiedConnection:
    """One connection whose request is not verified yet."""

    connection: socket.socket
    deadline: float
    cut: tuple[int, str] | None = None
    """The status and the reason, if the server cut it."""


class Connections:
    def __init__(self, most: int) -> None:
        self._most = most
        self._visits: dict[UnverifiedConnection, None] = {}
        self._lock = threading.Lock()

    def add(self, visit: UnverifiedConnection) -> None:
        """If there are too many, cut the oldest: a forge finishes within milliseconds, a slow sender does not."""
        with self._lock:
            if len(self._visits) >= self._most:
                self._cut(next(iter(self._visits)), (503, "too many connections"))
            self._visits[visit] = None

    def remove(self, visit: UnverifiedConnection) -> None:
        with self._lock:
            self._visits.pop(visit, None)

    def cut_late(self, now: float) -> None:
        with self._lock:
            for visit in [each for each in self._visits if each.deadline <= now]:
                self._cut(visit, (408, "the request took too long"))

    def _cut(self, visit: UnverifiedConnection, why: tuple[int, str]) -> None:
        """Its thread can read no more, but can still answer."""
        del self._visits[visit]
        visit.cut = why
        with contextlib.suppress(OSError):
            visit.connection.shutdown(socket.SHUT_RD)
