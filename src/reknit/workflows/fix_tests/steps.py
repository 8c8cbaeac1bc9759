"""The steps of the repair loop. Each may run twice: it starts by restoring what it needs."""

import asyncio
from dataclasses import replace

from reknit.core.check_answer import find_tampering, render_answer
from reknit.core.evidence.digest import summarize_failures
from reknit.core.fix_tests import events
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.flakiness import count_runs_before_retry, find_flaky_before_retry, may_run_again
from reknit.core.fix_tests.progress import RepairProgress, Try
from reknit.core.fix_tests.task import FixTests
from reknit.core.gate.verdict import GateVerdict
from reknit.core.projects.find import find_project
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult, ProvenAttempt
from reknit.core.runs.commits.message import read_subject
from reknit.core.runs.ending import TRIED, Ending
from reknit.core.runs.receipt import LandedFix
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import to_command_line
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport
from reknit.workflows.fix_tests.base_runs import forget_runs_on_base, look_at_base, remember_baseline
from reknit.workflows.fix_tests.verification import (
    collect_proof,
    commit_candidate,
    find_problem_key,
    forget_runs_of_proof,
    load_baseline,
    save_baseline,
    select_alone,
)
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, run_attempt
from reknit.workflows.shared.attempt_cycle import announce_wait, land_commit, record_attempt, write_receipt
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate_of_run
from reknit.workflows.shared.repository_facts import read_advice, read_conventions
from reknit.workflows.shared.run_end import end_run
from reknit.workflows.shared.work_folders import run_tests

FINDINGS_TOLD = 10
"""Findings that get their own event; the baseline document has them all."""


@step("observe.v1", preemptible=True)
async def observe(services: Services, spec: RunSpec) -> Baseline:
    """Measure the tests on base, and save what is red there."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits)
    services.ledger.put_event(spec.run_id, "started", events.report_start(spec))
    baseline = await look_at_base(services, spec)
    services.ledger.put_event(spec.run_id, "baseline", events.report_baseline(baseline, spec.base))
    for number, left_out in enumerate(baseline.left_out[:FINDINGS_TOLD], 1):
        services.ledger.put_event(spec.run_id, f"left-out-{number}", events.report_left_out(number, left_out))
    for finding in baseline.findings[:FINDINGS_TOLD]:
        services.ledger.put_event(spec.run_id, f"finding-{finding.id}", events.report_finding(finding))
    if len(baseline.findings) > FINDINGS_TOLD:
        services.ledger.put_event(
            spec.run_id, "findings-more", events.report_more_findings(baseline.findings[FINDINGS_TOLD:])
        )
    answered_by = (
        "" if spec.task_as(FixTests).again else services.ledger.find_answer(find_problem_key(services, spec, baseline))
    )
    saved_baseline = save_baseline(services, spec, replace(baseline, answered_by=answered_by))
    await asyncio.to_thread(remember_baseline, services, spec, baseline)
    forget_runs_on_base(services, spec)
    await _export_state(services, spec)
    return saved_baseline


@step("recheck.v1", preemptible=True)
async def recheck(services: Services, spec: RunSpec, move: Try, progress: RepairProgress) -> tuple[str, ...]:
    """Return the tests of the finding that pass now, without another change: flaky, so no agent is paid for them."""
    tests = move.finding.tests
    baseline = load_baseline(services, spec)
    if not select_alone(tests, spec, baseline):
        return ()
    await asyncio.to_thread(services.workspace(spec).ensure_commits, progress.head)
    runs: list[TestReport] = []
    flaky: tuple[str, ...] = ()
    while not flaky and may_run_again(runs, count_runs_before_retry(tests, runs)):
        name = f"recheck-{move.number}-{len(runs)}"
        runs.append(await run_tests(services, spec, name, progress.head, only=tests, skip=baseline.not_run))
        flaky = find_flaky_before_retry(tests, runs, on_base=progress.head == spec.base)
    if flaky:
        services.ledger.put_event(spec.run_id, f"flaky-{move.number}-{move.finding.id}", events.report_flaky(flaky))
    return flaky


@step("attempt.v1", preemptible=True)
async def work(services: Services, spec: RunSpec, move: Try, progress: RepairProgress) -> AttemptResult:
    """Have an agent work on the finding."""
    before = [earlier.feedback for earlier in progress.list_attempts(move.finding)]
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ensure_commits)
    attempt = progress.count_tries(move.finding, spec.limits) + 1
    facts = {
        "conventions": await asyncio.to_thread(read_conventions, workspace.repository, spec.base),
        "own_advice": await asyncio.to_thread(read_advice, workspace.repository, spec.base, attempt),
        "hint": spec.task_as(FixTests).hint,
        "finding": move.finding,
        "command": to_command_line(find_project(move.finding.subject, spec.projects) or spec.tests),
        "services": spec.services,
        "allowed": spec.waivers.in_force,
        "evidence": summarize_failures(progress.remaining) if len(progress.remaining) > 1 else "",
        "strategy": move.strategy,
        "feedback": before[-1] if before else "",
        "attempt": attempt,
        "attempts": progress.limit_tries(move.finding, spec.limits),
    }
    agent, prompt = spec.find_agent(move.agent), services.prompt("fix_tests", facts)
    task = AgentTask(f"attempt-{move.number}", move.number, agent, prompt, move.strategy)
    return await run_attempt(services, spec, task, move.finding, progress.head)


plan_wait = step("plan_wait.v1")(announce_wait)


@step("record.v1")
async def record(
    services: Services, spec: RunSpec, number: int, attempt: AttemptResult,
    gate: GateVerdict | None = None, proof: Proof | None = None,
) -> None:  # fmt: skip
    """Record the end of an attempt; without a verdict, the agent could not work."""
    await record_attempt(services, spec, number, attempt, gate, proof)
    await _export_state(services, spec)


async def _export_state(services: Services, spec: RunSpec) -> None:
    if spec.task_as(FixTests).writes_state:
        await asyncio.to_thread(services.state_exports.publish_bug, spec.repository, spec.run_id)


@step("judge.v1", preemptible=True)
async def judge(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, attempt: AttemptResult
) -> GateVerdict:
    """Judge this attempt's change, then the whole that would land."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, progress.head, attempt.after)
    test_files = load_baseline(services, spec).test_files
    change = ProposedChange(
        progress.head, attempt.after, attempt.unsafe, test_files, move.finding.file, failure=move.finding.message
    )
    whole = replace(change, base=spec.base, failing_file="", batches=progress.landed + 1)
    verdict = await ask_gate_of_run(services, spec, change, whole, keeps_advice=True)
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-gate", attempt_events.report_gate(move.number, verdict)
    )
    return verdict


@step("verify.v1", preemptible=True)
async def verify(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, attempt: AttemptResult, gate: GateVerdict
) -> Proof:
    """Prove the fix by test runs; a proof of exactly this tree is reused."""
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ensure_commits, progress.head, attempt.after)
    tree = f"{progress.head}-{workspace.repository.tree_of(attempt.after)}"
    name, refused = f"proof-{move.finding.id}-{tree}", f"tampering-{tree}"
    documents = (services.ledger.document(spec.run_id, document) for document in (name, refused))
    if saved_proof := next(filter(None, documents), ""):  # an earlier attempt left exactly this tree
        proof: Proof = replace(CODEC.deserialize(saved_proof), seconds=0.0, remembered=True)
    else:
        baseline = load_baseline(services, spec)
        proof = await collect_proof(services, spec, move, progress, attempt, baseline, advice=gate.advice)
        if proof.word != "unseen" and not proof.flaky:  # a failed measurement may succeed the next time
            document = (
                refused if find_tampering(proof.checks) else name
            )  # tampering is seen in a change, whatever it was for
            services.ledger.put_document(spec.run_id, document, CODEC.serialize(proof))
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-verify", attempt_events.report_proof(move.number, proof)
    )
    forget_runs_of_proof(services, spec, move)
    return proof


@step("land.v1")
async def land(services: Services, spec: RunSpec, move: Try, progress: RepairProgress, proven: ProvenAttempt) -> str:
    """Land the fix; a second call creates the same commit, because content, message and time are already fixed."""
    attempt, proof = proven.attempt, proven.proof
    await asyncio.to_thread(services.workspace(spec).ensure_commits, progress.head, attempt.after)
    commit = await asyncio.to_thread(commit_candidate, services, spec, move, progress, attempt, proven)
    await land_commit(services, spec, commit)
    subject = read_subject(services.workspace(spec).repository.messages(f"{commit}^", commit))
    fix = LandedFix(
        finding=move.finding.id,
        tests=proof.fixed,
        base=progress.head,
        commit=commit,
        attempt=move.number,
        strategy=move.strategy,
        agent=move.agent,
        evidence=proof.evidence,
        red_before=f"{proof.fixed[0]} was red every time on {spec.base[:7]}",
        green_after=proof.sentence,
        red_without=f"{len(proof.fixed)} test(s) were red again without the fix",
        cost_usd=attempt.call.usage.cost_usd,
        checks=tuple(map(render_answer, proof.checks)),
        holdout=proof.holdout,
        ran=(*load_baseline(services, spec).ran, *proof.ran),
    )
    write_receipt(services, spec, proven.gate, fix)
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-land", attempt_events.report_landing(commit, spec.branch, subject)
    )
    return commit


@step("finish.v1")
async def finish(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    """End the run, and remember that agents have tried this tree."""
    if ending.cause == TRIED:
        await asyncio.to_thread(services.workspace(spec).ensure_commits)
        services.ledger.record_answer(find_problem_key(services, spec, load_baseline(services, spec)), spec.run_id)
    await end_run(services, spec, ending)
    await _export_state(services, spec)
    return ending
