"""Computes the backoff for rate-limited providers: for an account, and for a run that waits for it."""

import hashlib
from collections.abc import Iterable

from reknit.core.runs.limits import Limits

LONGEST_WAIT_S = 24 * 3600.0
"""A provider may name any time; after a day it is tried again anyway, and the number of waits is limited."""

_LONGEST_UNNAMED_S = 3600.0
_SPREAD, _WIDEST_S = 0.05, 20.0


def compute_rest_s(strikes: int) -> float:
    """Return the rest of an account if the provider named no time: it doubles with each refusal in a row."""
    return float(min(2 ** min(strikes, 20), _LONGEST_UNNAMED_S))


def compute_shortest_wait_s(
    times: Iterable[float | None], waits: int, limits: Limits, now: float, run_id: str
) -> float:
    """Return the wait if all agents are rate limited: the first one to become available ends it."""
    return min(compute_wait_s(until, waits, limits, now, run_id) for until in times)


def compute_wait_s(until: float | None, waits: int, limits: Limits, now: float, run_id: str) -> float:
    """Return the time until the provider's own time, if it named one; else the first wait, doubled up to an hour.

    Per-run jitter, never earlier: a thousand runs of one account must not all retry in the same second.
    """
    if until is None:
        return float(min(limits.wait_s * 2 ** min(waits, 20), _LONGEST_UNNAMED_S))
    named = min(max(until - now, 1.0), LONGEST_WAIT_S)
    place = hashlib.sha256(run_id.encode()).digest()[0] / 255
    return named + place * min(_SPREAD * named, _WIDEST_S)
