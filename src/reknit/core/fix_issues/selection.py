"""Which issues a run may take: those in files that exist in the commit and that a fix may change."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from reknit.core.gate.needed_waivers import NotAllowed
from reknit.core.gate.protecting_rules import CONFIG, TEST, protecting_rules
from reknit.core.gate.waiver import Waivers, can_be_offered, typed_options
from reknit.core.issues.model import Issue
from reknit.core.planning.tasks import plan_of

FILES_NAMED = 5
"""In the options that would take more issues in."""
NO_WAIVERS = Waivers()
OF_A_PLAN = "of a plan, which only `reknit variant` takes"
_WHY = {
    TEST: "in tests, which a fix may not change",
    CONFIG: "in configuration, which a fix may not change",
}


@dataclass(frozen=True)
class Selection:
    issues: tuple[Issue, ...]
    passed_over: Mapping[str, int]
    """Reason -> number of issues."""
    not_allowed: NotAllowed
    """Those among them that a person can let in."""


def why_not(issue: Issue, tracked: Collection[str], waivers: Waivers = NO_WAIVERS) -> str:
    """Why no agent may work on it; empty: one may."""
    if plan_of(issue.tools):
        return OF_A_PLAN
    if not issue.path:
        return "no file"
    if issue.path not in tracked:
        return "in a file that is not at HEAD"
    refusing = _refusing(issue.path, waivers)
    return _WHY[refusing[0]] if refusing else ""


def choose(issues: Iterable[Issue], tracked: Collection[str], most: int, waivers: Waivers = NO_WAIVERS) -> Selection:
    """The first issues that may be taken, and what was skipped before the run was full."""
    chosen: list[Issue] = []
    passed_over: Counter[str] = Counter()
    by_file: Counter[str] = Counter()
    for issue in issues:
        if len(chosen) >= most:
            break
        why = why_not(issue, tracked, waivers)
        if not why:
            chosen.append(issue)
            continue
        passed_over[why] += 1
        if issue.path in tracked and _can_be_allowed(issue.path, waivers):
            by_file[issue.path] += 1
    named = [(rule, path) for path in [*by_file][:FILES_NAMED] for rule in _refusing(path, waivers)]
    options = tuple(typed_options([each]) for each in named)
    return Selection(tuple(chosen), passed_over, NotAllowed(by_file.total(), len(by_file), options))


def _refusing(path: str, waivers: Waivers) -> list[str]:
    """The rules of the gate that refuse every change of the file, whatever base shows of it, unless it is allowed."""
    return [rule for rule in protecting_rules(path) if rule in _WHY and not waivers.waiver_for(rule, path)]


def _can_be_allowed(path: str, waivers: Waivers) -> bool:
    return all(can_be_offered(rule, path, waivers) for rule in _refusing(path, waivers))
