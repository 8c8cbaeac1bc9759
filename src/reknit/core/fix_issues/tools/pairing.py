"""Which findings of two looks, or of a look and the ledger, are the same."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from reknit.core.fix_issues.tools.look import ToolFinding, ToolReport
from reknit.core.fix_issues.tools.registry import source_of
from reknit.core.issues.model import Issue

_Key = Callable[[ToolFinding], object]
_FROM_LEDGER: tuple[_Key, ...] = (lambda one: (one.line, one.message), lambda one: one.message, lambda one: one.line)
_FROM_LOOK: tuple[_Key, ...] = (lambda one: (one.message, one.text), lambda one: one.message, lambda one: one.text)


def _any(_finding: ToolFinding) -> object:
    return None


def reported(report: ToolReport, issues: Iterable[Issue]) -> Mapping[int, ToolFinding]:
    """Issue -> the finding of this tool that it is about."""
    known = {
        issue.id: ToolFinding(source.rule, issue.path, issue.line, source.message, "")
        for issue in issues
        if (source := source_of(issue, report.tool))
    }
    numbers = [*known]
    found = _paired([*known.values()], report.findings, _FROM_LEDGER)
    return {numbers[old]: report.findings[new] for old, new in found.items()}


def still_there(before: ToolReport, after: ToolReport) -> frozenset[ToolFinding]:
    """Findings of the first look that the second has too; a finding that was merely moved or reworded is the same."""
    found = _paired(before.findings, after.findings, _FROM_LOOK)
    return frozenset(before.findings[old] for old in found)


def _paired(olds: Sequence[ToolFinding], news: Sequence[ToolFinding], keys: Sequence[_Key]) -> dict[int, int]:
    """One to one, only within a rule and a file: the most alike first, then what is left in its order."""
    pairs: dict[int, int] = {}
    for key in (*keys, _any):
        waiting: defaultdict[object, deque[int]] = defaultdict(deque)
        taken = {*pairs.values()}
        for number, new in enumerate(news):
            if number not in taken:
                waiting[new.rule, new.path, key(new)].append(number)
        for number, old in enumerate(olds):
            fitting = waiting[old.rule, old.path, key(old)]
            if number not in pairs and fitting:
                pairs[number] = fitting.popleft()
    return pairs
