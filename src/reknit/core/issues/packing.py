"""Packs workloads into batches: first fit, limited in points and in number."""

import heapq
from collections.abc import Sequence


def pack_first_fit(workloads: Sequence[int], points: int, issues: int) -> list[list[int]]:
    """Pack workloads: each goes into the oldest batch that still has space for it.

    A batch has at most `points` different amounts of free space: open batches are kept in one heap per amount, so no
    issue scans every batch. A workload that fills a batch gets its own. Every workload is at least 1.
    """
    open_with: list[list[int]] = [[] for _ in range(points + 1)]
    batches: list[list[int]] = []
    for place, workload in enumerate(workloads):
        if workload >= points:
            batches.append([place])
            continue
        batch, capacity = _find_oldest(open_with, workload, points)
        if batch < 0:
            batch, capacity = len(batches), points
            batches.append([])
        else:
            heapq.heappop(open_with[capacity])
        batches[batch].append(place)
        if capacity > workload and len(batches[batch]) < issues:
            heapq.heappush(open_with[capacity - workload], batch)
    return batches


def _find_oldest(open_with: Sequence[Sequence[int]], workload: int, points: int) -> tuple[int, int]:
    """Return the oldest batch with enough space, and its space; -1: there is none."""
    batch, capacity = -1, 0
    for amount in range(workload, points + 1):
        heap = open_with[amount]
        if heap and (batch < 0 or heap[0] < batch):
            batch, capacity = heap[0], amount
    return batch, capacity
