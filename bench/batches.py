"""Batches of a million issues: how near to the fewest possible, and how the time grows with the issues."""

import random
import time
from collections.abc import Iterator, Sequence
from statistics import median

from reknit.core.issues.packing import pack_first_fit
from reknit.core.runs.limits import IssueLimits

ISSUES = 1_000_000
ROUNDS = 5
_LIMITS = IssueLimits()


def cases() -> Iterator[tuple[str, float, float]]:
    """(what is measured, the ratio, the most it may be)."""
    workloads = mixed(ISSUES)
    made, least = len(_packed(workloads)), lower_bound(workloads, _LIMITS.batch_points, _LIMITS.batch_issues)
    yield f"batches of {ISSUES:,} issues / lower bound", made / least, 1.05
    ratios = [_seconds(workloads[:200_000]) / _seconds(workloads[:20_000]) for _ in range(ROUNDS)]
    yield f"time of 200k issues / of 20k, median of {ROUNDS}", median(ratios), 15.0


def mixed(count: int, seed: int = 3) -> list[int]:
    """Most are small, 6 in 100 stand alone, 4.5 points on average."""
    chance = random.Random(seed)  # noqa: S311 - the same every time
    efforts, files = (1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 5), (1, 1, 1, 1, 1, 1, 2, 2, 3, 5)
    return [chance.choice(efforts) * chance.choice(files) for _ in range(count)]


def lower_bound(workloads: Sequence[int], points: int, issues: int) -> int:
    """Fewer batches than this nobody can make: each that stands alone, and the rest by points or by number."""
    small = [workload for workload in workloads if workload < points]
    return len(workloads) - len(small) + max(-(-sum(small) // points), -(-len(small) // issues))


def _packed(workloads: Sequence[int]) -> list[list[int]]:
    return pack_first_fit(workloads, _LIMITS.batch_points, _LIMITS.batch_issues)


def _seconds(workloads: Sequence[int]) -> float:
    begun = time.process_time()
    _packed(workloads)
    return time.process_time() - begun
