"""Limits on requests whose sender is not verified yet, and the log of refused requests."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

Say = Callable[[str], None]


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
    """This much of each body is always accepted; the rest shares `held_bytes`."""
    held_bytes: int = 16 << 20


LINES_PER_WINDOW = 10
WINDOW_S = 60.0


class Refusals:
    """The log of refused requests: one short line each, at most ten per minute, and how many were left out."""

    def __init__(self, say: Say) -> None:
        self.count = 0
        self._say = say
        self._lines = self._left_out = 0
        self._ends_at = 0.0
        self._lock = threading.Lock()

    def note(self, source: str, status: int, why: str, *, now: float) -> None:
        """`why` must be our own text: nothing that a stranger sent belongs in a log."""
        self.flush(now=now)
        with self._lock:
            self.count += 1
            if self._lines >= LINES_PER_WINDOW:
                self._left_out += 1
                return
            if not self._lines:
                self._ends_at = now + WINDOW_S
            self._lines += 1
        self._say(f"refused a request from {source}: {status}, {why}")

    def flush(self, *, now: float) -> None:
        """Report how many were left out, once their minute is over."""
        with self._lock:
            if now < self._ends_at:
                return
            left_out, self._left_out, self._lines = self._left_out, 0, 0
        if left_out:
            self._say(f"refused {left_out} more requests ({self.count} in all)")
