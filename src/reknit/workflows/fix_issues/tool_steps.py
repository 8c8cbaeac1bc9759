"""The steps in which tools fix what they reported, before an agent is called. Each may run twice."""

import asyncio
from collections.abc import Sequence

from reknit.core.checks.tests import why_not
from reknit.core.fix_issues import tool_text
from reknit.core.fix_issues.progress import ToolFix
from reknit.core.fix_issues.step_results import ToolChange, ToolProof
from reknit.core.fix_issues.tool_decision import Fixable, ToolPlan, check, failed_since, rebatched, tool_plan
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import IssueFilter
from reknit.core.repository.change import Change
from reknit.core.runs.spec import Batch, RunSpec
from reknit.core.setup.results import mount_points
from reknit.core.testing.report import TestReport
from reknit.workflows.fix_issues import tool_runs
from reknit.workflows.fix_issues.proposed_change import NO_BASELINE, whole_change
from reknit.workflows.fix_issues.saved_issues import kept_issues
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.gate_check import ask_gate
from reknit.workflows.shared.tests_check import known_tests, run_tests_check
from reknit.workflows.shared.work_folders import close_folder, prepare_folder


@step("look_by_tools.v1", preemptible=True)
async def look(services: Services, spec: RunSpec) -> ToolPlan:
    """Ask the tools what they report on the base commit, and for what they have a safe fix."""
    seen, target = await tool_runs.look(services, spec, spec.base), spec.issues_target
    ignored = services.issues.each(target.repository, IssueFilter(statuses=("IGNORED",)))
    spared = {(source.rule, issue.path) for issue in ignored for source in issue.sources}
    found = tool_plan(seen, kept_issues(services, spec), spared)
    services.ledger.event(spec.run_id, "tools-looked", tool_text.looked(seen, found))
    return found


@step("fix_by_tools.v1", preemptible=True)
async def fix(services: Services, spec: RunSpec, head: str, number: int, part: Sequence[Fixable]) -> ToolChange:
    """Only the files of the issues are taken over, whatever else the tools wrote."""
    workspace, name, started = services.workspace(spec), f"tools-{number}", services.clock()
    await asyncio.to_thread(workspace.ready, head)
    try:
        view = await prepare_folder(services, spec, name, head)
        if isinstance(view, TestReport):
            return ToolChange(head, started, 0.0, view.why)
        why = await tool_runs.fix(services, spec, view, part)
        at, ref = services.clock(), f"refs/reknit/{spec.run_id}/tools-{number}/after"
        left = await asyncio.to_thread(
            workspace.repository.snapshot, view.tree, head, ref, skip=mount_points(view), at=at
        )
    finally:
        await close_folder(services, spec, name)
    wanted = {each.path for each in part}
    change = Change(tuple(file for file in left.files if file.path in wanted))
    if why or not change.files:
        return ToolChange(head, at, at - started, why or tool_text.NOTHING_CHANGED)
    message = f"tools-{number} of {spec.run_id}, not landed\n"
    commit = await asyncio.to_thread(workspace.repository.commit, head, change, message, at=at)
    await asyncio.to_thread(workspace.repository.keep, f"refs/reknit/{spec.run_id}/tools-{number}/commit", commit)
    return ToolChange(commit, at, at - started)


@step("judge_tools.v1", preemptible=True)
async def judge(services: Services, spec: RunSpec, head: str, made: ToolChange) -> GateVerdict:
    """The same rules as for an agent, on the whole that would land."""
    await asyncio.to_thread(services.workspace(spec).ready, head, made.after)
    return await ask_gate(services, spec, whole_change(services, spec, made.after))


@step("prove_tools.v1", preemptible=True)
async def prove(services: Services, spec: RunSpec, number: int, part: Sequence[Fixable], made: ToolChange) -> ToolProof:
    """No test that passed on base is red or missing, and the tools no longer report what they fixed."""
    after = await run_tests_check(services, spec, f"tools-{number}-verify", made.after, -number)
    before = known_tests(services, spec, spec.base)
    why = why_not(before, after, asked=False) if before else NO_BASELINE
    if why:
        return ToolProof(why, after.seconds)
    first, now = await tool_runs.look(services, spec, spec.base), await tool_runs.look(services, spec, made.after)
    tools = {issue: each.tool for each in part for issue in each.issues}
    checked = check(first, now, kept_issues(services, spec), tools)
    fixes = tuple(
        ToolFix(now.of(tool).label, mine)
        for tool in dict.fromkeys(tools.values())
        if (mine := tuple(issue for issue in checked.silent if tools[issue] == tool))
    )
    failed = failed_since(first, now)
    refused = tool_text.no_result(failed) if failed else tool_text.STILL
    return ToolProof("" if fixes else refused, after.seconds, fixes)


@step("record_tools.v1")
async def record(services: Services, spec: RunSpec, number: int, part: Sequence[Fixable], proof: ToolProof) -> None:
    event = tool_text.tool_fixed(number, part, proof.why, proof.fixes)
    services.ledger.event(spec.run_id, f"tools-{number}", event)


@step("rebatch.v1")
async def rebatch(services: Services, spec: RunSpec, settled: Sequence[int]) -> tuple[Batch, ...]:
    return rebatched(spec.issues_target, kept_issues(services, spec), settled)
