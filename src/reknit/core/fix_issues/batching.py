"""Puts issues into batches for one agent call each: so many points and so many issues at most, first come first fit."""

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
"""In the order of work."""


def plan(issues: Sequence[Issue], limits: IssueLimits, kind: Callable[[str], Kind]) -> tuple[Batch, ...]:
    """Every backend batch, then every frontend batch. All the issues: how many a run takes is for its caller to say."""
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
    """File by file, so that issues of one file tend to stand together; files with the worst issues first."""
    worst: dict[str, int] = {}
    for issue in issues:
        worst[issue.path] = min(_rank(issue), worst.get(issue.path, len(WORST_FIRST)))
    return tuple(sorted(issues, key=lambda issue: (worst[issue.path], issue.path, issue.line, issue.id)))


def first_fit(workloads: Sequence[int], points: int, issues: int) -> list[list[int]]:
    """Batches of places in `workloads`, each put into the oldest batch that still has room for it.

    Only so many different amounts of room exist as a batch has points: open batches wait in one heap for each, so no
    issue looks at every batch. A workload that fills a batch stands alone. Every workload is at least 1.
    """
    open_with: list[list[int]] = [[] for _ in range(points + 1)]
    batches: list[list[int]] = []
    for place, workload in enumerate(workloads):
        if workload >= points:
            batches.append([place])
            continue
        batch, room = _oldest(open_with, workload, points)
        if batch < 0:
            batch, room = len(batches), points
            batches.append([])
        else:
            heapq.heappop(open_with[room])
        batches[batch].append(place)
        if room > workload and len(batches[batch]) < issues:
            heapq.heappush(open_with[room - workload], batch)
    return batches


def _oldest(open_with: Sequence[Sequence[int]], workload: int, points: int) -> tuple[int, int]:
    """(batch, its room); -1: none has the room."""
    batch, room = -1, 0
    for amount in range(workload, points + 1):
        heap = open_with[amount]
        if heap and (batch < 0 or heap[0] < batch):
            batch, room = heap[0], amount
    return batch, room


def _rank(issue: Issue) -> int:
    return WORST_FIRST.index(issue.weight)
