"""Computes the backoff for rate-limited providers: for an account, and for a run that waits for it."""

import hashlib
from collections.abc import Iterable

from reknit.core.runs.limits import Limits

MAX_WAIT_S = 24 * 3600.0
"""A provider may name any time; after a day it is tried again anyway, and the number of waits is limited."""

_MAX_BACKOFF_S = 3600.0
_JITTER_SHARE, _MAX_JITTER_S = 0.05, 20.0


def compute_rest_s(strikes: int) -> float:
    """Return how long an account rests if its provider named no time: twice as long after each refusal in a row."""
    return float(min(2 ** min(strikes, 20), _MAX_BACKOFF_S))


def compute_shortest_wait_s(
    times: Iterable[float | None], waits: int, limits: Limits, now: float, run_id: str
) -> float:
    """Return the wait if all agents are rate limited: the first one to become available ends it."""
    return min(compute_wait_s(until, waits, limits, now, run_id) for until in times)


def compute_wait_s(until: float | None, waits: int, limits: Limits, now: float, run_id: str) -> float:
    """Return the wait until the time that the provider named; else the first wait, doubled up to an hour.

    Each run adds its own jitter, so that a thousand runs of one account do not all retry in the same second.
    """
    if until is None:
        return float(min(limits.wait_s * 2 ** min(waits, 20), _MAX_BACKOFF_S))
    wait_s = min(max(until - now, 1.0), MAX_WAIT_S)
    fraction = hashlib.sha256(run_id.encode()).digest()[0] / 255
    return wait_s + fraction * min(_JITTER_SHARE * wait_s, _MAX_JITTER_S)
