"""The check of a window's work as a durable workflow: the gate on what changed since fix mode began, then the test."""

import asyncio

from dbos import DBOS

from reknit.core.gate.verdict import GateVerdict
from reknit.core.hook.check import add_note, find_refusal, judge_report, to_ending, to_event
from reknit.core.hook.marker import to_answer
from reknit.core.hook.mode import CheckResult, FixMode
from reknit.core.hook.task import HookCheck
from reknit.core.runs.attempt_events import report_gate
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import ending_from_result, result_or_error, step
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate
from reknit.workflows.shared.project_setup import set_up
from reknit.workflows.shared.repository_facts import collect_tree_facts, read_advice
from reknit.workflows.shared.work_folders import close_test_folders, run_tests


@step("hook_judge.v1", preemptible=True)
async def judge(services: Services, spec: RunSpec) -> GateVerdict:
    """Judge what changed since fix mode began."""
    after, file = spec.task_as(HookCheck).after, spec.task_as(HookCheck).named_tests[0].partition("::")[0]
    await asyncio.to_thread(services.workspace(spec).ensure_commits, after)
    verdict = await ask_gate(services, spec, ProposedChange(spec.base, after, test_files=(file,), failing_file=file))
    if verdict.is_accepted or find_refusal(verdict):
        services.ledger.put_event(spec.run_id, "gate", report_gate(spec.task_as(HookCheck).attempt, verdict))
    return verdict


@step("hook_test.v1", preemptible=True)
async def run_named_test(services: Services, spec: RunSpec) -> CheckResult:
    """Run the test of the bug."""
    after = spec.task_as(HookCheck).after
    await asyncio.to_thread(services.workspace(spec).ensure_commits, after)
    tests = spec.task_as(HookCheck).named_tests
    report = await run_tests(services, spec, spec.run_id, after, only=tests, keeps_folders=True)
    facts = await asyncio.to_thread(collect_tree_facts, services, spec, after, report, sorted(report.failed))
    result = judge_report(report, tests, facts)
    services.ledger.put_event(spec.run_id, "test", to_event(result, report.seconds))
    return result


@step("hook_conclude.v1")
async def conclude(services: Services, spec: RunSpec, result: CheckResult, ending: Ending | None = None) -> Ending:
    """Settle the bug, then end the run: a window that reads the ending must find the state that it led to."""
    mode = await asyncio.to_thread(_settle, services, spec, result)
    ended = ending or to_ending(result, is_open=mode.is_open)
    services.ledger.end(spec.run_id, ended)
    await close_test_folders(services, spec, spec.run_id)  # last: no window waits for it
    return ended


async def cancel(services: Services, spec: RunSpec, ending: Ending) -> None:
    """Settle the bug of a run that a person cancels; this uses up no attempt."""
    await asyncio.to_thread(_settle, services, spec, CheckResult("unseen", ending.reason))


def _settle(services: Services, spec: RunSpec, result: CheckResult) -> FixMode:
    mode = services.fix_modes.settle(spec.task_as(HookCheck).mode, spec.run_id, result)
    repository = services.workspace(spec).repository
    own_advice = read_advice(repository, spec.base, mode.bug.attempt) if result.is_failure else ""
    guidance = services.prompt("hook_retry", {"strategy": mode.bug.strategy, "own_advice": own_advice})
    services.fix_mode_files.publish(mode, to_answer(mode, result, guidance.strip()), spec.run_id)
    return mode


@DBOS.workflow(name="hook_check.v1", max_recovery_attempts=50)
async def hook_check(spec: RunSpec) -> Ending:
    """Check the work of a window, and settle its bug."""
    result = await result_or_error(_check(spec))
    if isinstance(result, CheckResult):
        return await conclude(spec, result)
    ending = ending_from_result(result)
    return await conclude(spec, CheckResult("unseen", ending.reason), ending)


async def _check(spec: RunSpec) -> CheckResult:
    if spec.setups.commands and (failed := await set_up(spec)):
        return CheckResult("unseen", failed.reason)
    verdict = await judge(spec)
    return find_refusal(verdict) or add_note(await run_named_test(spec), verdict)
