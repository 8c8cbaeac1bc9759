"""Selects the issues that a run may take, and packs them into batches of one agent call each."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
"""Maximum number of files in the options that would let more issues in."""
NO_WAIVERS = Waivers()
TASK_OF_A_PLAN = "of a plan, which only `reknit variant` takes"
_WHY = {
    TEST: "in tests, which a fix may not change",
    CONFIG: "in configuration, which a fix may not change",
}


@dataclass(frozen=True)
class Selection:
    """The issues of a run, and those left out by reason."""

    issues: tuple[Issue, ...]
    skip_counts: Mapping[str, int]
    """Number of issues left out, by reason."""
    not_allowed: NotAllowed
    """Those among them that a person can let in."""


def explain_exclusion(issue: Issue, tracked: Collection[str], waivers: Waivers = NO_WAIVERS) -> str:
    """Return why no agent may work on the issue; empty: one may."""
    if find_plan_topic(issue.tools):
        return TASK_OF_A_PLAN
    if not issue.path:
        return "no file"
    if issue.path not in tracked:
        return "in a file that is not at HEAD"
    refusing = _list_refusing_rules(issue.path, waivers)
    return _WHY[refusing[0]] if refusing else ""


def choose_issues(
    issues: Iterable[Issue], tracked: Collection[str], most: int, waivers: Waivers = NO_WAIVERS
) -> Selection:
    """Choose the first issues that may be taken, and count those skipped before the run was full."""
    issues_to_fix: list[Issue] = []
    skip_counts: Counter[str] = Counter()
    by_file: Counter[str] = Counter()
    for issue in issues:
        if len(issues_to_fix) >= most:
            break
        why = explain_exclusion(issue, tracked, waivers)
        if not why:
            issues_to_fix.append(issue)
            continue
        skip_counts[why] += 1
        if issue.path in tracked and _can_be_allowed(issue.path, waivers):
            by_file[issue.path] += 1
    offers = [(rule, path) for path in [*by_file][:FILES_NAMED] for rule in _list_refusing_rules(path, waivers)]
    options = tuple(render_options([each]) for each in offers)
    return Selection(tuple(issues_to_fix), skip_counts, NotAllowed(by_file.total(), len(by_file), options))


def _list_refusing_rules(path: str, waivers: Waivers) -> list[str]:
    """Return the gate rules that refuse every change of the file, unless a waiver allows it."""
    return [rule for rule in find_protecting_rules(path) if rule in _WHY and not waivers.find_waiver(rule, path)]


def _can_be_allowed(path: str, waivers: Waivers) -> bool:
    return all(can_be_offered(rule, path, waivers) for rule in _list_refusing_rules(path, waivers))


WORST_FIRST: tuple[Weight, ...] = ("critical", "important", "minor")
_KINDS: tuple[DeveloperKind, ...] = get_args(DeveloperKind)
"""Kinds of batches in the order of work."""


def plan_batches(
    issues: Sequence[Issue], limits: IssueLimits, kind: Callable[[str], DeveloperKind]
) -> tuple[Batch, ...]:
    """Pack all issues: backend batches first, then frontend. The caller limits how many a run takes."""
    of_kind: dict[DeveloperKind, list[Issue]] = {word: [] for word in _KINDS}
    for issue in order_issues(issues):
        of_kind[kind(issue.path)].append(issue)
    packed = [
        (word, [of_kind[word][place] for place in places])
        for word in _KINDS
        for places in pack_first_fit([one.workload for one in of_kind[word]], limits.batch_points, limits.batch_issues)
    ]
    return tuple(
        Batch(number, word, tuple(one.id for one in batch), sum(one.workload for one in batch))
        for number, (word, batch) in enumerate(packed, 1)
    )


def order_issues(issues: Sequence[Issue]) -> tuple[Issue, ...]:
    """Sort by file, so that issues of one file tend to share a batch; files with the worst issues first."""
    worst: dict[str, int] = {}
    for issue in issues:
        worst[issue.path] = min(_rank_weight(issue), worst.get(issue.path, len(WORST_FIRST)))
    return tuple(sorted(issues, key=lambda issue: (worst[issue.path], issue.path, issue.line, issue.id)))


def _rank_weight(issue: Issue) -> int:
    return WORST_FIRST.index(issue.weight)
