"""The steps of a check. Each may run twice."""

import asyncio

from reknit.core.gate.verdict import GateVerdict
from reknit.core.hook.answer import answer_of
from reknit.core.hook.check import check_event, ending_of, refused, seen_in
from reknit.core.hook.mode import CheckResult
from reknit.core.runs.attempt_events import gate_said
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate
from reknit.workflows.shared.tree_facts import facts_of
from reknit.workflows.shared.work_folders import run_tests


@step("hook_judge.v1", preemptible=True)
async def judge(services: Services, spec: RunSpec) -> GateVerdict:
    after, file = spec.hook_target.after, spec.named[0].partition("::")[0]
    await asyncio.to_thread(services.workspace(spec).ready, after)
    verdict = await ask_gate(services, spec, ProposedChange(spec.base, after, test_files=(file,), failing_file=file))
    if verdict.accepted or refused(verdict):
        services.ledger.event(spec.run_id, "gate", gate_said(spec.hook_target.attempt, verdict))
    return verdict


@step("hook_test.v1", preemptible=True)
async def test(services: Services, spec: RunSpec) -> CheckResult:
    after = spec.hook_target.after
    await asyncio.to_thread(services.workspace(spec).ready, after)
    report = await run_tests(services, spec, spec.run_id, after, only=spec.named)
    facts = await asyncio.to_thread(facts_of, services, spec, after, report, sorted(report.failed))
    result = seen_in(report, spec.named, facts)
    services.ledger.event(spec.run_id, "test", check_event(result, report.seconds))
    return result


@step("hook_conclude.v1")
async def conclude(services: Services, spec: RunSpec, result: CheckResult, ending: Ending | None = None) -> Ending:
    """Settles the bug's state first: a window that reads the ending must find the state that it led to."""
    ended = ending or ending_of(result)
    await asyncio.to_thread(_settle, services, spec, result)
    services.ledger.end(spec.run_id, ended)
    return ended


async def cancelled(services: Services, spec: RunSpec, ending: Ending) -> None:
    await asyncio.to_thread(_settle, services, spec, CheckResult("unseen", ending.reason))


def _settle(services: Services, spec: RunSpec, result: CheckResult) -> None:
    mode = services.fix_modes.settle(spec.hook_target.mode, spec.run_id, result)
    guidance = services.prompt("hook_retry", {"strategy": mode.bug.strategy})
    services.fix_mode_files.publish(mode, answer_of(mode, result, guidance.strip()), spec.run_id)
