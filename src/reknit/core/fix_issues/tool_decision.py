"""Decides which issues tools fix before agents are called, and which issues tools still report after a fix."""

import posixpath
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.fix_issues.selection import plan_batches
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.fix_issues.tools.lint_tool import find_source
from reknit.core.fix_issues.tools.look import ToolLook, ToolReport, find_remaining, match_issues
from reknit.core.issues.model import Issue

MAX_TRIES = 6
"""Maximum number of tries; each may cost a run of all tests."""


@dataclass(frozen=True)
class Fixable:
    """Findings of one rule in one file for which a tool has a safe fix. The tool fixes all of them or none."""

    tool: str
    rule: str
    path: str
    issues: tuple[int, ...]
    offered: tuple[str, ...] = ()
    """All rules with findings in this file that the tool can fix."""


@dataclass(frozen=True)
class ToolPlan:
    """The fixes that tools offer, and the issues that they no longer report."""

    fixable: tuple[Fixable, ...] = ()
    absent_issues: tuple[int, ...] = ()
    """Issues that their tools do not report on the base commit: no agent is paid for them."""


@dataclass(frozen=True)
class ToolQueue:
    """The parts of the plan that are not tried yet. The fixes of one part are judged and tested together."""

    parts: tuple[tuple[Fixable, ...], ...]
    tries: int = 0

    @property
    def next(self) -> tuple[Fixable, ...]:
        """Return the next part; empty: there is none, or all tries are used up."""
        return self.parts[0] if self.parts and self.tries < MAX_TRIES else ()

    def accept(self) -> "ToolQueue":
        return ToolQueue(self.parts[1:], self.tries + 1)

    def refuse(self) -> "ToolQueue":
        """Return the queue with the refused part split, so that one bad fix does not exclude the others."""
        first, *rest = self.parts
        return ToolQueue((*_split_part(first), *rest), self.tries + 1)


def plan_tool_fixes(look: ToolLook, issues: Sequence[Issue], spared: Collection[tuple[str, str]]) -> ToolPlan:
    """Plan the fixes of tools. `spared`: (rule, file) of issues that a person ignored; no tool fixes those."""
    findings_by_tool = {report.tool: match_issues(report, issues) for report in look.reports}
    fixable: dict[tuple[str, str, str], list[int]] = {}
    assigned_issues: set[int] = set()
    for tool, findings in findings_by_tool.items():
        for issue, finding in findings.items():
            if finding.fixable and (finding.rule, finding.path) not in spared and issue not in assigned_issues:
                fixable.setdefault((tool, finding.rule, finding.path), []).append(issue)
                assigned_issues.add(issue)
    pairs = tuple(
        Fixable(tool, rule, path, tuple(numbers), _list_offered(look.get_report(tool), path))
        for (tool, rule, path), numbers in sorted(fixable.items())
    )
    return ToolPlan(pairs, tuple(issue.id for issue in issues if _is_no_longer_reported(look, findings_by_tool, issue)))


def _list_offered(report: ToolReport, path: str) -> tuple[str, ...]:
    return tuple(sorted({finding.rule for finding in report.findings if finding.path == path and finding.fixable}))


def _is_no_longer_reported(look: ToolLook, findings_by_tool: Mapping[str, Collection[int]], issue: Issue) -> bool:
    """Return True if every tool that reported it ran, read its file, and is silent about it."""
    silent = [
        report.tool
        for report in look.reports
        if (source := find_source(issue, report.tool))
        and not report.why
        and source.rule not in report.unknown
        and issue.path not in report.unread
        and issue.id not in findings_by_tool[report.tool]
    ]
    return bool(issue.tools) and {tool.lower() for tool in issue.tools} == {*silent}


def start_queue(plan: ToolPlan) -> ToolQueue:
    """Return the queue with the whole plan as its first part."""
    return ToolQueue((plan.fixable,) if plan.fixable else ())


def _split_part(part: Sequence[Fixable]) -> tuple[tuple[Fixable, ...], ...]:
    """Split by tool; the fixes of one tool by rule; the fixes of one rule not at all."""
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
    """The issues after a fix, by what the tools that reported them report now."""

    still_reported: tuple[int, ...] = ()
    """Issues that are still reported, or whose file the tool can no longer read."""
    unchecked: tuple[int, ...] = ()
    """Issues whose tool gave no result, or did not report them before the fix, so that its silence means nothing."""
    silent: tuple[int, ...] = ()


def check_issues(before: ToolLook, after: ToolLook, issues: Sequence[Issue], issue_ids: Collection[int]) -> ToolCheck:
    """Compare two looks. An issue is silent only if all tools that reported before report now without it.

    `issues`: all issues of the run. `issue_ids`: ids of those to check.
    """
    still, unchecked, silent = set[int](), set[int](), set[int]()
    for old in before.reports:
        new, findings = after.get_report(old.tool), match_issues(old, issues)
        remaining = find_remaining(old, new)
        for issue in issues:
            source = find_source(issue, old.tool)
            if issue.id not in issue_ids or not source:
                continue
            if old.why or new.why or issue.path in old.unread or source.rule in old.unknown or issue.id not in findings:
                unchecked.add(issue.id)
            elif issue.path in new.unread or source.rule in new.unknown or findings[issue.id] in remaining:
                still.add(issue.id)
            else:
                silent.add(issue.id)
    return ToolCheck(tuple(sorted(still)), tuple(sorted(unchecked - still)), tuple(sorted(silent - still - unchecked)))


def list_other_files(paths: Sequence[str], issues: Sequence[Issue]) -> tuple[str, ...]:
    """Return the changed files to which a finding could have moved: other files with the suffix of an issue's file."""
    issue_paths = {issue.path for issue in issues}
    suffixes = {posixpath.splitext(path)[1] for path in issue_paths}
    return tuple(sorted(path for path in paths if path not in issue_paths and posixpath.splitext(path)[1] in suffixes))


def list_moved(before: ToolLook, after: ToolLook, issues: Sequence[Issue], silent: Collection[int]) -> tuple[int, ...]:
    """Return the silent issues whose rule is reported more often than before in other files of the change."""
    more_frequent = {
        (report.tool, rule)
        for report in after.reports
        for rule, count in Counter(finding.rule for finding in report.findings).items()
        if count > sum(finding.rule == rule for finding in before.get_report(report.tool).findings)
    }
    return tuple(
        issue.id
        for issue in issues
        if issue.id in silent
        and any((source := find_source(issue, tool)) and source.rule == rule for tool, rule in more_frequent)
    )


def list_failed_since(before: ToolLook, after: ToolLook) -> tuple[ToolReport, ...]:
    """Return the tools that gave a result before the change and none after it."""
    return tuple(new for new in after.reports if new.why and not before.get_report(new.tool).why)


def may_keep(still: Collection[int], earlier: Collection[int], batch: Collection[int], *, last: bool) -> bool:
    """Return True if a change may be kept although tools still report these issues.

    `earlier`: issues that tools also reported after the previous fix. In the last attempt on a batch, it is enough if
    some of its issues are gone.
    """
    new = {*still} - {*earlier}
    return not new or (last and new < {*batch})


def rebatch(target: FixIssues, issues: Sequence[Issue], settled: Collection[int]) -> tuple[Batch, ...]:
    """Pack the remaining issues for agents. `settled`: issues that no agent works on."""
    kinds = {issue: batch.kind for batch in target.batches for issue in batch.issues}
    remaining_issues = [issue for issue in issues if issue.id in kinds and issue.id not in settled]
    kind_by_path = {issue.path: kinds[issue.id] for issue in remaining_issues}
    return plan_batches(remaining_issues, target.limits, kind_by_path.__getitem__)


def limit_to_batches(target: FixIssues, batches: tuple[Batch, ...]) -> FixIssues:
    """Return the task with these batches; its other issues get no work."""
    batched_issues = {issue for batch in batches for issue in batch.issues}
    return replace(
        target, batches=batches, others=tuple(issue for issue in target.issues if issue not in batched_issues)
    )
