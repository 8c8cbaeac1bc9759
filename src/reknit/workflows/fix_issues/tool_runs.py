"""Runs the tools that reported issues, in a box: to look, and to fix."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.errors import UsageProblem
from reknit.core.fix_issues.tool_decision import Fixable
from reknit.core.fix_issues.tools.lint_tool import NOT_THERE, LintTool, command, folder_of, settings_of
from reknit.core.fix_issues.tools.look import (
    ToolLook,
    ToolReport,
    joined,
    read_findings,
    unknown_rules,
    version_in,
    why_contradictory,
    why_no_result,
    without_promoted,
)
from reknit.core.fix_issues.tools.registry import TOOLS, source_of
from reknit.core.issues.formats.paths import relative
from reknit.core.issues.formats.whole_report import read_report
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.core.text.work_limits import TEST_REPORT_LIMITS, Unfinished
from reknit.workflows.fix_issues.saved_issues import kept_issues
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
    await asyncio.to_thread(services.workspace(spec).ready, commit)
    known = None if again else known_look(services, spec, commit, files)
    if known and not any(report.why and not report.missing for report in known.reports):
        return known
    name = f"look-{commit[:12]}"
    try:
        view = await prepare_folder(services, spec, name, commit)
        if isinstance(view, TestReport):
            seen = ToolLook(tuple(ToolReport(tool, why=view.why) for tool in spec.issues_target.tools))
        else:
            reports = [
                await _look(services, spec, view, TOOLS[tool], commit, files) for tool in spec.issues_target.tools
            ]
            seen = ToolLook(tuple(reports))
        services.check_surroundings(spec)
    finally:
        await close_folder(services, spec, name)
    return save_value(services, spec, _name(services, spec, commit, files), seen)


def known_look(services: Services, spec: RunSpec, commit: str, files: tuple[str, ...] = ()) -> ToolLook | None:
    found = load_value(services, spec, _name(services, spec, commit, files))
    return found if isinstance(found, ToolLook) else None


def _name(services: Services, spec: RunSpec, commit: str, files: tuple[str, ...]) -> str:
    of_files = f"-{hashlib.sha256(chr(0).join(files).encode()).hexdigest()[:16]}" if files else ""
    return f"look-{services.workspace(spec).repository.tree_of(commit)}{of_files}"


async def _look(
    services: Services, spec: RunSpec, view: BoxView, tool: LintTool, commit: str, only: tuple[str, ...]
) -> ToolReport:
    repository = services.workspace(spec).repository
    there = frozenset(await asyncio.to_thread(repository.paths, commit))
    issues = [(issue, source_of(issue, tool.name)) for issue in kept_issues(services, spec)]
    rules = sorted({source.rule for _, source in issues if source})
    files = sorted({path for issue, source in issues if source for path in only or (issue.path,) if path in there})
    if not files:
        return ToolReport(tool.name)  # a removed file has no findings
    reports = []
    for folder, paths in _by_folder(tool, files, there).items():
        run = partial(_run, services, spec, view, tool, folder)
        ended, unknown = await _asked(run, tool, rules, _below(folder, paths))
        report = await _read(services, spec, view, tool, commit, folder, ended)
        reports.append(replace(report, unknown=unknown))
    settings = settings_of(tool, files, there)
    texts = [await asyncio.to_thread(repository.read, commit, path) for path in settings]
    return without_promoted(joined(tool.name, reports), [rule for text in texts for rule in tool.called_safe(text)])


async def _asked(
    run: Callable[[Sequence[str]], Awaitable[CommandResult]], tool: LintTool, rules: Sequence[str], files: Sequence[str]
) -> tuple[CommandResult, tuple[str, ...]]:
    """What it printed, and the rules it did not look for. One rule that it does not know must not cost the others."""
    unknown: tuple[str, ...] = ()
    while True:
        known = [rule for rule in rules if rule not in unknown]
        ended = await run(tool.look(known, files))
        said = ended.stderr.decode("utf-8", "replace")
        more = unknown_rules(tool, known, said)
        unknown += more
        if not why_no_result(ended.reason, ended.exit_code, said) or not more or len(more) == len(known):
            return ended, unknown


async def fix(services: Services, spec: RunSpec, view: BoxView, part: Sequence[Fixable]) -> str:
    """Apply the safe fixes to the tree; why that failed, or an empty string."""
    there = frozenset(await asyncio.to_thread(services.workspace(spec).repository.paths, spec.base))
    for tool in (TOOLS[name] for name in dict.fromkeys(each.tool for each in part)):
        for (rules, others), paths in _by_rules([each for each in part if each.tool == tool.name]).items():
            for folder, files in _by_folder(tool, paths, there).items():
                arguments = tool.fix(rules, _below(folder, files), others)
                ended = await _run(services, spec, view, tool, folder, arguments)
                if why := why_no_result(ended.reason, ended.exit_code, ended.stderr.decode("utf-8", "replace")):
                    return f"{tool.name}: {why}"
    return ""


def _by_rules(part: Sequence[Fixable]) -> Mapping[tuple[tuple[str, ...], tuple[str, ...]], list[str]]:
    """(rules to fix, rules to leave) -> files: no rule is fixed in a file it was not asked for."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for path in dict.fromkeys(each.path for each in part):
        mine = [each for each in part if each.path == path]
        rules = tuple(sorted({each.rule for each in mine}))
        others = tuple(rule for rule in mine[0].offered if rule not in rules)
        found.setdefault((rules, others), []).append(path)
    return found


def _by_folder(tool: LintTool, paths: Sequence[str], there: frozenset[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(folder_of(tool, path, there), []).append(path)
    return found


def _below(folder: str, paths: Sequence[str]) -> list[str]:
    return [path.removeprefix(f"{folder}/") if folder else path for path in paths]


async def _run(
    services: Services, spec: RunSpec, view: BoxView, tool: LintTool, folder: str, arguments: Sequence[str]
) -> CommandResult:
    wall_s = min(WALL_S, spec.limits.test_wall_s)
    order = Command(command(tool, folder, arguments), limits=CommandLimits(wall_s, wall_s), folder=folder)
    shown = replace(view, programs=(*view.programs, *tool.programs))
    return await services.box(spec.box).run(shown, order)


async def _read(
    services: Services, spec: RunSpec, view: BoxView, tool: LintTool, commit: str, folder: str, ended: CommandResult
) -> ToolReport:
    said = ended.stderr.decode("utf-8", "replace")
    version = version_in(said)
    if why := why_no_result(ended.reason, ended.exit_code, said):
        return ToolReport(tool.name, version, why, missing=ended.exit_code == NOT_THERE)
    try:
        report = await services.calls.run(TEST_REPORT_LIMITS, read_report, ended.stdout, tool.name, tool.format)
    except UsageProblem as problem:
        return ToolReport(tool.name, version, why=problem.what)
    if isinstance(report, Unfinished):
        return ToolReport(tool.name, version, why=f"reading its report {report.why}")
    if why := why_contradictory(ended.exit_code, len(report.found)):
        return ToolReport(tool.name, version, why=why)
    texts: dict[str, list[str]] = {}
    repository = services.workspace(spec).repository

    def place(path: str) -> str:
        # In a box the tree is at the path of the repository; on the host it is where it is.
        return relative(path, view.repository, folder) or relative(path, view.tree, folder)

    def text(path: str, line: int) -> str:
        if path not in texts:
            texts[path] = repository.read(commit, path).splitlines()
        return texts[path][line - 1] if 0 < line <= len(texts[path]) else ""

    return await asyncio.to_thread(read_findings, tool, version, report, place, text)
