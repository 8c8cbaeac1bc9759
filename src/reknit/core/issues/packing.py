"""Packs workloads into batches of limited points and size, by first fit."""

import heapq
from collections.abc import Sequence


def pack_first_fit(workloads: Sequence[int], points: int, issues: int) -> list[list[int]]:
    """Pack workloads: each goes into the oldest batch that still has space for it.

    Open batches are kept in one heap per amount of free points, so that no workload scans every batch. A workload of
    at least `points` gets a batch of its own. Every workload is at least 1.
    """
    open_with: list[list[int]] = [[] for _ in range(points + 1)]
    batches: list[list[int]] = []
    for index, workload in enumerate(workloads):
        if workload >= points:
            batches.append([index])
            continue
        batch, capacity = _find_oldest(open_with, workload, points)
        if batch < 0:
            batch, capacity = len(batches), points
            batches.append([])
        else:
            heapq.heappop(open_with[capacity])
        batches[batch].append(index)
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
