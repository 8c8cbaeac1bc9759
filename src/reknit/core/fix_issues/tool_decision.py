"""Decides what tools fix before an agent is called, in which parts, and which issues their tools still report."""

import posixpath
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.fix_issues.batching import plan
from reknit.core.fix_issues.tools.look import ToolLook, ToolReport
from reknit.core.fix_issues.tools.pairing import reported, still_there
from reknit.core.fix_issues.tools.registry import source_of
from reknit.core.issues.model import Issue
from reknit.core.runs.spec import Batch, IssuesTarget

MOST_TRIES = 6
"""Each may cost a run of all tests."""


@dataclass(frozen=True)
class Fixable:
    """Findings of one rule in one file for which the tool has a safe fix. It fixes all of them, or none."""

    tool: str
    rule: str
    path: str
    issues: tuple[int, ...]
    offered: tuple[str, ...] = ()
    """All rules for whose findings in this file the tool has a fix."""


@dataclass(frozen=True)
class ToolPlan:
    fixable: tuple[Fixable, ...] = ()
    gone: tuple[int, ...] = ()
    """Issues that their tools do not report on the base commit: no agent is paid for them."""


@dataclass(frozen=True)
class ToolQueue:
    """What is left to try, as parts that are judged and tested together."""

    parts: tuple[tuple[Fixable, ...], ...]
    tries: int = 0

    @property
    def next(self) -> tuple[Fixable, ...]:
        """Empty: nothing is left, or the tests have been run often enough."""
        return self.parts[0] if self.parts and self.tries < MOST_TRIES else ()

    def accepted(self) -> "ToolQueue":
        return ToolQueue(self.parts[1:], self.tries + 1)

    def refused(self) -> "ToolQueue":
        """A refused part is tried again in smaller ones: one bad fix must not cost the others."""
        first, *rest = self.parts
        return ToolQueue((*_smaller(first), *rest), self.tries + 1)


def tool_plan(look: ToolLook, issues: Sequence[Issue], spared: Collection[tuple[str, str]]) -> ToolPlan:
    """`spared`: (rule, file) of issues that a person ignored: what a person wants to keep, no tool changes."""
    seen = {report.tool: reported(report, issues) for report in look.reports}
    fixable: dict[tuple[str, str, str], list[int]] = {}
    taken: set[int] = set()
    for tool, findings in seen.items():
        for issue, finding in findings.items():
            if finding.fixable and (finding.rule, finding.path) not in spared and issue not in taken:
                fixable.setdefault((tool, finding.rule, finding.path), []).append(issue)
                taken.add(issue)
    pairs = tuple(
        Fixable(tool, rule, path, tuple(numbers), _offered(look.of(tool), path))
        for (tool, rule, path), numbers in sorted(fixable.items())
    )
    return ToolPlan(pairs, tuple(issue.id for issue in issues if _is_gone(look, seen, issue)))


def _offered(report: ToolReport, path: str) -> tuple[str, ...]:
    return tuple(sorted({each.rule for each in report.findings if each.path == path and each.fixable}))


def _is_gone(look: ToolLook, seen: Mapping[str, Collection[int]], issue: Issue) -> bool:
    """Every tool that reported it was run, read its file, and is silent about it."""
    silent = [
        report.tool
        for report in look.reports
        if (source := source_of(issue, report.tool))
        and not report.why
        and source.rule not in report.unknown
        and issue.path not in report.unread
        and issue.id not in seen[report.tool]
    ]
    return bool(issue.tools) and {tool.lower() for tool in issue.tools} == {*silent}


def first_queue(found: ToolPlan) -> ToolQueue:
    return ToolQueue((found.fixable,) if found.fixable else ())


def _smaller(part: Sequence[Fixable]) -> tuple[tuple[Fixable, ...], ...]:
    """By tool; the fixes of one tool by rule; those of one rule are not split."""
    tools = [(one.tool,) for one in part]
    rules = [(one.tool, one.rule) for one in part]
    for keys in (tools, rules):
        if len({*keys}) > 1:
            return tuple(
                tuple(one for one, key in zip(part, keys, strict=True) if key == name) for name in dict.fromkeys(keys)
            )
    return ()


@dataclass(frozen=True)
class ToolCheck:
    """What the tools that reported say after a fix."""

    still: tuple[int, ...] = ()
    """Issues that are still reported, or whose file the tool can no longer read."""
    unchecked: tuple[int, ...] = ()
    """Issues whose tool gave no result, or did not report them before the fix either: its silence means nothing."""
    silent: tuple[int, ...] = ()


def check(before: ToolLook, after: ToolLook, issues: Sequence[Issue], wanted: Collection[int]) -> ToolCheck:
    """An issue is silent only if all of its tools that gave a result before the fix give one now, and are silent.

    `issues`: all of the run; `wanted`: those to check.
    """
    still, unchecked, silent = set[int](), set[int](), set[int]()
    for old in before.reports:
        new, seen = after.of(old.tool), reported(old, issues)
        remaining = still_there(old, new)
        for issue in issues:
            source = source_of(issue, old.tool)
            if issue.id not in wanted or not source:
                continue
            if old.why or new.why or issue.path in old.unread or source.rule in old.unknown or issue.id not in seen:
                unchecked.add(issue.id)
            elif issue.path in new.unread or source.rule in new.unknown or seen[issue.id] in remaining:
                still.add(issue.id)
            else:
                silent.add(issue.id)
    return ToolCheck(tuple(sorted(still)), tuple(sorted(unchecked - still)), tuple(sorted(silent - still - unchecked)))


def other_files(paths: Sequence[str], issues: Sequence[Issue]) -> tuple[str, ...]:
    """Return the changed files to which a finding could have been moved: those of a kind that the issues are in."""
    own = {issue.path for issue in issues}
    endings = {posixpath.splitext(path)[1] for path in own}
    return tuple(sorted(path for path in paths if path not in own and posixpath.splitext(path)[1] in endings))


def moved(before: ToolLook, after: ToolLook, issues: Sequence[Issue], silent: Collection[int]) -> tuple[int, ...]:
    """Return those of the silent issues whose rule is reported more often than before in other files of the change."""
    more = {
        (report.tool, rule)
        for report in after.reports
        for rule, count in Counter(finding.rule for finding in report.findings).items()
        if count > sum(finding.rule == rule for finding in before.of(report.tool).findings)
    }
    return tuple(
        issue.id
        for issue in issues
        if issue.id in silent and any((source := source_of(issue, tool)) and source.rule == rule for tool, rule in more)
    )


def failed_since(before: ToolLook, after: ToolLook) -> tuple[ToolReport, ...]:
    """Tools that gave a result before the change and none after it."""
    return tuple(new for new in after.reports if new.why and not before.of(new.tool).why)


def accepted_with(still: Collection[int], known: Collection[int], batch: Collection[int], *, last: bool) -> bool:
    """Whether a change whose tests held is kept although tools still report these issues.

    `known`: reported after an earlier fix too. In the last attempt on a batch, a part of it is better than nothing.
    """
    new = {*still} - {*known}
    return not new or (last and new < {*batch})


def rebatched(target: IssuesTarget, issues: Sequence[Issue], settled: Collection[int]) -> tuple[Batch, ...]:
    """New batches for agents from what is left. `settled`: issues that no agent works on."""
    kinds = {issue: batch.kind for batch in target.batches for issue in batch.issues}
    left = [issue for issue in issues if issue.id in kinds and issue.id not in settled]
    of_path = {issue.path: kinds[issue.id] for issue in left}
    return plan(left, target.limits, of_path.__getitem__)


def for_agents(target: IssuesTarget, batches: tuple[Batch, ...]) -> IssuesTarget:
    kept = {issue for batch in batches for issue in batch.issues}
    return replace(target, batches=batches, others=tuple(issue for issue in target.issues if issue not in kept))
