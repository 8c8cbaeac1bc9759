"""The steps of `review` that fix what the progress file lists. Each may run twice: it first restores what it needs."""

import asyncio
import json
from dataclasses import replace

from reknit.core.checks.proof import ProofText, render_proof
from reknit.core.checks.status import TestsResult
from reknit.core.checks.tests import report_baseline
from reknit.core.errors import ReknitError
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import ChangeNote
from reknit.core.review import run_text
from reknit.core.review.answer import MAX_TEXT_CHARS, SECOND_LOOK, build_last_entries
from reknit.core.review.decision import FixFindings
from reknit.core.review.findings import DOCUMENT, findings_to_document
from reknit.core.review.progress import (
    NOTHING_TO_TRY,
    FindingBatch,
    KnownFinding,
    LeftOutFinding,
    ListedWork,
    ReviewerAnswer,
    ReviewProgress,
    list_work,
)
from reknit.core.review.progress_file.entries import FailedEntry, FixEntry, ReviewEntry
from reknit.core.review.progress_file.parsing import parse_entries
from reknit.core.review.progress_file.printing import print_entry, to_printable
from reknit.core.review.step_results import FixProof
from reknit.core.review.task import ReviewChange
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.commits.message import read_subject
from reknit.core.runs.ending import Ending
from reknit.core.runs.receipt import LandedFix
from reknit.core.runs.spec import RunSpec
from reknit.core.text.format import to_one_line
from reknit.core.text.truncate import truncate_chars
from reknit.workflows.review.ask_step import load_review, save_review
from reknit.workflows.review.prove_step import make_mutants, needs_new_tests
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, run_attempt
from reknit.workflows.shared.attempt_cycle import announce_wait, land_commit, record_attempt, write_receipt
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate_of_run
from reknit.workflows.shared.proofs import find_red_tests, load_asked_proof
from reknit.workflows.shared.repository_facts import read_conventions
from reknit.workflows.shared.run_end import end_run
from reknit.workflows.shared.saved_values import load_value, save_value
from reknit.workflows.shared.tests_check import list_test_runs, load_tests_result, run_tests_check


def note_change(services: Services, spec: RunSpec, why: str, commit: str = "") -> ChangeNote:
    """Return the note on a change of an issue's status."""
    return ChangeNote("reknit review", why[:500], services.clock(), spec.run_id, commit)


@step("open_review.v1")
async def open_review(services: Services, spec: RunSpec) -> tuple[ReviewerAnswer, ...]:
    """Start the run. Returns the reviews of the run that this one resumes, if it resumes any."""
    services.ledger.put_event(spec.run_id, "started", run_text.report_start(spec))
    if not spec.task_as(ReviewChange).resumes:
        return ()
    earlier, answers = replace(spec, run_id=spec.task_as(ReviewChange).resumes), []
    for reviewer, _ in spec.task_as(ReviewChange).reviewers:
        if saved := load_review(services, earlier, reviewer.name):
            save_review(services, spec, reviewer.name, saved)
        verdict, count, why = (
            (saved.verdict, len(saved.findings), "") if saved else (None, 0, f"not in {earlier.run_id}")
        )
        answers.append(ReviewerAnswer(reviewer.name, reviewer.level, verdict, count, why))
    return tuple(answers)


@step("read_findings.v1")
async def read_findings(services: Services, spec: RunSpec, answers: tuple[ReviewerAnswer, ...]) -> ListedWork:
    """Read the findings to fix from the progress file: a person may have deleted, reworded or added some."""
    target = spec.task_as(ReviewChange)
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base)
    text = await asyncio.to_thread(services.working_tree.read, spec.repository, target.progress)
    parsed = parse_entries(text)
    reviews = [saved for answer in answers if (saved := load_review(services, spec, answer.reviewer))]
    numbered = {finding.finding.id: finding for saved in reviews for finding in saved.findings}
    issues = [finding.issue for finding in numbered.values() if finding.issue]
    stored = services.issues.issues(issues)
    open_ids = {issue.id for issue in stored if issue.status in target.statuses}
    held_ids = {issue.id for issue in stored if issue.run_id == spec.run_id and issue.status == "IN_PROGRESS"}
    resolved_ids = {issue.id for issue in stored if issue.status == "RESOLVED"}
    known_findings = {
        name: KnownFinding(
            finding.issue, finding.points, finding.issue in open_ids | held_ids, finding.issue in resolved_ids
        )
        for name, finding in numbered.items()
    }
    entries = [located.entry for located in parsed.entries]
    if not target.resumes:  # a second look is newer than the review of an earlier run, not than this run's
        entries = [entry for entry in entries if not isinstance(entry, ReviewEntry) or entry.reason != SECOND_LOOK]
    work = list_work(entries, answers, known_findings, strict=target.strict)
    work = await _leave_out_untriable(services, spec, work)
    tracked = frozenset(services.workspace(spec).repository.paths(spec.base))
    listed_findings = [finding for batch in work.batches for finding in batch.findings]
    absent = [
        f"{finding.id} names {to_one_line(finding.file)}, which is no file here"
        for finding in listed_findings
        if finding.file not in tracked
    ]
    work = replace(work, problems=(*map(str, parsed.problems), *absent))
    issue_ids = [] if work.problems else [issue for batch in work.batches for issue in batch.issues]
    services.issues.take(spec.run_id, issue_ids, note_change(services, spec, "a run works on it"), target.statuses)
    services.ledger.put_event(
        spec.run_id, "listed", run_text.report_listed_work(work, target.progress, parsed.problems)
    )
    return work


async def _leave_out_untriable(services: Services, spec: RunSpec, work: ListedWork) -> ListedWork:
    """Leave out findings about tests if no code of the reviewed change could be made wrong to try the new tests."""
    about_tests = [batch for batch in work.batches if needs_new_tests(spec, batch)]
    if not about_tests or await make_mutants(services, spec, about_tests[0], spec.base, spec.base) != NOTHING_TO_TRY:
        return work
    left_out = [
        LeftOutFinding(batch.reviewer, name, title, NOTHING_TO_TRY)
        for batch in about_tests
        for name, title in zip(batch.ids, batch.titles, strict=True)
    ]
    batches = tuple(batch for batch in work.batches if batch not in about_tests)
    untried = tuple(finding.id for finding in left_out)
    return replace(work, batches=batches, untriable=untried, left_out=(*work.left_out, *left_out))


@step("observe_review.v1", preemptible=True)
async def observe(services: Services, spec: RunSpec) -> TestsResult:
    """Run the tests on base."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits)
    tests = await run_tests_check(services, spec, "base", spec.base)
    services.ledger.put_event(spec.run_id, "baseline", report_baseline(tests, spec.base))
    return replace(tests, test_files=(), passing=())


@step("work_review.v1", preemptible=True)
async def work(services: Services, spec: RunSpec, progress: ReviewProgress, move: FixFindings) -> AttemptResult:
    """Have an agent work on the findings of one batch."""
    workspace, batch = services.workspace(spec), move.batch
    await asyncio.to_thread(workspace.ensure_commits, progress.head)
    workspace.repository.show(progress.head)
    facts = {
        "command": spec.test_commands,
        "services": spec.services,
        "allowed": spec.waivers.in_force,
        "conventions": await asyncio.to_thread(read_conventions, workspace.repository, spec.base),
        "reviewer": batch.reviewer,
        "findings": batch.findings,
        "about_tests": batch.is_about_tests,
        "strategy": move.strategy,
        "feedback": move.feedback,
        "attempt": move.earlier_attempts + 1,
        "attempts": spec.limits.attempts,
    }
    first = batch.findings[0]
    about = Finding(
        batch.name, "review", first.category, run_text.describe_batch(batch), first.file, first.line, first.issue
    )
    agent, prompt = spec.find_agent(move.agent), services.prompt("fix_review", facts)
    task = AgentTask(f"attempt-{move.number}", move.number, agent, prompt, move.strategy)
    return await run_attempt(services, spec, task, about, progress.head)


@step("judge_review.v1", preemptible=True)
async def judge(
    services: Services, spec: RunSpec, progress: ReviewProgress, move: FixFindings, attempt: AttemptResult
) -> GateVerdict:
    """Judge this attempt's change, then the whole that would land."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base, progress.head, attempt.after)
    before = load_tests_result(services, spec, spec.base)
    test_files = before.test_files if before else ()
    change = ProposedChange(progress.head, attempt.after, attempt.unsafe, test_files)
    fixes = len(progress.work.batches) if progress.work else 1
    whole = ProposedChange(spec.base, attempt.after, attempt.unsafe, test_files, batches=fixes)
    keeps = bool(find_red_tests(services, spec, progress.head, move.batch.texts))
    verdict = await ask_gate_of_run(services, spec, change, whole, keeps_advice=keeps)
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-gate", attempt_events.report_gate(move.number, verdict)
    )
    return verdict


record = step("record_review.v1")(record_attempt)
plan_wait = step("plan_wait_review.v1")(announce_wait)


@step("land_review.v1")
async def land(
    services: Services, spec: RunSpec, move: FixFindings, attempt: AttemptResult, gate: GateVerdict, proof: FixProof
) -> None:
    """Land one fix as one commit. Its issues become RESOLVED by it, and the progress file says so."""
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ensure_commits, spec.base, proof.commit)
    await land_commit(services, spec, proof.commit)
    parent = workspace.repository.resolve(f"{proof.commit}^")
    proofs = load_asked_proof(services, spec, f"attempt-{move.number}")
    passed = f"{proof.passed} passed, no new failures"
    text = render_proof(proofs, parent, ProofText(run_text.describe_batch(move.batch), passed, ""))
    fix = LandedFix(
        finding=move.batch.name,
        tests=tuple(test for proof in proofs for test in proof.fixed),
        base=parent,
        commit=proof.commit,
        attempt=move.number,
        strategy=move.strategy,
        agent=move.agent,
        evidence=spec.evidence,
        **vars(text),
        cost_usd=attempt.call.usage.cost_usd,
        judged=f"{move.batch.reviewer} has no objection",
        ran=list_test_runs(services, spec, spec.base, proof.commit),
    )
    write_receipt(services, spec, gate, fix)
    files = workspace.repository.change(parent, proof.commit).paths
    subject = read_subject(workspace.repository.messages(parent, proof.commit))
    note = note_change(services, spec, f"fixed in {proof.commit[:12]}", proof.commit)
    services.issues.settle(spec.run_id, move.batch.issues, "RESOLVED", note)
    attempts = (move.earlier_attempts + 1, spec.limits.attempts)
    fixed = run_text.describe_fix(move.batch, attempt.call)
    entry = FixEntry(attempt.at, move.batch.reviewer, move.batch.ids, fixed, files, *attempts)
    await enter(services, spec, print_entry(to_printable(entry)))
    services.ledger.put_event(
        spec.run_id, f"landed-{move.number}", run_text.report_landing(move.batch, proof.commit, spec.branch, subject)
    )


@step("give_up_review.v1")
async def give_up(services: Services, spec: RunSpec, batch: FindingBatch, attempt: AttemptResult, why: str) -> None:
    """Mark the issues of a batch as FAILED, and say so in the progress file."""
    services.issues.settle(spec.run_id, batch.issues, "FAILED", note_change(services, spec, why))
    attempts, reason = spec.limits.attempts, truncate_chars(why, MAX_TEXT_CHARS)
    entry = FailedEntry(attempt.at, batch.reviewer, batch.ids, batch.titles, attempts, reason, attempts)
    await enter(services, spec, print_entry(to_printable(entry)))
    services.ledger.put_event(spec.run_id, f"batch-{batch.number}-failed", run_text.report_give_up(batch, why))


async def enter(services: Services, spec: RunSpec, text: str) -> None:
    """Append a text to the progress file, if the run has one."""
    if path := spec.task_as(ReviewChange).progress:
        await asyncio.to_thread(services.working_tree.append, spec.repository, path, text)


async def _enter_rest(services: Services, spec: RunSpec, ending: Ending, progress: ReviewProgress) -> None:
    """Append an entry for each reviewer without an answer, and for the findings that are not fixed."""
    saved = load_value(services, spec, "ended-at")  # a repeated step writes the same lines, which are not added twice
    at = saved if isinstance(saved, float) else save_value(services, spec, "ended-at", services.clock())
    try:
        for entry in build_last_entries(progress, spec, at, ending.reason):
            await enter(services, spec, print_entry(to_printable(entry)))
    except ReknitError as problem:  # the ending stays what it is
        services.ledger.put_event(spec.run_id, "rest-not-entered", run_text.report_unwritten(problem))


@step("finish_review.v1")
async def finish(services: Services, spec: RunSpec, ending: Ending, progress: ReviewProgress | None = None) -> Ending:
    """End the run, which reopens the issues that it still holds.

    `progress`: None if an error ended the run, or if it ended before a reviewer was asked.
    """
    if progress:
        await _enter_rest(services, spec, ending, progress)
    names = [reviewer.name for reviewer, _ in spec.task_as(ReviewChange).reviewers]
    reviews = {name: saved for name in names if (saved := load_review(services, spec, name))}
    document = findings_to_document(spec.task_as(ReviewChange), reviews)
    services.ledger.put_document(spec.run_id, DOCUMENT, json.dumps(document))
    await end_run(services, spec, ending)
    return ending
