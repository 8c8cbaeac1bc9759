"""Logs refused webhook requests: one short line each, at most ten per minute, and how many were left out."""

import threading
from collections.abc import Callable

LINES_PER_WINDOW = 10
WINDOW_S = 60.0


class Refusals:
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
