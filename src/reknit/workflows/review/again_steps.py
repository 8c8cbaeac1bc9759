"""The steps in which reviewers read again: a fix, a finding after other fixes, or the whole change."""

import asyncio
from dataclasses import replace

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentCall, AgentSettings, Done, RateLimited, Unusable, to_outcome_word
from reknit.core.agents.reviewer import Reviewer
from reknit.core.repository.change import Change
from reknit.core.review import run_text
from reknit.core.review.answer import NO_FINDING, SavedReview, build_second_entry, explain_silence, list_new
from reknit.core.review.decision import FixFindings
from reknit.core.review.progress import FindingBatch, ReviewProgress, SecondLook
from reknit.core.review.progress_file.entries import FixEntry
from reknit.core.review.progress_file.printing import print_entry, to_printable
from reknit.core.review.reach import find_reach
from reknit.core.review.step_results import Confirmation, FixProof
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import RunSpec
from reknit.core.text.truncate import truncate_chars
from reknit.core.text.untrusted_input import GATE_LIMITS, UnfinishedWork
from reknit.workflows.review.ask_step import keep_review, load_review, read_facts, save_review
from reknit.workflows.review.fix_steps import enter, note_change
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, call_read_only_agent, rate_limited_call
from reknit.workflows.shared.repository_facts import DIFF_BYTES
from reknit.workflows.shared.saved_values import load_value, save_value


def find_reviewer(spec: RunSpec, batch: FindingBatch) -> tuple[Reviewer, AgentSettings]:
    """Return the reviewer of a batch and its agent."""
    return next(pair for pair in spec.task_as(ReviewChange).reviewers if pair[0].name == batch.reviewer)


@step("confirm_fix.v1", preemptible=True)
async def confirm(
    services: Services, spec: RunSpec, move: FixFindings, head: str, proof: FixProof, tries: int
) -> Confirmation:
    """Show the reviewer its findings and this fix, nothing else, and ask whether they are fixed."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, head, proof.commit)
    name, commits = f"confirm-{move.number}", (head, proof.commit)
    task = (f"{name}-{tries + 1}", move.number)
    answer = await _ask_about(services, spec, move.batch, commits, task, proof.untouched)
    if not answer.unheard:
        event = run_text.report_confirmation(move, answer.still_there)
        services.ledger.put_event(spec.run_id, name, event)
    return answer


@step("recheck_findings.v1", preemptible=True)
async def recheck(
    services: Services, spec: RunSpec, progress: ReviewProgress, batch: FindingBatch, tries: int
) -> Confirmation:
    """Ask the reviewer whether its findings are still there, if earlier fixes have changed their lines."""
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ensure_commits, spec.base, progress.head)
    change = await asyncio.to_thread(workspace.repository.change, spec.base, progress.head)
    reach = await services.calls.run(GATE_LIMITS, find_reach, change, batch.findings, Change(()))
    if isinstance(reach, UnfinishedWork) or not reach.may_settle or batch.is_about_tests:
        return Confirmation("no fix can have removed it", spent_usd=services.ledger.total_cost(spec.run_id))
    name, commits = f"recheck-{batch.number}", (spec.base, progress.head)
    answer = await _ask_about(services, spec, batch, commits, (f"{name}-{tries + 1}", len(progress.attempts) + 1))
    if not answer.unheard:
        services.ledger.put_event(spec.run_id, name, run_text.report_recheck(batch, answer.still_there))
    return answer


async def _ask_about(
    services: Services,
    spec: RunSpec,
    batch: FindingBatch,
    commits: tuple[str, str],
    task: tuple[str, int],
    untouched: tuple[str, ...] = (),
) -> Confirmation:
    reviewer, agent = find_reviewer(spec, batch)
    call = rate_limited_call(services, agent)
    if call is None:
        diff = truncate_chars(services.workspace(spec).repository.diff(*commits), DIFF_BYTES)
        facts = {"findings": batch.findings, "diff": diff, "untouched": untouched}
        prompt = services.prompt("confirm_fix", facts)
        call = await call_read_only_agent(services, spec, AgentTask(*task, agent, prompt), commits[1])
    spent_usd, at, report = services.ledger.total_cost(spec.run_id), services.clock(), call.report
    if isinstance(call.outcome, Done) and isinstance(report, Review):
        why = (report.summary or "the reviewer says that it is still there") if report.verdict == "needs_work" else ""
        return Confirmation(why, seconds=call.seconds, spent_usd=spent_usd, at=at)
    missing_answer = f"{reviewer.name} did not answer whether it is fixed ({to_outcome_word(call.outcome)})"
    limited = call.outcome if isinstance(call.outcome, RateLimited | Unusable) else None
    return Confirmation("", missing_answer, limited, call.seconds, spent_usd, at)


@step("close_gone_findings.v1")
async def close_gone(
    services: Services, spec: RunSpec, progress: ReviewProgress, batch: FindingBatch, at: float
) -> None:
    """Mark issues that another fix removed as RESOLVED, and say so in the progress file."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base, progress.head)
    note = note_change(services, spec, run_text.GONE, progress.head)
    services.issues.settle(spec.run_id, batch.issues, "RESOLVED", note)
    files = tuple(dict.fromkeys(finding.file for finding in batch.findings))
    entry = FixEntry(at, batch.reviewer, batch.ids, (run_text.GONE,), files, 0, spec.limits.attempts)
    await enter(services, spec, print_entry(to_printable(entry)))


@step("look_again.v1", preemptible=True)
async def look_again(
    services: Services, spec: RunSpec, progress: ReviewProgress, place: int, tries: int, share: int = 1
) -> SecondLook:
    """Ask a reviewer for findings in the whole change with every fix. What it reports becomes issues.

    `share`: how many are asked at once.
    """
    reviewer, agent = spec.task_as(ReviewChange).reviewers[place]
    since = spec.task_as(ReviewChange).since
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base, since, progress.head)
    call = rate_limited_call(services, agent) or await _read_again(services, spec, progress, place, tries, share)
    report, saved = call.report, None
    new: tuple[str, ...] = ()
    first = load_review(services, spec, reviewer.name)
    if isinstance(call.outcome, Done) and isinstance(report, Review) and first:
        saved = await keep_review(services, spec, reviewer, report, progress.head)
        save_value(services, spec, _name(reviewer), saved)
        new = tuple(one.finding.id for one in list_new(progress, first, saved))
    why = explain_silence(call, saved, agent.name)
    limited = call.outcome if isinstance(call.outcome, RateLimited) else None
    if not limited:
        event = run_text.report_second_look(reviewer, new, why)
        services.ledger.put_event(spec.run_id, f"again-{reviewer.name}", event)
    is_answer = saved is not None and why != NO_FINDING
    may_retry = not is_answer and not isinstance(call.outcome, RateLimited | Unusable)
    spent_usd, at = services.ledger.total_cost(spec.run_id), services.clock()
    return SecondLook(reviewer.name, new, why, limited, may_retry, call.seconds, spent_usd, at)


async def _read_again(
    services: Services, spec: RunSpec, progress: ReviewProgress, place: int, tries: int, share: int
) -> AgentCall:
    reviewer, agent = spec.task_as(ReviewChange).reviewers[place]
    batches = progress.work.batches if progress.work else ()
    fixed = tuple(finding for batch in batches if batch.number in progress.settled for finding in batch.findings)
    facts = await asyncio.to_thread(read_facts, services, spec, reviewer, head=progress.head, fixed=fixed)
    begins = run_text.report_review_start(reviewer, agent.name)
    services.ledger.put_event(spec.run_id, f"again-{reviewer.name}-begins-{tries}", begins)
    name, prompt = f"again-{reviewer.name}-{tries + 1}", services.prompt("review", facts)
    task = AgentTask(name, place + 1, agent, prompt, share=share)
    return await call_read_only_agent(services, spec, task, progress.head)


def _name(reviewer: Reviewer) -> str:
    return f"again-{reviewer.name}"


@step("enter_second_look.v1")
async def enter_second_look(
    services: Services, spec: RunSpec, progress: ReviewProgress, place: int, look: SecondLook
) -> None:
    """Append the second look to the progress file, and what it found to the reviewer's findings."""
    reviewer, _ = spec.task_as(ReviewChange).reviewers[place]
    first, second = load_review(services, spec, reviewer.name), load_value(services, spec, _name(reviewer))
    if not isinstance(second, SavedReview) or first is None:
        return
    new = tuple(saved for saved in second.findings if saved.finding.id in look.findings)
    old_ids = {saved.finding.id for saved in first.findings}
    added = tuple(saved for saved in new if saved.finding.id not in old_ids)  # none if the step is repeated
    save_review(services, spec, reviewer.name, replace(first, findings=(*first.findings, *added)))
    entry = build_second_entry(progress, reviewer, look.at, first, new)
    await enter(services, spec, print_entry(to_printable(entry)))
