"""The steps of `fix issues`. Each may run twice: it starts by restoring what it needs."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reknit.core.agents.instructions import join_fixer_guides, join_rework_guides
from reknit.core.agents.strategy import Strategy, choose_strategy, escalate_from
from reknit.core.checks.tests import explain_broken_fix, report_baseline, report_verification
from reknit.core.finding import Finding
from reknit.core.fix_issues import run_text
from reknit.core.fix_issues.decision import Work, compute_fixer_budget
from reknit.core.fix_issues.progress import BacklogBaseline, BacklogProgress, list_kept_issues
from reknit.core.fix_issues.step_results import BatchProof
from reknit.core.fix_issues.task import FixIssues
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import Issue
from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import PlanFile
from reknit.core.planning.tasks import describe_task
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import ProofWord
from reknit.workflows.fix_issues.asked_tests import (
    NO_BASELINE,
    find_asked_tests,
    find_proven_issues,
    find_test_files,
    load_issues,
    propose_whole_change,
    prove_batch_tests,
    read_code_paths,
    save_issues,
)
from reknit.workflows.fix_issues.landing_steps import make_change_note
from reknit.workflows.fix_issues.tool_steps import ask_tools
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, run_attempt
from reknit.workflows.shared.attempt_cycle import announce_wait, record_attempt, refuse_proof
from reknit.workflows.shared.criteria import explain_failed_criteria
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate_of_run
from reknit.workflows.shared.repository_facts import read_conventions
from reknit.workflows.shared.tests_check import load_tests_result, run_tests_check


@step("observe_issues.v1", preemptible=True)
async def observe(services: Services, spec: RunSpec) -> BacklogBaseline:
    """Run the tests, then claim the issues: without a test result, none is claimed."""
    ledger, backlog = services.ledger, spec.task_as(FixIssues)
    await asyncio.to_thread(services.workspace(spec).ensure_commits)
    ledger.put_event(spec.run_id, "started", run_text.report_start(spec, backlog))
    tests = await run_tests_check(services, spec, "base", spec.base)
    ledger.put_event(spec.run_id, "baseline", report_baseline(tests, spec.base))
    if tests.status == "error":
        return BacklogBaseline(replace(tests, test_files=(), passing=()), ())
    planned: tuple[Status, ...] = ("OPEN", "FAILED") if spec.task_as(FixIssues).again else ("OPEN",)
    claimed_ids = services.issues.take(
        spec.run_id, backlog.issues, make_change_note(services, spec, "a run works on it"), planned
    )
    if len(claimed_ids) < len(backlog.issues):
        ledger.put_event(spec.run_id, "not-taken", run_text.report_not_claimed(backlog, claimed_ids))
    save_issues(services, spec, services.issues.issues(claimed_ids))
    return BacklogBaseline(replace(tests, test_files=(), passing=()), claimed_ids)


@step("work_issues.v1", preemptible=True)
async def work(services: Services, spec: RunSpec, progress: BacklogProgress, move: Work) -> AttemptResult:
    """Have an agent work on a batch of issues, or on the challenger's findings."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, progress.head)
    services.workspace(spec).repository.show(progress.head)
    issues = _issues_of(services, spec, progress, move)
    facts = {
        "command": spec.test_commands,
        "services": spec.services,
        "allowed": spec.waivers.in_force,
        "conventions": await asyncio.to_thread(read_conventions, services.workspace(spec).repository, spec.base),
        "issues": issues,
        "new_files": _new_files(spec, issues),
        "plan": await asyncio.to_thread(_facts_of_plan, services, spec, progress, issues),
        "feedback": move.feedback,
        "attempt": move.earlier_calls + 1,
        "attempts": spec.limits.attempts,
        **await asyncio.to_thread(_facts_of_batch if move.batch else _facts_of_rework, services, spec, progress, move),
    }
    about = Finding(_name(move), "tool", "issues", run_text.describe_work(move, issues, spec.task_as(FixIssues)))
    bounded = replace(
        spec, limits=replace(spec.limits, budget_usd=compute_fixer_budget(spec.task_as(FixIssues), spec.limits))
    )
    prompt = services.prompt("fix_issues" if move.batch else "rework_issues", facts)
    agent, strategy = spec.find_agent(move.agent), _strategy(spec, move)
    task = AgentTask(f"attempt-{move.number}", move.number, agent, prompt, strategy)
    return await run_attempt(services, bounded, task, about, progress.head)


def _strategy(spec: RunSpec, move: Work) -> Strategy:
    variant = spec.task_as(FixIssues).variant
    return (
        escalate_from(variant.strategy, move.earlier_calls + 1) if variant else choose_strategy(move.earlier_calls + 1)
    )


def _new_files(spec: RunSpec, issues: Sequence[Issue]) -> tuple[str, ...]:
    """Return the files that the plan asks to create."""
    variant = spec.task_as(FixIssues).variant
    new = variant.new_files if variant else ()
    return tuple(path for path in dict.fromkeys(issue.path for issue in issues) if path in new)


def _facts_of_plan(
    services: Services, spec: RunSpec, progress: BacklogProgress, issues: Sequence[Issue]
) -> Mapping[str, object] | None:
    """Return what an agent is told of the plan that started the run."""
    variant = spec.task_as(FixIssues).variant
    plan = parse_plan(variant.text) if variant else None
    if not variant or not isinstance(plan, PlanFile):
        return None
    tasks = [f"{number}. {describe_task(task)}" for number, task in enumerate(plan.tasks, 1)]
    changed = services.workspace(spec).repository.change(spec.base, progress.head).paths
    return {
        "topic": variant.topic, "reason": plan.plan, "tasks": tasks, "criteria": variant.criteria, "changed": changed,
        "due": [variant.criteria[number] for number in _due_criteria(spec, issues)],
    }  # fmt: skip


def _due_criteria(spec: RunSpec, issues: Sequence[Issue]) -> tuple[int, ...]:
    """Return the plan's criteria that have to hold once these tasks are done."""
    variant = spec.task_as(FixIssues).variant
    return variant.list_due([issue.message for issue in issues]) if variant else ()


def _name(move: Work) -> str:
    return f"B-{move.batch.number}" if move.batch else f"C-{move.round}"


def _issues_of(services: Services, spec: RunSpec, progress: BacklogProgress, move: Work) -> tuple[Issue, ...]:
    issue_ids = move.batch.issues if move.batch else list_kept_issues(progress, spec.task_as(FixIssues))
    return tuple(issue for issue in load_issues(services, spec) if issue.id in issue_ids)


def _facts_of_batch(_services: Services, spec: RunSpec, _progress: BacklogProgress, move: Work) -> Mapping[str, object]:
    batch, backlog = move.batch, spec.task_as(FixIssues)
    guides = join_fixer_guides(batch.kind, backlog.guides) if batch else ""
    return {"guides": guides, "batch": batch.number if batch else 0, "batches": len(backlog.batches)}


def _facts_of_rework(services: Services, spec: RunSpec, progress: BacklogProgress, move: Work) -> Mapping[str, object]:
    """Collect the challenger's typed report, never its reasoning: only the report goes from one vendor to the other."""
    review = progress.answered_scores[-1].review
    diff = services.workspace(spec).repository.diff(spec.base, progress.head)
    kinds = {batch.kind for batch in spec.task_as(FixIssues).batches if batch.number in progress.kept_batches}
    return {
        "guides": join_rework_guides(kinds, spec.task_as(FixIssues).guides),
        "diff": diff,
        "score": review.score_0_100 if review else 0,
        "threshold": spec.task_as(FixIssues).limits.threshold_0_100,
        "findings": review.findings if review else (),
        "summary": review.summary if review else "",
        "round": move.round,
        "rounds": spec.task_as(FixIssues).limits.rounds,
    }


@step("judge_issues.v1", preemptible=True)
async def judge(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, attempt: AttemptResult
) -> GateVerdict:
    """Judge this attempt's change, then the whole that would land: parts that pass must not add up to a cheat."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, progress.head, attempt.after)
    change = ProposedChange(progress.head, attempt.after, attempt.unsafe, find_test_files(services, spec))
    whole = propose_whole_change(services, spec, attempt.after, attempt.unsafe)
    keeps = bool(find_asked_tests(services, spec, progress.head, _issues_of(services, spec, progress, move)))
    verdict = await ask_gate_of_run(services, spec, change, whole, keeps_advice=keeps)
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-gate", attempt_events.report_gate(move.number, verdict)
    )
    return verdict


@step("prove_issues.v1", preemptible=True)
async def prove(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, attempt: AttemptResult, gate: GateVerdict
) -> BatchProof:
    """Prove that no test which passed on base is red or missing, on a commit that exists only in this run's gitdir.

    A red test that an issue names is proven like in `fix tests`.
    """
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ensure_commits, spec.base, progress.head, attempt.after)
    change = await asyncio.to_thread(workspace.repository.change, progress.head, attempt.after)
    message = f"{_name(move)} of {spec.run_id}, not landed\n"
    commit = await asyncio.to_thread(workspace.repository.commit, progress.head, change, message, at=attempt.at)
    issues = _issues_of(services, spec, progress, move)
    if move.batch and not {issue.path for issue in issues} & {*change.paths}:
        why = refuse_proof(services, spec, move.number, run_text.BESIDE_THE_ISSUES)  # it cannot resolve any issue
        return BatchProof(commit, why, 0.0, word="unproven")
    await asyncio.to_thread(workspace.repository.keep, f"refs/reknit/{spec.run_id}/kept-{move.number}", commit)
    after = await run_tests_check(services, spec, f"verify-{move.number}", commit, move.number)
    before = load_tests_result(services, spec, spec.base)
    why = explain_broken_fix(before, after, must_turn_green=False) if before else NO_BASELINE
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-verify", report_verification(move.number, after, why)
    )
    word: ProofWord = "unseen" if after.status == "error" or not before else "regressed" if why else "held"
    proof = BatchProof(commit, why, after.seconds, after.passed, word)
    if not why and (due := _due_criteria(spec, issues)):
        why = await explain_failed_criteria(services, spec, commit, due, after)
        refuse_proof(services, spec, move.number, why)
        proof = replace(proof, why=why, word="unproven" if why else word)
    if not why:
        proof = await prove_batch_tests(
            services, spec, progress, move, proof, issues=issues, attempt=attempt, gate=gate
        )
    if proof.why:
        return proof
    if (
        variant := spec.task_as(FixIssues).variant
    ) and variant.criteria:  # these are checked after the commit, and decide how the run ends
        own = (*progress.checked_issues, *(move.batch.issues if move.batch else ()))
    else:
        own = find_proven_issues(services, spec, progress, move, after)
    proof = await ask_tools(services, spec, progress, move, replace(proof, checked_issues=own))
    if proof.why or not move.batch:
        return proof
    code = await read_code_paths(services, change)
    is_addressed = any(issue.path in code or issue.id in proof.checked_issues for issue in issues)
    if is_addressed:
        return proof
    return replace(proof, why=refuse_proof(services, spec, move.number, run_text.ONLY_COMMENTS), word="unproven")


record = step("record_issues.v1")(record_attempt)
plan_wait = step("plan_wait_issues.v1")(announce_wait)
