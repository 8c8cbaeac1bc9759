"""The steps of `review` that fix what the progress file lists. Each may run twice: it first restores what it needs."""

import asyncio
import json
from dataclasses import replace

from reknit.core.checks import tests_text
from reknit.core.checks.asked_tests import ProofText, proof_text, why_refused
from reknit.core.checks.status import TestsResult
from reknit.core.checks.tests import why_not
from reknit.core.errors import InternalError
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import with_allowed
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import ChangeNote
from reknit.core.review import run_text
from reknit.core.review.answer import LONGEST
from reknit.core.review.decision import FixFindings
from reknit.core.review.listing import KnownFinding, listed_work
from reknit.core.review.output.findings import DOCUMENT, findings_document
from reknit.core.review.progress import FindingBatch, HeardReview, ListedWork, ReviewProgress
from reknit.core.review.progress_file.entries import FailedEntry, FixEntry
from reknit.core.review.progress_file.parsing import parse_entries
from reknit.core.review.progress_file.printing import print_entry, printable
from reknit.core.review.step_results import FixProof
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.receipt import LandedFix
from reknit.core.runs.spec import RunSpec
from reknit.core.text.format import one_line
from reknit.core.text.truncate import truncate_chars
from reknit.workflows.review.saved_reviews import saved_review
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared import agent_attempt, attempt_cycle, landing
from reknit.workflows.shared.agent_call import AgentTask
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate_of_run
from reknit.workflows.shared.prompt_facts import conventions
from reknit.workflows.shared.proofs.asked_tests import proof_of_asked_tests, prove_named_tests, red_tests_named
from reknit.workflows.shared.tests_check import known_tests, run_tests_check, runs_behind


def _note(services: Services, spec: RunSpec, why: str, commit: str = "") -> ChangeNote:
    return ChangeNote("reknit review", why[:500], services.clock(), spec.run_id, commit)


@step("open_review.v1")
async def open_review(services: Services, spec: RunSpec) -> tuple[HeardReview, ...]:
    """What the reviewers said in the run that is resumed, if this one resumes any."""
    services.ledger.event(spec.run_id, "started", run_text.opening(spec))
    if not spec.review_target.resumes:
        return ()
    earlier, heard = replace(spec, run_id=spec.review_target.resumes), []
    for reviewer, _ in spec.review_target.reviewers:
        saved = saved_review(services, earlier, reviewer.name)
        verdict, count, why = (
            (saved.verdict, len(saved.findings), "") if saved else (None, 0, f"not in {earlier.run_id}")
        )
        heard.append(HeardReview(reviewer.name, reviewer.level, verdict, count, why))
    return tuple(heard)


@step("read_findings.v1")
async def read_findings(services: Services, spec: RunSpec, heard: tuple[HeardReview, ...]) -> ListedWork:
    """What is fixed is what the file holds now: a person may have deleted, reworded or added findings."""
    target = spec.review_target
    await asyncio.to_thread(services.workspace(spec).ready, spec.base)
    text = await asyncio.to_thread(services.working_tree.read, spec.repository, target.progress)
    parsed = parse_entries(text)
    of_run = replace(spec, run_id=target.resumes or spec.run_id)
    reviews = [saved for each in heard if (saved := saved_review(services, of_run, each.reviewer))]
    numbered = {finding.listed.id: finding for saved in reviews for finding in saved.findings}
    issues = [finding.issue for finding in numbered.values() if finding.issue]
    stored = services.issues.issues(issues)
    wanted_now: tuple[Status, ...] = (
        ("OPEN", "FAILED") if target.resumes else ("OPEN",)
    )  # what failed is tried again only if asked for
    open_now = {issue.id for issue in stored if issue.status in wanted_now}
    held = {issue.id for issue in stored if issue.run_id == spec.run_id and issue.status == "IN_PROGRESS"}
    known = {
        name: KnownFinding(finding.issue, finding.points, finding.issue in open_now | held)
        for name, finding in numbered.items()
    }
    work = listed_work([each.entry for each in parsed.entries], heard, known, strict=target.strict)
    tracked = frozenset(services.workspace(spec).repository.paths(spec.base))
    listed = [finding for batch in work.batches for finding in batch.findings]
    absent = [
        f"{each.id} names {one_line(each.file)}, which is no file here" for each in listed if each.file not in tracked
    ]
    work = replace(work, problems=(*map(str, parsed.problems), *absent))
    wanted = [] if work.problems else [issue for batch in work.batches for issue in batch.issues]
    services.issues.take(spec.run_id, wanted, _note(services, spec, "a run works on it"), wanted_now)
    services.ledger.event(spec.run_id, "listed", run_text.listed(work, target.progress, parsed.problems))
    return work


@step("observe_review.v1", preemptible=True)
async def observe(services: Services, spec: RunSpec) -> TestsResult:
    await asyncio.to_thread(services.workspace(spec).ready)
    seen = await run_tests_check(services, spec, "base", spec.base)
    services.ledger.event(spec.run_id, "baseline", tests_text.tests_before(seen, spec.base))
    return replace(seen, test_files=(), passing=())


@step("work_review.v1", preemptible=True)
async def work(services: Services, spec: RunSpec, progress: ReviewProgress, move: FixFindings) -> AttemptResult:
    workspace, batch = services.workspace(spec), move.batch
    await asyncio.to_thread(workspace.ready, progress.head)
    workspace.repository.show(progress.head)
    facts = {
        "command": spec.test_commands,
        "services": spec.services,
        "allowed": spec.waivers.in_force,
        "conventions": await asyncio.to_thread(conventions, workspace.repository, spec.base),
        "reviewer": batch.reviewer,
        "findings": batch.findings,
        "strategy": move.strategy,
        "feedback": move.feedback,
        "attempt": move.tried + 1,
        "attempts": spec.limits.attempts,
    }
    first = batch.findings[0]
    about = Finding(batch.name, "review", first.category, run_text.about(batch), first.file, first.line, first.issue)
    agent, prompt = spec.agent_named(move.agent), services.prompt("fix_review", facts)
    task = AgentTask(f"attempt-{move.number}", move.number, agent, prompt, move.strategy)
    return await agent_attempt.work(services, spec, task, about, progress.head)


@step("judge_review.v1", preemptible=True)
async def judge(
    services: Services, spec: RunSpec, progress: ReviewProgress, move: FixFindings, made: AttemptResult
) -> GateVerdict:
    await asyncio.to_thread(services.workspace(spec).ready, spec.base, progress.head, made.after)
    before = known_tests(services, spec, spec.base)
    test_files = before.test_files if before else ()
    change = ProposedChange(progress.head, made.after, made.unsafe, test_files)
    fixes = len(progress.work.batches) if progress.work else 1
    whole = ProposedChange(spec.base, made.after, made.unsafe, test_files, batches=fixes)
    keeps = bool(red_tests_named(services, spec, progress.head, _texts(move.batch)))
    verdict = await ask_gate_of_run(services, spec, change, whole, keeps_advice=keeps)
    services.ledger.event(spec.run_id, f"attempt-{move.number}-gate", attempt_events.gate_said(move.number, verdict))
    return verdict


@step("prove_review.v1", preemptible=True)
async def prove(
    services: Services, spec: RunSpec, progress: ReviewProgress, move: FixFindings, made: AttemptResult,
    gate: GateVerdict,
) -> FixProof:  # fmt: skip
    """No test that passed on base is red or missing. The commit stays in this run's gitdir until it lands.

    A red test that a finding names is proven like in `fix tests`.
    """
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, spec.base, progress.head, made.after)
    change = await asyncio.to_thread(workspace.repository.change, progress.head, made.after)
    if not change.files:
        return FixProof(progress.head, run_text.NOTHING_CHANGED)
    if not move.batch.is_touched_by(change.paths):
        return FixProof(progress.head, run_text.BESIDE_THE_FINDINGS)
    message = with_allowed(run_text.commit_message(move.batch, spec.run_id), gate.allowed)
    commit = await asyncio.to_thread(workspace.repository.commit, progress.head, change, message, at=made.at)
    await asyncio.to_thread(workspace.repository.keep, f"refs/reknit/{spec.run_id}/kept-{move.number}", commit)
    after = await run_tests_check(services, spec, f"verify-{move.number}", commit, move.number)
    before = known_tests(services, spec, spec.base)
    if before is None:
        raise InternalError("no-baseline", f"the tests of {spec.base} are no longer known")
    why = why_not(before, after, asked=False)
    services.ledger.event(spec.run_id, f"attempt-{move.number}-verify", tests_text.tests_after(move.number, after, why))
    unseen = after.why if after.status == "error" else ""
    held = FixProof(commit, why, after.passed, unseen, after.seconds)
    named = (progress.head, commit, made.at), _texts(move.batch)
    proof = None if why else await prove_named_tests(services, spec, move.number, *named, gate.advice)
    if proof is None:
        return held
    why, unseen = why_refused(proof), proof.sentence if proof.word == "unseen" else ""
    return replace(held, why=why, unseen=unseen, seconds=held.seconds + proof.seconds, word=proof.word)


def _texts(batch: FindingBatch) -> list[str]:
    return [text for each in batch.findings for text in (each.title, each.issue, each.suggestion)]


record = step("record_review.v1")(attempt_cycle.record)
plan_wait = step("plan_wait_review.v1")(attempt_cycle.plan_wait)


@step("land_review.v1")
async def land(
    services: Services, spec: RunSpec, move: FixFindings, made: AttemptResult, gate: GateVerdict, proof: FixProof
) -> None:
    """One commit per fix. Its issues become RESOLVED by it, and the progress file says so."""
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, spec.base, proof.commit)
    await landing.land(services, spec, proof.commit)
    parent = workspace.repository.resolve(f"{proof.commit}^")
    proofs = proof_of_asked_tests(services, spec, f"attempt-{move.number}")
    passed = f"{proof.passed} passed, no new failures"
    text = proof_text(proofs, parent, ProofText(run_text.about(move.batch), passed, ""))
    fix = LandedFix(
        finding=move.batch.name,
        tests=tuple(test for each in proofs for test in each.fixed),
        base=parent,
        commit=proof.commit,
        attempt=move.number,
        strategy=move.strategy,
        agent=move.agent,
        evidence=spec.evidence,
        red_before=text.red_before,
        green_after=text.green_after,
        red_without=text.red_without,
        checks=text.checks,
        cost_usd=made.call.usage.cost_usd,
        judged=f"{move.batch.reviewer} has no objection",
        ran=runs_behind(services, spec, spec.base, proof.commit),
    )
    landing.write_receipt(services, spec, gate, fix)
    files = workspace.repository.change(parent, proof.commit).paths
    if move.batch.is_touched_by(files):  # an older release did not look before it committed
        done = f"fixed in {proof.commit[:12]}"
        services.issues.settle(spec.run_id, move.batch.issues, "RESOLVED", _note(services, spec, done, proof.commit))
    titles = tuple(finding.title or finding.issue for finding in move.batch.findings)
    entry = FixEntry(made.at, move.batch.reviewer, move.batch.ids, titles, files, move.tried + 1, spec.limits.attempts)
    await _enter(services, spec, print_entry(printable(entry)))
    services.ledger.event(spec.run_id, f"landed-{move.number}", run_text.landed(move.batch, proof.commit, spec.branch))


@step("give_up_review.v1")
async def give_up(services: Services, spec: RunSpec, batch: FindingBatch, made: AttemptResult, why: str) -> None:
    services.issues.settle(spec.run_id, batch.issues, "FAILED", _note(services, spec, why))
    titles = tuple(finding.title or finding.issue for finding in batch.findings)
    attempts = spec.limits.attempts
    entry = FailedEntry(made.at, batch.reviewer, batch.ids, titles, attempts, truncate_chars(why, LONGEST), attempts)
    await _enter(services, spec, print_entry(printable(entry)))
    services.ledger.event(spec.run_id, f"batch-{batch.number}-failed", run_text.given_up(batch, why))


async def _enter(services: Services, spec: RunSpec, text: str) -> None:
    if spec.review_target.progress:
        await asyncio.to_thread(services.working_tree.append, spec.repository, spec.review_target.progress, text)


@step("finish_review.v1")
async def finish(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    """The ending reopens the issues that this run still holds."""
    of_run = replace(spec, run_id=spec.review_target.resumes or spec.run_id)
    names = [reviewer.name for reviewer, _ in spec.review_target.reviewers]
    reviews = {name: saved for name in names if (saved := saved_review(services, of_run, name))}
    document = findings_document(spec.review_target, reviews)
    services.ledger.put_document(spec.run_id, DOCUMENT, json.dumps(document))
    services.ledger.end(spec.run_id, ending)
    return ending
