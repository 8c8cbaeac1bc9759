"""Time limits of tests, scaled by how slow the machine is when the tests start."""

import os
import time

USUAL_S = 0.12
"""Seconds that `_measure` takes on one quiet core of the machines on which the limits were chosen."""
MAX_FACTOR = 6.0


def _measure() -> float:
    began = time.perf_counter()
    for _ in range(3):
        sum(range(1_500_000))
        time.sleep(0)  # a busy machine runs others here
    return time.perf_counter() - began


def find_factor() -> float:
    """Return by how much limits are longer than written, at least 1. The load counts too: it lasts longer than this."""
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(MAX_FACTOR, max(1.0, _measure() / USUAL_S, waiting))


FACTOR = find_factor()


def scale(limit_s: float) -> float:
    """Return a time limit in seconds for this machine."""
    return limit_s * FACTOR
