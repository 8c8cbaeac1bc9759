"""Backoff for rate-limited providers: how long an account rests, and how long a run waits for it."""

import hashlib
from collections.abc import Iterable

from reknit.core.runs.limits import Limits

LONGEST_WAIT_S = 24 * 3600.0
"""A provider may name any time; after a day it is tried again anyway, and the number of waits is limited."""

_LONGEST_UNNAMED_S = 3600.0
_SPREAD, _WIDEST_S = 0.05, 20.0


def rest_s(strikes: int) -> float:
    """How long an account rests if the provider named no time: doubles with each refusal in a row."""
    return float(min(2 ** min(strikes, 20), _LONGEST_UNNAMED_S))


def wait_for_first(times: Iterable[float | None], waits: int, limits: Limits, now: float, run_id: str) -> float:
    """If all agents are rate limited, the first one to become available ends the wait."""
    return min(wait_seconds(until, waits, limits, now, run_id) for until in times)


def wait_seconds(until: float | None, waits: int, limits: Limits, now: float, run_id: str) -> float:
    """Until the provider's own time if it named one; otherwise doubling from the first wait up to an hour.

    Per-run jitter, never earlier: a thousand runs of one account must not all retry in the same second.
    """
    if until is None:
        return float(min(limits.wait_s * 2 ** min(waits, 20), _LONGEST_UNNAMED_S))
    named = min(max(until - now, 1.0), LONGEST_WAIT_S)
    place = hashlib.sha256(run_id.encode()).digest()[0] / 255
    return named + place * min(_SPREAD * named, _WIDEST_S)
