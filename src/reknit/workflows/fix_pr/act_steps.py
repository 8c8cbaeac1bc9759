"""The steps of `fix pr` that act. Only what the gate accepted and the tests confirmed reaches the forge."""

import asyncio
import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reknit.core.checks.proof import explain_refused_proof, select_turned_green
from reknit.core.checks.tests import explain_broken_fix
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.push import (
    BranchMoved,
    Candidate,
    NotPushed,
    Pushed,
    find_answered_reviews,
    find_answered_threads,
)
from reknit.core.fix_pr.state import Fix, PullRunState, list_target_tests
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.permission import FixBlocked, PullSnapshot
from reknit.core.forge.values import CiCheck, ForgeFailure, PushAnswer
from reknit.core.gate.rules.size_and_reach import count_lines
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import append_allowed
from reknit.core.repository.paths import is_in_test_folder, is_test_file
from reknit.core.repository.prompt_excerpts import cut_diff
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.commits.message import read_subject
from reknit.core.runs.spec import RunSpec
from reknit.ports.forge import Forge
from reknit.workflows.fix_pr.ci_history import note_rerun
from reknit.workflows.fix_pr.observe_steps import find_newest_foreign_commit, run_tests_once
from reknit.workflows.fix_pr.record_steps import update_pull_request
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, run_attempt
from reknit.workflows.shared.forge_calls import ask_forge, make_remote
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate_of_run
from reknit.workflows.shared.proofs import AskedFix, prove_asked_fix
from reknit.workflows.shared.repository_facts import read_conventions
from reknit.workflows.shared.tests_check import load_tests_result

DIFF_BYTES = 24_000


@step("fix.v1", preemptible=True)
async def fix(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, checks: ChecksSnapshot, move: Fix
) -> AttemptResult:
    """Have an agent fix the findings of this iteration."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, snapshot.head, snapshot.base)
    facts = await asyncio.to_thread(_facts, services, spec, snapshot, checks, move)
    about = Finding(f"i{move.number}", "tool", "iteration", events.describe_work(move.findings))
    agent, prompt = spec.find_agent(move.agent), services.prompt("fix_pr", facts)
    await update_pull_request(services, spec, None, f"asks {agent.name} to work on {about.subject}")
    task = AgentTask(f"attempt-{move.number}", move.number, agent, prompt, move.strategy)
    return await run_attempt(services, spec, task, about, snapshot.head)


def _facts(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, checks: ChecksSnapshot, move: Fix
) -> Mapping[str, object]:
    repository = services.workspace(spec).repository
    by_source = {
        source: tuple(finding for finding in move.findings if finding.source == source)
        for source in ("tests", "ci", "review")
    }
    return {
        "command": spec.test_commands,
        "services": spec.services,
        "allowed": spec.waivers.in_force,
        "conventions": read_conventions(repository, snapshot.base),
        "diff": cut_diff(repository.diff(snapshot.base, snapshot.head), DIFF_BYTES),
        **by_source,
        "tests_error": checks.tests.output_tail if checks.tests.status == "error" else "",
        "only_critical": move.only_critical,
        "strategy": move.strategy,
        "feedback": move.feedback,
        "iteration": move.number,
        "iterations": spec.task_as(FixPullRequest).limits.iterations,
    }


@step("gate.v1", preemptible=True)
async def gate(
    services: Services,
    spec: RunSpec,
    state: PullRunState,
    snapshot: PullSnapshot,
    candidate: Candidate,
    attempt: AttemptResult,
    *,
    keeps_advice: bool = False,
) -> GateVerdict:
    """Judge a candidate: the agent's change on top of the head it started from, or of a newer one.

    `keeps_advice`: the tests that the fix was asked about show how it behaves, so advice does not refuse it yet.
    """
    head = candidate.head
    await asyncio.to_thread(services.workspace(spec).ensure_commits, head, candidate.commit, snapshot.head)

    def change_since(base: str, tested: str, batches: int = 1) -> ProposedChange:
        tests = load_tests_result(services, spec, tested)
        return ProposedChange(
            base, candidate.commit, attempt.unsafe, tests.test_files if tests else (), batches=batches
        )

    first = await asyncio.to_thread(find_newest_foreign_commit, services, spec, state, head, snapshot.base)
    whole = change_since(first, first, len(state.commits) + 1)
    change = change_since(head, snapshot.head)
    verdict = await ask_gate_of_run(services, spec, change, whole, keeps_advice=keeps_advice)
    event = attempt_events.report_gate(state.number, verdict)
    services.ledger.put_event(spec.run_id, f"attempt-{state.number}-gate-{head}", event)
    return verdict


@step("prove.v1", preemptible=True)
async def prove(
    services: Services,
    spec: RunSpec,
    state: PullRunState,
    checks: ChecksSnapshot,
    move: Fix,
    candidate: Candidate,
    *,
    at: float,
    advice: Sequence[Refusal],
) -> NotPushed | None:
    """Run the tests on the commit as it would land, and those it was asked about without it. None if they hold.

    `at`: when the change was made. `advice`: what the gate suspects.
    """
    after = await run_tests_once(services, spec, state, candidate.commit)
    before = load_tests_result(services, spec, checks.head, state.errors) or checks.tests
    why = explain_broken_fix(before, after, must_turn_green="tests" in move.parts)
    event = events.report_verification(move.number, after, why)
    services.ledger.put_event(spec.run_id, f"attempt-{move.number}-prove-{candidate.commit}", event)
    if why:
        return NotPushed("the tests did not hold", why)
    asked_fix = AskedFix(candidate.commit, candidate.head, candidate.commit, at, before, after, list_target_tests(move))
    proof = await prove_asked_fix(services, spec, asked_fix, advice)
    if asked_fix.asked:
        proof_event = attempt_events.report_proof(move.number, proof)
        services.ledger.put_event(spec.run_id, f"attempt-{move.number}-proof-{candidate.commit}", proof_event)
    why = explain_refused_proof(proof)
    unproven = select_turned_green(before, after, asked_fix.asked) if proof.word == "unproven" else ()
    return NotPushed(proof.sentence, why, refused=proof.word == "refused", unproven=unproven) if why else None


@step("draft.v1")
async def draft(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, move: Fix, attempt: AttemptResult, gate: GateVerdict
) -> Candidate:
    """Create the commit that would land; a second call creates the same one, because its time is already fixed."""
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ensure_commits, snapshot.head, attempt.after)
    change = await asyncio.to_thread(workspace.repository.change, snapshot.head, attempt.after)
    text = events.format_commit_message(move, spec.run_id, snapshot.hop, change.paths, attempt.call.report)
    message = append_allowed(text, gate.allowed)
    commit = await asyncio.to_thread(workspace.repository.commit, snapshot.head, change, message, at=attempt.at)
    return Candidate(commit, snapshot.head)


@step("push.v1")
async def push(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, move: Fix, candidate: Candidate
) -> Pushed | BranchMoved | FixBlocked | ForgeFailure:
    """Push with a lease on the head that the fix was made for: another person's commit is never overwritten."""
    repository = services.workspace(spec).repository
    await asyncio.to_thread(services.workspace(spec).ensure_commits, candidate.commit)

    def question(_: Forge) -> PushAnswer:
        target = make_remote(services, spec, snapshot.head_url)
        return repository.push_to(target, candidate.commit, snapshot.head_ref, expect=candidate.head)

    answer = await ask_forge(services, spec, question)
    if isinstance(answer, ForgeFailure):
        return answer
    if answer.word == "moved":
        return BranchMoved(answer.detail)
    if answer.word == "barred":
        return events.block_for_protection(snapshot.head_ref, answer.detail, spec.run_id, move.number)
    if answer.word != "done":
        return ForgeFailure(answer.word, answer.detail)
    return await asyncio.to_thread(_record_push, services, spec, snapshot, move, candidate)


def _record_push(services: Services, spec: RunSpec, snapshot: PullSnapshot, move: Fix, candidate: Candidate) -> Pushed:
    repository = services.workspace(spec).repository
    change = repository.change(candidate.head, candidate.commit)
    tests = tuple(file for file in change.files if is_test_file(file.path) or is_in_test_folder(file.path))
    grown = [added - removed for added, removed in (count_lines(change), count_lines(replace(change, files=tests)))]
    subject = read_subject(repository.messages(f"{candidate.commit}^", candidate.commit))
    event = events.report_push(move.number, candidate.commit, snapshot.head_ref, subject)
    services.ledger.put_event(spec.run_id, f"attempt-{move.number}-push", event)
    return Pushed(candidate.commit, grown[0] - grown[1], grown[1], find_answered_reviews(move.findings))


@step("replay.v1")
async def replay(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, move: Fix, candidate: Candidate, attempt: AttemptResult
) -> Candidate | Pushed | NotPushed | ForgeFailure:
    """Apply the change on top of what another person pushed; if it conflicts, the next iteration starts from there."""
    repository, ref = services.workspace(spec).repository, f"refs/heads/{snapshot.head_ref}"
    heads = await ask_forge(
        services, spec, lambda _: repository.fetch_from(make_remote(services, spec, snapshot.head_url), [ref])
    )
    if isinstance(heads, ForgeFailure):
        return heads
    head = heads.get(ref, "")
    if not head or snapshot.by_label or not await asyncio.to_thread(repository.is_ancestor, candidate.head, head):
        return NotPushed("the branch was rewritten or removed in the meantime; checking it again")
    if await asyncio.to_thread(repository.is_ancestor, candidate.commit, head):
        return await asyncio.to_thread(
            _record_push, services, spec, snapshot, move, candidate
        )  # and others built on it
    commit = await asyncio.to_thread(repository.replay, candidate.commit, head, at=attempt.at)
    if not commit or commit == head:
        return NotPushed("a conflicting change was pushed; checking the branch again")
    return Candidate(commit, head)


@step("rerun.v1")
async def rerun(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, checks: tuple[CiCheck, ...]
) -> ForgeFailure | None:
    """Ask the forge to run these checks again."""
    for check in checks:
        answer = await ask_forge(services, spec, functools.partial(_run_again, check))
        if isinstance(answer, ForgeFailure) and answer.kind in ("limited", "unreachable"):
            return answer
        # Noted at once, one by one; a check we may not re-run is not requested again either.
        note_rerun(services, spec, snapshot.head, check)
        services.ledger.put_event(spec.run_id, f"rerun-{snapshot.head}-{check.id}", events.report_rerun(check, answer))
    return None


def _run_again(check: CiCheck, forge: Forge) -> None:
    forge.rerun(check)


@step("answer.v1")
async def answer_threads(services: Services, spec: RunSpec, move: Fix, landed: Pushed) -> ForgeFailure | None:
    """Reply once in each thread whose line the commit changed; that resolves the thread."""
    repository = services.workspace(spec).repository
    await asyncio.to_thread(services.workspace(spec).ensure_commits, landed.commit)
    change = await asyncio.to_thread(repository.change, f"{landed.commit}^", landed.commit)
    threads, key = find_answered_threads(move.findings, change), f"{spec.run_id}-{move.number}"

    def question(forge: Forge) -> None:
        for finding in threads:
            forge.answer(events.to_remark(finding), key, events.format_reply(landed.commit, spec.run_id))

    return await ask_forge(services, spec, question) if threads else None
