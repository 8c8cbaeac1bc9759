"""Limits on unverified webhook requests (connections, time and bytes), and the log of refused ones."""

import contextlib
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class RequestLimits:
    """Limits on requests; sizes are in bytes."""

    connections: int = 256
    total_s: float = 10.0
    """Maximum seconds from the connection to the last byte of the body; GitHub itself waits no longer for an answer."""
    headers: int = 16 << 10
    body: int = 4 << 20
    """GitHub may send 25 MB; events that concern a run are about 30 KB."""
    small_body: int = 32 << 10
    """This much of each body is always accepted; the rest shares `held`."""
    held_bytes: int = 16 << 20


@dataclass(eq=False)
class UnverifiedConnection:
    """One connection whose request is not verified yet."""

    connection: socket.socket
    deadline: float
    cut: tuple[int, str] | None = None
    """The status and the reason, if the server cut it."""


class Connections:
    """The connections whose request is not verified yet."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._visits: dict[UnverifiedConnection, None] = {}
        self._lock = threading.Lock()

    def add(self, visit: UnverifiedConnection) -> None:
        """Add a connection. If there are too many, cut the oldest: a forge finishes within milliseconds."""
        with self._lock:
            if len(self._visits) >= self._most:
                self._cut(next(iter(self._visits)), (503, "too many connections"))
            self._visits[visit] = None

    def remove(self, visit: UnverifiedConnection) -> None:
        with self._lock:
            self._visits.pop(visit, None)

    def cut_late(self, now: float) -> None:
        with self._lock:
            for visit in [open_visit for open_visit in self._visits if open_visit.deadline <= now]:
                self._cut(visit, (408, "the request took too long"))

    def _cut(self, visit: UnverifiedConnection, why: tuple[int, str]) -> None:
        """Cut a connection: its thread can read no more, but can still answer."""
        del self._visits[visit]
        visit.cut = why
        with contextlib.suppress(OSError):
            visit.connection.shutdown(socket.SHUT_RD)


LINES_PER_WINDOW = 10
WINDOW_S = 60.0


class Refusals:
    """The log of refused requests: one short line each, at most ten per minute, and how many were left out."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.count = 0
        self._say = say
        self._said = self._left_out = 0
        self._ends_at = 0.0
        self._lock = threading.Lock()

    def note(self, source: str, status: int, why: str, *, now: float) -> None:
        """`why` must be our own text: nothing that a stranger sent belongs in a log."""
        self.flush(now=now)
        with self._lock:
            self.count += 1
            if self._said >= LINES_PER_WINDOW:
                self._left_out += 1
                return
            if not self._said:
                self._ends_at = now + WINDOW_S
            self._said += 1
        self._say(f"refused a request from {source}: {status}, {why}")

    def flush(self, *, now: float) -> None:
        """Report how many were left out, once their minute is over."""
        with self._lock:
            if now < self._ends_at:
                return
            left_out, self._left_out, self._said = self._left_out, 0, 0
        if left_out:
            self._say(f"refused {left_out} more requests ({self.count} in all)")
