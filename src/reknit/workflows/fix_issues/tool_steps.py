"""The tools that reported issues: the steps in which they fix, and the check that they no longer report."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from reknit.core.checks.tests import explain_broken_fix
from reknit.core.fix_issues import tool_text
from reknit.core.fix_issues.decision import Work
from reknit.core.fix_issues.progress import BacklogProgress, ToolFix, list_kept_issues
from reknit.core.fix_issues.step_results import BatchProof, ToolChange, ToolProof
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.fix_issues.tool_decision import (
    Fixable,
    ToolPlan,
    check_issues,
    list_failed_since,
    list_moved,
    list_other_files,
    may_keep,
    plan_tool_fixes,
    rebatch,
)
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import Issue, IssueFilter
from reknit.core.repository.change import Change
from reknit.core.runs.spec import RunSpec
from reknit.core.setup.layers import list_mount_points
from reknit.core.testing.report import TestReport
from reknit.workflows.fix_issues import tool_runs
from reknit.workflows.fix_issues.asked_tests import NO_BASELINE, load_issues, propose_whole_change
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.gate_check import ask_gate
from reknit.workflows.shared.tests_check import load_tests_result, run_tests_check
from reknit.workflows.shared.work_folders import close_folder, prepare_folder


@step("look_by_tools.v1", preemptible=True)
async def look(services: Services, spec: RunSpec) -> ToolPlan:
    """Ask the tools what they report on the base commit, and for what they have a safe fix."""
    tool_look, target = await tool_runs.look(services, spec, spec.base), spec.task_as(FixIssues)
    ignored = services.issues.each(target.repository, IssueFilter(statuses=("IGNORED",)))
    ignored_places = {(source.rule, issue.path) for issue in ignored for source in issue.sources}
    plan = plan_tool_fixes(tool_look, load_issues(services, spec), ignored_places)
    services.ledger.put_event(spec.run_id, "tools-looked", tool_text.report_look(tool_look, plan))
    return plan


@step("fix_by_tools.v1", preemptible=True)
async def fix(services: Services, spec: RunSpec, head: str, number: int, part: Sequence[Fixable]) -> ToolChange:
    """Have the tools fix. Only changes of files that have issues are taken over."""
    workspace, name, started = services.workspace(spec), f"tools-{number}", services.clock()
    await asyncio.to_thread(workspace.ensure_commits, head)
    try:
        view = await prepare_folder(services, spec, name, head)
        if isinstance(view, TestReport):
            return ToolChange(head, started, 0.0, view.why)
        why = await tool_runs.fix(services, spec, view, part)
        at, ref = services.clock(), f"refs/reknit/{spec.run_id}/tools-{number}/after"
        snapshot = await asyncio.to_thread(
            workspace.repository.snapshot, view.tree, head, ref, skip=list_mount_points(view), at=at
        )
    finally:
        await close_folder(services, spec, name)
    issue_files = {fixable.path for fixable in part}
    change = Change(tuple(file for file in snapshot.files if file.path in issue_files))
    if why or not change.files:
        return ToolChange(head, at, at - started, why or tool_text.NOTHING_CHANGED)
    message = f"tools-{number} of {spec.run_id}, not landed\n"
    commit = await asyncio.to_thread(workspace.repository.commit, head, change, message, at=at)
    await asyncio.to_thread(workspace.repository.keep, f"refs/reknit/{spec.run_id}/tools-{number}/commit", commit)
    return ToolChange(commit, at, at - started)


@step("judge_tools.v1", preemptible=True)
async def judge(services: Services, spec: RunSpec, head: str, change: ToolChange) -> GateVerdict:
    """Judge the whole that would land by the same rules as for an agent."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, head, change.after)
    return await ask_gate(services, spec, propose_whole_change(services, spec, change.after))


@step("prove_tools.v1", preemptible=True)
async def prove(
    services: Services, spec: RunSpec, number: int, part: Sequence[Fixable], change: ToolChange
) -> ToolProof:
    """Prove that no test which passed on base is red or missing, and that the tools report no more what they fixed."""
    after = await run_tests_check(services, spec, f"tools-{number}-verify", change.after, -number)
    before = load_tests_result(services, spec, spec.base)
    why = explain_broken_fix(before, after, must_turn_green=False) if before else NO_BASELINE
    if why:
        return ToolProof(why, after.seconds)
    first, now = await tool_runs.look(services, spec, spec.base), await tool_runs.look(services, spec, change.after)
    tools = {issue: fixable.tool for fixable in part for issue in fixable.issues}
    checked = check_issues(first, now, load_issues(services, spec), tools)
    fixes = tuple(
        ToolFix(now.get_report(tool).label, mine)
        for tool in dict.fromkeys(tools.values())
        if (mine := tuple(issue for issue in checked.silent if tools[issue] == tool))
    )
    failed = list_failed_since(first, now)
    refused = tool_text.explain_no_result(failed) if failed else tool_text.ALL_STILL_REPORTED
    return ToolProof("" if fixes else refused, after.seconds, fixes)


@step("record_tools.v1")
async def record(services: Services, spec: RunSpec, number: int, part: Sequence[Fixable], proof: ToolProof) -> None:
    """Record the outcome of a tool's fix as an event."""
    event = tool_text.report_tool_fix(number, part, proof.why, proof.fixes)
    services.ledger.put_event(spec.run_id, f"tools-{number}", event)


@step("rebatch.v1")
async def rebatch_issues(services: Services, spec: RunSpec, settled: Sequence[int]) -> tuple[Batch, ...]:
    """Pack the issues that the tools left into new batches for agents."""
    return rebatch(spec.task_as(FixIssues), load_issues(services, spec), settled)


async def ask_tools(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, proof: BatchProof
) -> BatchProof:
    """Run the tools on a commit whose tests passed.

    An issue that its tool still reports refuses the attempt; in the last attempt, it fails only that issue.
    """
    if not spec.task_as(FixIssues).tools:
        return proof
    checked_proof = await _compare_looks(services, spec, progress, move, proof)
    if checked_proof.why:
        refused = tool_text.report_refused_by_tools(move.number, checked_proof.why)
        services.ledger.put_event(spec.run_id, f"attempt-{move.number}-tools", refused)
    return checked_proof


async def _compare_looks(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, proof: BatchProof
) -> BatchProof:
    before, after = await tool_runs.look(services, spec, spec.base), await tool_runs.look(services, spec, proof.commit)
    if list_failed_since(before, after):  # is it the change, or the machine?
        before = await tool_runs.look(services, spec, spec.base, again=True)
        after = await tool_runs.look(services, spec, proof.commit, again=True)
    if failed := list_failed_since(before, after):
        return replace(proof, why=tool_text.explain_no_result(failed), word="unproven")
    batch = progress.issues_of(move.batch) if move.batch else ()
    issue_ids = {*list_kept_issues(progress, spec.task_as(FixIssues)), *batch}
    issues = load_issues(services, spec)
    comparison = check_issues(before, after, issues, issue_ids)
    moved_ids = await _find_moved_issues(services, spec, proof.commit, issues, comparison.silent)
    if isinstance(moved_ids, str):
        return replace(proof, why=moved_ids, word="unproven")
    still = tuple(sorted((*comparison.still_reported, *moved_ids)))
    proof = replace(
        proof, checked_issues=(*proof.checked_issues, *(issue for issue in comparison.silent if issue not in moved_ids))
    )
    last = move.earlier_calls + 1 >= spec.limits.attempts
    if may_keep(still, progress.still_reported, batch, last=last):
        return replace(proof, still_reported=still)
    new = [issue for issue in still if issue not in progress.still_reported]
    return replace(proof, why=tool_text.explain_still_reported(after, new, issues), word="unproven")


async def _find_moved_issues(
    services: Services, spec: RunSpec, commit: str, issues: Sequence[Issue], silent: Sequence[int]
) -> tuple[int, ...] | str:
    """Return the issues that the change only moved to another file, or why the tools cannot tell."""
    repository = services.workspace(spec).repository
    change = await asyncio.to_thread(repository.change, spec.base, commit)
    files = list_other_files(change.paths, issues) if silent else ()
    if not files:
        return ()
    before, after = [await tool_runs.look(services, spec, rev, files=files) for rev in (spec.base, commit)]
    if failed := list_failed_since(before, after):
        return tool_text.explain_no_result(failed)
    return list_moved(before, after, issues, silent)


def describe_tool_results(
    services: Services, spec: RunSpec, progress: BacklogProgress, issue_ids: Sequence[int]
) -> tuple[str, ...]:
    """Return the lines of the receipt about the tools."""
    before = tool_runs.load_look(services, spec, spec.base)
    after = tool_runs.load_look(services, spec, progress.head)
    if before is None or after is None:
        return ()
    checked = check_issues(before, after, load_issues(services, spec), issue_ids)
    return tool_text.render_tool_receipt(progress, checked, after, issue_ids)
