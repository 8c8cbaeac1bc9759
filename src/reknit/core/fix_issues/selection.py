"""Selects the issues that a run may take, and packs them into batches of one agent call each."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from reknit.core.finding import Weight
from reknit.core.fix_issues.task import Batch
from reknit.core.gate.needed_waivers import CONFIG, TEST, NotAllowed, find_protecting_rules
from reknit.core.gate.waiver import Waivers, can_be_offered, render_options
from reknit.core.issues.model import Issue
from reknit.core.issues.packing import pack_first_fit
from reknit.core.planning.tasks import find_plan_topic
from reknit.core.repository.file_kinds import DeveloperKind
from reknit.core.runs.limits import IssueLimits

FILES_NAMED = 5
"""Maximum number of files in the waiver options that are offered."""
NO_WAIVERS = Waivers()
TASK_OF_A_PLAN = "of a plan, which only `reknit fix plan` takes"
_EXCLUSIONS = {
    TEST: "in tests, which a fix may not change",
    CONFIG: "in configuration, which a fix may not change",
}


@dataclass(frozen=True)
class Selection:
    """The issues of a run, and the number of those left out."""

    issues: tuple[Issue, ...]
    skip_counts: Mapping[str, int]
    """Number of issues left out, by reason."""
    not_allowed: NotAllowed
    """The excluded issues that a waiver of a person would let in."""


def explain_exclusion(issue: Issue, tracked: Collection[str], waivers: Waivers = NO_WAIVERS) -> str:
    """Return why no agent may work on the issue; empty: an agent may."""
    if find_plan_topic(issue.tools):
        return TASK_OF_A_PLAN
    if not issue.path:
        return "no file"
    if issue.path not in tracked:
        return "in a file that is not at HEAD"
    refusing = _list_refusing_rules(issue.path, waivers)
    return _EXCLUSIONS[refusing[0]] if refusing else ""


def choose_issues(
    issues: Iterable[Issue], tracked: Collection[str], most: int, waivers: Waivers = NO_WAIVERS
) -> Selection:
    """Choose the first issues that agents may work on, and count those skipped on the way."""
    issues_to_fix: list[Issue] = []
    skip_counts: Counter[str] = Counter()
    allowable_files: Counter[str] = Counter()
    for issue in issues:
        if len(issues_to_fix) >= most:
            break
        why = explain_exclusion(issue, tracked, waivers)
        if not why:
            issues_to_fix.append(issue)
            continue
        skip_counts[why] += 1
        if issue.path in tracked and _can_be_allowed(issue.path, waivers):
            allowable_files[issue.path] += 1
    offers = [(rule, path) for path in [*allowable_files][:FILES_NAMED] for rule in _list_refusing_rules(path, waivers)]
    options = tuple(render_options([offer]) for offer in offers)
    return Selection(
        tuple(issues_to_fix), skip_counts, NotAllowed(allowable_files.total(), len(allowable_files), options)
    )


def _list_refusing_rules(path: str, waivers: Waivers) -> list[str]:
    """Return the gate rules that refuse every change of the file, unless a waiver allows it."""
    return [rule for rule in find_protecting_rules(path) if rule in _EXCLUSIONS and not waivers.find_waiver(rule, path)]


def _can_be_allowed(path: str, waivers: Waivers) -> bool:
    return all(can_be_offered(rule, path, waivers) for rule in _list_refusing_rules(path, waivers))


WORST_FIRST: tuple[Weight, ...] = ("critical", "important", "minor")
_KINDS: tuple[DeveloperKind, ...] = get_args(DeveloperKind)
"""Kinds of batches in the order of work."""


def plan_batches(
    issues: Sequence[Issue], limits: IssueLimits, kind: Callable[[str], DeveloperKind]
) -> tuple[Batch, ...]:
    """Pack all issues into batches, by kind in the order of work. `kind`: the kind of a file."""
    issues_by_kind: dict[DeveloperKind, list[Issue]] = {batch_kind: [] for batch_kind in _KINDS}
    for issue in order_issues(issues):
        issues_by_kind[kind(issue.path)].append(issue)
    packed = [
        (batch_kind, [issues_by_kind[batch_kind][place] for place in places])
        for batch_kind in _KINDS
        for places in pack_first_fit(
            [one.workload for one in issues_by_kind[batch_kind]], limits.batch_points, limits.batch_issues
        )
    ]
    return tuple(
        Batch(number, batch_kind, tuple(one.id for one in batch), sum(one.workload for one in batch))
        for number, (batch_kind, batch) in enumerate(packed, 1)
    )


def batch_tasks(
    tasks: Sequence[Issue], kind: Callable[[str], DeveloperKind], limits: IssueLimits, alone: Collection[str]
) -> tuple[Batch, ...]:
    """Return the batches of a plan's tasks, in the plan's order. `kind`: the kind of a file.

    `alone`: titles of the tasks that have a batch of their own; others in a row share one within `limits`.
    """
    batches: list[Batch] = []
    may_join = False
    for task in tasks:
        batch, may_join = batches[-1] if may_join else None, task.message not in alone
        points = task.workload + (batch.points if batch else 0)
        if (
            batch and may_join and batch.kind == kind(task.path)
            and points <= limits.batch_points and len(batch.issues) < limits.batch_issues
        ):  # fmt: skip
            batches[-1] = replace(batch, issues=(*batch.issues, task.id), points=points)
        else:
            batches.append(Batch(len(batches) + 1, kind(task.path), (task.id,), task.workload))
    return tuple(batches)


def order_issues(issues: Sequence[Issue]) -> tuple[Issue, ...]:
    """Sort by file, so that issues of one file share a batch if they fit; files with the worst issues come first."""
    worst: dict[str, int] = {}
    for issue in issues:
        worst[issue.path] = min(WORST_FIRST.index(issue.weight), worst.get(issue.path, len(WORST_FIRST)))
    return tuple(sorted(issues, key=lambda issue: (worst[issue.path], issue.path, issue.line, issue.id)))
