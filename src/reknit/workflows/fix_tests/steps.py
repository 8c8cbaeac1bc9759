"""The steps of the repair loop. Each may run twice: it starts by restoring what it needs."""

import asyncio
from dataclasses import replace

from reknit.core.check_answer import answer_text, tampering
from reknit.core.evidence.digest import digest
from reknit.core.fix_tests import events
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.flakiness import flaky_before_retry, may_run_again, runs_before_retry
from reknit.core.fix_tests.progress import RepairProgress, Try
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult, ProvenAttempt
from reknit.core.runs.ending import TRIED, Ending
from reknit.core.runs.receipt import LandedFix
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command_line import as_typed
from reknit.core.testing.projects.find import project_of
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport
from reknit.workflows.fix_tests.base_runs import forget_runs_on_base, look_at_base, remember_baseline
from reknit.workflows.fix_tests.verification import (
    candidate,
    collect_proof,
    forget_runs_of_proof,
    keep_baseline,
    known_baseline,
    problem_key_of,
    select_alone,
)
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared import agent_attempt, attempt_cycle, landing
from reknit.workflows.shared.agent_call import AgentTask
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate_of_run
from reknit.workflows.shared.prompt_facts import conventions
from reknit.workflows.shared.work_folders import run_tests

FINDINGS_TOLD = 10
"""Findings that get their own event; the baseline document has them all."""


@step("observe.v1", preemptible=True)
async def observe(services: Services, spec: RunSpec) -> Baseline:
    await asyncio.to_thread(services.workspace(spec).ready)
    services.ledger.event(spec.run_id, "started", events.opening(spec))
    baseline = await look_at_base(services, spec)
    services.ledger.event(spec.run_id, "baseline", events.baseline_seen(baseline, spec.base))
    for number, left_out in enumerate(baseline.left_out[:FINDINGS_TOLD], 1):
        services.ledger.event(spec.run_id, f"left-out-{number}", events.tests_left_out(number, left_out))
    for finding in baseline.findings[:FINDINGS_TOLD]:
        services.ledger.event(spec.run_id, f"finding-{finding.id}", events.finding_seen(finding))
    if len(baseline.findings) > FINDINGS_TOLD:
        services.ledger.event(spec.run_id, "findings-more", events.more_findings(baseline.findings[FINDINGS_TOLD:]))
    answered_by = "" if spec.again else services.ledger.remembered(problem_key_of(services, spec, baseline))
    kept = keep_baseline(services, spec, replace(baseline, answered_by=answered_by))
    await asyncio.to_thread(remember_baseline, services, spec, baseline)
    forget_runs_on_base(services, spec)
    return kept


@step("recheck.v1", preemptible=True)
async def recheck(services: Services, spec: RunSpec, move: Try, progress: RepairProgress) -> tuple[str, ...]:
    """Tests of the finding that pass now, without another change: flaky, so no agent is paid for them."""
    tests = move.finding.tests
    baseline = known_baseline(services, spec)
    if not select_alone(tests, spec, baseline):
        return ()
    await asyncio.to_thread(services.workspace(spec).ready, progress.head)
    runs: list[TestReport] = []
    flaky: tuple[str, ...] = ()
    while not flaky and may_run_again(runs, runs_before_retry(tests, runs)):
        name = f"recheck-{move.number}-{len(runs)}"
        runs.append(await run_tests(services, spec, name, progress.head, only=tests, skip=baseline.not_run))
        flaky = flaky_before_retry(tests, runs, on_base=progress.head == spec.base)
    if flaky:
        services.ledger.event(spec.run_id, f"flaky-{move.number}-{move.finding.id}", events.flaky_seen(flaky))
    return flaky


@step("attempt.v1", preemptible=True)
async def attempt(services: Services, spec: RunSpec, move: Try, progress: RepairProgress) -> AttemptResult:
    before = [tried.feedback for tried in progress.attempts_on(move.finding)]
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready)
    facts = {
        "conventions": await asyncio.to_thread(conventions, workspace.repository, spec.base),
        "finding": move.finding,
        "command": as_typed(project_of(move.finding.subject, spec.projects) or spec.tests),
        "services": spec.services,
        "allowed": spec.waivers.in_force,
        "evidence": digest(progress.left) if len(progress.left) > 1 else "",
        "strategy": move.strategy,
        "feedback": before[-1] if before else "",
        "attempt": progress.tries_on(move.finding, spec.limits) + 1,
        "attempts": progress.most_tries_on(move.finding, spec.limits),
    }
    agent, prompt = spec.agent_named(move.agent), services.prompt("fix_tests", facts)
    task = AgentTask(f"attempt-{move.number}", move.number, agent, prompt, move.strategy)
    return await agent_attempt.work(services, spec, task, move.finding, progress.head)


plan_wait = step("plan_wait.v1")(attempt_cycle.plan_wait)
record = step("record.v1")(attempt_cycle.record)


@step("judge.v1", preemptible=True)
async def judge(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, made: AttemptResult
) -> GateVerdict:
    await asyncio.to_thread(services.workspace(spec).ready, progress.head, made.after)
    test_files = known_baseline(services, spec).test_files
    change = ProposedChange(
        progress.head, made.after, made.unsafe, test_files, move.finding.file, failure=move.finding.message
    )
    whole = replace(change, base=spec.base, failing_file="", batches=progress.landed + 1)
    verdict = await ask_gate_of_run(services, spec, change, whole, keeps_advice=True)
    services.ledger.event(spec.run_id, f"attempt-{move.number}-gate", attempt_events.gate_said(move.number, verdict))
    return verdict


@step("verify.v1", preemptible=True)
async def verify(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, made: AttemptResult, gate: GateVerdict
) -> Proof:
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, progress.head, made.after)
    tree = f"{progress.head}-{workspace.repository.tree_of(made.after)}"
    name, refused = f"proof-{move.finding.id}-{tree}", f"tampering-{tree}"
    documents = (services.ledger.document(spec.run_id, each) for each in (name, refused))
    if known := next(filter(None, documents), ""):  # an earlier attempt left exactly this tree
        proof: Proof = replace(CODEC.deserialize(known), seconds=0.0, remembered=True)
    else:
        baseline = known_baseline(services, spec)
        proof = await collect_proof(services, spec, move, progress, made, baseline, advice=gate.advice)
        if proof.word != "unseen" and not proof.flaky:  # a failed measurement may succeed the next time
            kept = refused if tampering(proof.checks) else name  # tampering is seen in a change, whatever it was for
            services.ledger.put_document(spec.run_id, kept, CODEC.serialize(proof))
    services.ledger.event(spec.run_id, f"attempt-{move.number}-verify", attempt_events.proof_said(move.number, proof))
    forget_runs_of_proof(services, spec, move)
    return proof


@step("land.v1")
async def land(services: Services, spec: RunSpec, move: Try, progress: RepairProgress, proven: ProvenAttempt) -> str:
    """Creates the same commit however often it runs: content, message and time are already fixed."""
    made, proof = proven.made, proven.proof
    await asyncio.to_thread(services.workspace(spec).ready, progress.head, made.after)
    commit = await asyncio.to_thread(candidate, services, spec, move, progress, made, proven)
    await landing.land(services, spec, commit)
    subject = events.commit_subject(move.finding, move.number, proof.fixed)
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
        cost_usd=made.call.usage.cost_usd,
        checks=tuple(map(answer_text, proof.checks)),
        holdout=proof.holdout,
        ran=(*known_baseline(services, spec).ran, *proof.ran),
    )
    landing.write_receipt(services, spec, proven.gate, fix)
    services.ledger.event(
        spec.run_id, f"attempt-{move.number}-land", attempt_events.landed(commit, spec.branch, subject)
    )
    return commit


@step("finish.v1")
async def finish(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    if ending.cause == TRIED:
        await asyncio.to_thread(services.workspace(spec).ready)
        services.ledger.remember(problem_key_of(services, spec, known_baseline(services, spec)), spec.run_id)
    services.ledger.end(spec.run_id, ending)
    return ending
