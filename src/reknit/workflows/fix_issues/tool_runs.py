"""Runs the tools that reported issues, in a box: to look, and to fix."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.errors import UsageError
from reknit.core.fix_issues.task import FixIssues
from reknit.core.fix_issues.tool_decision import Fixable
from reknit.core.fix_issues.tools.lint_tool import (
    LINT_TOOLS,
    NOT_INSTALLED,
    LintTool,
    build_command,
    find_folder,
    find_source,
    list_settings,
)
from reknit.core.fix_issues.tools.look import (
    ToolLook,
    ToolReport,
    drop_promoted_fixes,
    explain_contradiction,
    explain_missing_report,
    find_unknown_rules,
    join_reports,
    parse_version,
    read_findings,
)
from reknit.core.issues.formats.paths import resolve_path
from reknit.core.issues.formats.registry import read_whole_report
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.core.text.untrusted_input import TEST_REPORT_LIMITS, UnfinishedWork
from reknit.workflows.fix_issues.asked_tests import load_issues
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.saved_values import load_value, save_value
from reknit.workflows.shared.work_folders import close_folder, prepare_folder

WALL_S = 300.0


async def look(
    services: Services, spec: RunSpec, commit: str, *, again: bool = False, files: tuple[str, ...] = ()
) -> ToolLook:
    """Return what the tools report about these files or, by default, about those of the run's issues.

    A tree with a full result is not looked at again.
    """
    await asyncio.to_thread(services.workspace(spec).ensure_commits, commit)
    earlier = None if again else load_look(services, spec, commit, files)
    if earlier and not any(report.why and not report.missing for report in earlier.reports):
        return earlier
    name = f"look-{commit[:12]}"
    try:
        view = await prepare_folder(services, spec, name, commit)
        if isinstance(view, TestReport):
            tool_look = ToolLook(tuple(ToolReport(tool, why=view.why) for tool in spec.task_as(FixIssues).tools))
        else:
            reports = [
                await _look(services, spec, view, LINT_TOOLS[tool], commit, files)
                for tool in spec.task_as(FixIssues).tools
            ]
            tool_look = ToolLook(tuple(reports))
        services.check_surroundings(spec)
    finally:
        await close_folder(services, spec, name)
    return save_value(services, spec, _name(services, spec, commit, files), tool_look)


def load_look(services: Services, spec: RunSpec, commit: str, files: tuple[str, ...] = ()) -> ToolLook | None:
    """Return what the tools reported on the tree of this commit, if that is saved."""
    tool_look = load_value(services, spec, _name(services, spec, commit, files))
    return tool_look if isinstance(tool_look, ToolLook) else None


def _name(services: Services, spec: RunSpec, commit: str, files: tuple[str, ...]) -> str:
    of_files = f"-{hashlib.sha256(chr(0).join(files).encode()).hexdigest()[:16]}" if files else ""
    return f"look-{services.workspace(spec).repository.tree_of(commit)}{of_files}"


async def _look(
    services: Services, spec: RunSpec, view: BoxView, tool: LintTool, commit: str, only: tuple[str, ...]
) -> ToolReport:
    repository = services.workspace(spec).repository
    there = frozenset(await asyncio.to_thread(repository.paths, commit))
    issues = [(issue, find_source(issue, tool.name)) for issue in load_issues(services, spec)]
    rules = sorted({source.rule for _, source in issues if source})
    files = sorted({path for issue, source in issues if source for path in only or (issue.path,) if path in there})
    if not files:
        return ToolReport(tool.name)  # a removed file has no findings
    reports = []
    for folder, paths in _group_by_folder(tool, files, there).items():
        run = partial(_run, services, spec, view, tool, folder)
        ended, unknown = await _run_without_unknown_rules(run, tool, rules, _paths_from(folder, paths))
        report = await _read_report(services, spec, view, tool, commit, folder, ended)
        reports.append(replace(report, unknown=unknown))
    settings = list_settings(tool, files, there)
    texts = [await asyncio.to_thread(repository.read, commit, path) for path in settings]
    return drop_promoted_fixes(
        join_reports(tool.name, reports), [rule for text in texts for rule in tool.promoted_rules(text)]
    )


async def _run_without_unknown_rules(
    run: Callable[[Sequence[str]], Awaitable[CommandResult]], tool: LintTool, rules: Sequence[str], files: Sequence[str]
) -> tuple[CommandResult, tuple[str, ...]]:
    """Return what the tool printed, and the rules it does not know: one unknown rule must not cost the others."""
    unknown: tuple[str, ...] = ()
    while True:
        known_rules = [rule for rule in rules if rule not in unknown]
        ended = await run(tool.look_arguments(known_rules, files))
        stderr = ended.stderr.decode("utf-8", "replace")
        more = find_unknown_rules(tool, known_rules, stderr)
        unknown += more
        if (
            not explain_missing_report(ended.reason, ended.exit_code, stderr)
            or not more
            or len(more) == len(known_rules)
        ):
            return ended, unknown


async def fix(services: Services, spec: RunSpec, view: BoxView, part: Sequence[Fixable]) -> str:
    """Apply the safe fixes to the tree. Returns why that failed, or an empty string."""
    there = frozenset(await asyncio.to_thread(services.workspace(spec).repository.paths, spec.base))
    for tool in (LINT_TOOLS[name] for name in dict.fromkeys(fixable.tool for fixable in part)):
        for (rules, others), paths in _group_by_rules(
            [fixable for fixable in part if fixable.tool == tool.name]
        ).items():
            for folder, files in _group_by_folder(tool, paths, there).items():
                arguments = tool.fix_arguments(rules, _paths_from(folder, files), others)
                ended = await _run(services, spec, view, tool, folder, arguments)
                if why := explain_missing_report(
                    ended.reason, ended.exit_code, ended.stderr.decode("utf-8", "replace")
                ):
                    return f"{tool.name}: {why}"
    return ""


def _group_by_rules(part: Sequence[Fixable]) -> Mapping[tuple[tuple[str, ...], tuple[str, ...]], list[str]]:
    """Map (rules to fix, rules to leave) to files: no rule is fixed in a file for which it was not reported."""
    files_by_rules: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for path in dict.fromkeys(fixable.path for fixable in part):
        mine = [fixable for fixable in part if fixable.path == path]
        rules = tuple(sorted({fixable.rule for fixable in mine}))
        others = tuple(rule for rule in mine[0].offered if rule not in rules)
        files_by_rules.setdefault((rules, others), []).append(path)
    return files_by_rules


def _group_by_folder(tool: LintTool, paths: Sequence[str], there: frozenset[str]) -> Mapping[str, list[str]]:
    files_by_folder: dict[str, list[str]] = {}
    for path in paths:
        files_by_folder.setdefault(find_folder(tool, path, there), []).append(path)
    return files_by_folder


def _paths_from(folder: str, paths: Sequence[str]) -> list[str]:
    return [path.removeprefix(f"{folder}/") if folder else path for path in paths]


async def _run(
    services: Services, spec: RunSpec, view: BoxView, tool: LintTool, folder: str, arguments: Sequence[str]
) -> CommandResult:
    wall_s = min(WALL_S, spec.limits.test_wall_s)
    order = Command(build_command(tool, folder, arguments), limits=CommandLimits(wall_s, wall_s), folder=folder)
    box_view = replace(view, programs=(*view.programs, *tool.programs))
    return await services.box(spec.box).run(box_view, order)


async def _read_report(
    services: Services, spec: RunSpec, view: BoxView, tool: LintTool, commit: str, folder: str, ended: CommandResult
) -> ToolReport:
    stderr = ended.stderr.decode("utf-8", "replace")
    version = parse_version(stderr)
    if why := explain_missing_report(ended.reason, ended.exit_code, stderr):
        return ToolReport(tool.name, version, why, missing=ended.exit_code == NOT_INSTALLED)
    try:
        report = await services.calls.run(TEST_REPORT_LIMITS, read_whole_report, ended.stdout, tool.name, tool.format)
    except UsageError as problem:
        return ToolReport(tool.name, version, why=problem.message)
    if isinstance(report, UnfinishedWork):
        return ToolReport(tool.name, version, why=f"reading its report {report.why}")
    if why := explain_contradiction(ended.exit_code, len(report.results)):
        return ToolReport(tool.name, version, why=why)
    texts: dict[str, list[str]] = {}
    repository = services.workspace(spec).repository

    def place(path: str) -> str:
        # In a box the tree is at the path of the repository; on the host it is where it is.
        return resolve_path(path, view.repository, folder) or resolve_path(path, view.tree, folder)

    def text(path: str, line: int) -> str:
        if path not in texts:
            texts[path] = repository.read(commit, path).splitlines()
        return texts[path][line - 1] if 0 < line <= len(texts[path]) else ""

    return await asyncio.to_thread(read_findings, tool, version, report, place, text)
