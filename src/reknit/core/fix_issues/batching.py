"""Packs issues into batches, one agent call each."""

from collections.abc import Callable, Sequence
from typing import get_args

from reknit.core.finding import Weight
from reknit.core.issues.model import Issue
from reknit.core.issues.packing import first_fit
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


def _rank(issue: Issue) -> int:
    return WORST_FIRST.index(issue.weight)
