"""Packs issues into batches, one agent call each: first fit, limited in points and in number of issues."""

import heapq
from collections.abc import Callable, Sequence
from typing import get_args

from reknit.core.finding import Weight
from reknit.core.issues.model import Issue
from reknit.core.repository.routing import Kind
from reknit.core.runs.limits import IssueLimits
from reknit.core.runs.spec import Batch

WORST_FIRST: tuple[Weight, ...] = ("critical", "important", "minor")
_KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which they are worked on."""


def plan(issues: Sequence[Issue], limits: IssueLimits, kind: Callable[[str], Kind]) -> tuple[Batch, ...]:
    """All backend batches, then all frontend batches. Covers every issue: the caller limits how many a run takes."""
    of_kind: dict[Kind, list[Issue]] = {word: [] for word in _KINDS}
    for issue in in_order(issues):
        of_kind[kind(issue.path)].append(issue)
    packed = [
        (word, [of_kind[word][place] for place in places])
        for word in _KINDS
        for places in first_fit([one.workload for one in of_kind[word]], limits.batch_points, limits.batch_issues)
    ]
    return tuple(
        Batch(number, word, tuple(one.id for one in batch), sum(one.workload for one in batch))
        for number, (word, batch) in enumerate(packed, 1)
    )


def in_order(issues: Sequence[Issue]) -> tuple[Issue, ...]:
    """By file, so that issues of one file tend to share a batch; files with the worst issues first."""
    worst: dict[str, int] = {}
    for issue in issues:
        worst[issue.path] = min(_rank(issue), worst.get(issue.path, len(WORST_FIRST)))
    return tuple(sorted(issues, key=lambda issue: (worst[issue.path], issue.path, issue.line, issue.id)))


def first_fit(workloads: Sequence[int], points: int, issues: int) -> list[list[int]]:
    """Batches of indexes into `workloads`, each added to the oldest batch that still has space for it.

    A batch has at most `points` different amounts of free space: open batches are kept in one heap per amount, so no
    issue scans every batch. A workload that fills a batch gets its own. Every workload is at least 1.
    """
    open_with: list[list[int]] = [[] for _ in range(points + 1)]
    batches: list[list[int]] = []
    for place, workload in enumerate(workloads):
        if workload >= points:
            batches.append([place])
            continue
        batch, capacity = _oldest(open_with, workload, points)
        if batch < 0:
            batch, capacity = len(batches), points
            batches.append([])
        else:
            heapq.heappop(open_with[capacity])
        batches[batch].append(place)
        if capacity > workload and len(batches[batch]) < issues:
            heapq.heappush(open_with[capacity - workload], batch)
    return batches


def _oldest(open_with: Sequence[Sequence[int]], workload: int, points: int) -> tuple[int, int]:
    """(batch, its free space); -1: none has enough space."""
    batch, capacity = -1, 0
    for amount in range(workload, points + 1):
        heap = open_with[amount]
        if heap and (batch < 0 or heap[0] < batch):
            batch, capacity = heap[0], amount
    return batch, capacity


def _rank(issue: Issue) -> int:
    return WORST_FIRST.index(issue.weight)
