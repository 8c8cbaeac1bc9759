"""The steps of `fix issues` about the whole change: the challenge, the commit, and the status of its issues."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentCall, RateLimited, Unusable, to_outcome_word
from reknit.core.agents.instructions import join_challenger_guides
from reknit.core.checks.proof import NOT_ASKED, ProofText, render_proof
from reknit.core.errors import InternalError, UnavailableError
from reknit.core.fix_issues import run_text
from reknit.core.fix_issues.decision import Challenge, StopBacklog, describe_judges
from reknit.core.fix_issues.progress import (
    BacklogProgress,
    ChallengeScore,
    list_kept_issues,
    list_resolved,
    list_unchecked,
)
from reknit.core.fix_issues.step_results import BacklogCommit, ChallengeCall
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.gate.verdict import is_unfinished
from reknit.core.gate.waiver import append_allowed
from reknit.core.issues.model import ChangeNote, Issue
from reknit.core.runs import attempt_events
from reknit.core.runs.commits.message import CommitFacts, read_subject
from reknit.core.runs.ending import Ending
from reknit.core.runs.receipt import LandedFix
from reknit.core.runs.spec import RunSpec
from reknit.core.text.format import pluralize
from reknit.workflows.fix_issues.asked_tests import (
    load_issues,
    load_proofs,
    propose_whole_change,
    read_addressed,
)
from reknit.workflows.fix_issues.tool_steps import describe_tool_results
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, call_read_only_agent, rate_limited_call
from reknit.workflows.shared.attempt_cycle import land_commit, write_receipt
from reknit.workflows.shared.gate_check import ask_gate_of_run, collect_advice
from reknit.workflows.shared.repository_facts import read_conventions
from reknit.workflows.shared.run_end import end_run
from reknit.workflows.shared.tests_check import list_test_runs, load_tests_result


@step("challenge.v1", preemptible=True)
async def challenge(services: Services, spec: RunSpec, progress: BacklogProgress, move: Challenge) -> ChallengeCall:
    """Show the whole change to a read-only agent of another vendor. It sees nothing the fixer wrote but the change."""
    agent = spec.task_as(FixIssues).challenger
    if agent is None:  # ruled out by `decide`; only for the reader and the type checker
        return ChallengeCall("", None, None, "there is no challenger", 0.0, 0.0)
    call = rate_limited_call(services, agent)
    if call is None:
        begins = run_text.report_challenge_start(move, agent.name, spec.task_as(FixIssues))
        services.ledger.put_event(spec.run_id, f"challenge-{move.number}-begins", begins)
        await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base, progress.head)
        services.workspace(spec).repository.show(spec.base)  # its git log ends where the user's ends
        facts = await asyncio.to_thread(_facts, services, spec, progress)
        advice = await collect_advice(services, spec, propose_whole_change(services, spec, progress.head))
        prompt = services.prompt("challenge", {**facts, "advice": advice})
        task = AgentTask(f"challenge-{move.number}", move.number, agent, prompt)
        call = await call_read_only_agent(services, spec, task, progress.head)
    return _record_challenge(services, spec, progress, move, call)


def _record_challenge(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Challenge, call: AgentCall
) -> ChallengeCall:
    agent, spent_usd = spec.task_as(FixIssues).challenger, services.ledger.total_cost(spec.run_id)
    name, outcome = agent.name if agent else "", call.outcome
    if isinstance(outcome, RateLimited | Unusable):
        return ChallengeCall(name, outcome, None, "", call.seconds, spent_usd)
    review = call.report if isinstance(call.report, Review) and to_outcome_word(outcome) == "done" else None
    why = "" if review else f"{to_outcome_word(outcome)} {getattr(outcome, 'detail', '')[:200]}".strip()
    event = run_text.report_score(move, name, ChallengeScore(progress.head, review, why), spec.task_as(FixIssues))
    services.ledger.put_event(spec.run_id, f"challenge-{move.number}", event)
    return ChallengeCall(name, None, review, why, call.seconds, spent_usd)


def _facts(services: Services, spec: RunSpec, progress: BacklogProgress) -> Mapping[str, object]:
    repository = services.workspace(spec).repository
    kept_ids = list_kept_issues(progress, spec.task_as(FixIssues))
    files = repository.change(spec.base, progress.head).paths
    return {
        "guides": join_challenger_guides(spec.task_as(FixIssues).guides),
        # A change cannot resolve an issue whose file it does not touch, so it is not judged for that issue.
        "issues": tuple(issue for issue in load_issues(services, spec) if issue.id in kept_ids and issue.path in files),
        "diff": repository.diff(spec.base, progress.head),
        "files": files,
        "threshold": spec.task_as(FixIssues).limits.threshold_0_100,
        "earlier": tuple(
            finding for scored in progress.answered_scores if scored.review for finding in scored.review.findings
        ),
        "conventions": read_conventions(repository, spec.base),
    }


def make_change_note(
    services: Services, spec: RunSpec, why: str, commit: str = "", authors: Sequence[str] = ()
) -> ChangeNote:
    """Return the history entry for a change of status by this run. `authors`: tools or agents."""
    by = f" ({', '.join(authors)})" if authors else ""
    return ChangeNote(f"reknit fix issues{by}", why, services.clock(), spec.run_id, commit)


@step("give_up_issues.v1")
async def give_up(services: Services, spec: RunSpec, progress: BacklogProgress, batch: Batch, why: str) -> None:
    """Mark the issues of a batch as FAILED."""
    issues, authors = progress.issues_of(batch), [attempt.agent for attempt in progress.attempts_on(batch.number)[-1:]]
    services.issues.settle(spec.run_id, issues, "FAILED", make_change_note(services, spec, why[:500], authors=authors))
    services.ledger.put_event(
        spec.run_id, f"batch-{batch.number}-failed", run_text.report_failed_batch(batch, issues, why)
    )


@step("land_issues.v1")
async def land(services: Services, spec: RunSpec, progress: BacklogProgress) -> BacklogCommit:
    """Land the change; a second call creates the same commits, because content, messages and times are already fixed.

    The tasks of a plan become one commit each, and all other issues one for all.
    """
    workspace, judgement = services.workspace(spec), describe_judges(progress, spec.task_as(FixIssues))
    await asyncio.to_thread(workspace.ensure_commits, spec.base, progress.head)
    repository = workspace.repository
    paths = (await asyncio.to_thread(repository.change, spec.base, progress.head)).paths
    addressed_ids = await read_addressed(services, spec, progress)
    if not addressed_ids:
        return BacklogCommit("", paths)
    issues = [issue for issue in load_issues(services, spec) if issue.id in addressed_ids]
    proofs, whole = load_proofs(services, spec, progress), propose_whole_change(services, spec, progress.head)
    verdict = await ask_gate_of_run(services, spec, whole, whole, keeps_advice=any(proof.fixed for proof in proofs))
    if not verdict.is_accepted:
        why = verdict.refusals[0].sentence
        if is_unfinished(verdict):  # the gate has read it before, so a busy machine is the likely reason
            raise UnavailableError("gate-unfinished", f"nothing was committed: {why}")
        raise InternalError("refused-whole", f"the gate refused the whole change: {why}")
    commit, is_proven = spec.base, not list_unchecked(progress, spec.task_as(FixIssues))
    for state, part in _list_parts(spec, progress, issues):
        change = await asyncio.to_thread(repository.change, commit, state)
        facts = CommitFacts((), change.paths, progress.only_report, is_proven=is_proven)
        message = run_text.write_commit_message(part, spec.run_id, judgement, facts, progress.by_tools)
        message = append_allowed(message, [use for use in verdict.allowed if use.path in change.paths])
        commit = await asyncio.to_thread(repository.commit, commit, change, message, at=progress.at)
    await land_commit(services, spec, commit)
    after = load_tests_result(services, spec, progress.head)
    passed = f"{after.passed} passed, no new failures" if after else "not known"
    text = render_proof(proofs, spec.base, ProofText("", passed, NOT_ASKED))
    fix = LandedFix(
        finding=run_text.RECEIPT,
        tests=tuple(issue.name for issue in issues),
        base=spec.base,
        commit=commit,
        attempt=len(progress.attempts),
        strategy="local",
        agent=", ".join(progress.authors),
        evidence=spec.evidence,
        **vars(text),
        cost_usd=services.ledger.total_cost(spec.run_id),
        judged=judgement,
        tools=describe_tool_results(services, spec, progress, addressed_ids),
        ran=(
            *list_test_runs(services, spec, spec.base, progress.head),
            *(run for proof in proofs for run in proof.ran),
        ),
    )
    write_receipt(services, spec, verdict, fix)
    messages = await asyncio.to_thread(repository.messages, spec.base, commit)
    more = f" and {pluralize(len(messages) - 1, 'more commit')}" if messages[1:] else ""
    event = attempt_events.report_landing(commit, spec.branch, f"{read_subject(messages)}{more}")
    services.ledger.put_event(spec.run_id, "landed", event)
    return BacklogCommit(commit, paths)


def _list_parts(
    spec: RunSpec, progress: BacklogProgress, issues: Sequence[Issue]
) -> Sequence[tuple[str, Sequence[Issue]]]:
    """Return each commit to land: the state after it, and its issues."""
    backlog = spec.task_as(FixIssues)
    if not backlog.variant:
        return [(progress.head, issues)]
    issues_by_batch = {batch.number: batch.issues for batch in backlog.batches}
    parts = [(progress.tools_head, tuple(progress.by_tools))] if progress.tool_fixes else []
    parts += [
        (f"refs/reknit/{spec.run_id}/kept-{attempt.number}", issues_by_batch.get(attempt.batch, ()))
        for attempt in progress.attempts
        if attempt.is_kept
    ]
    return [(state, [issue for issue in issues if issue.id in ids]) for state, ids in parts]


@step("settle_issues.v1")
async def settle(
    services: Services, spec: RunSpec, progress: BacklogProgress, committed: BacklogCommit
) -> tuple[int, ...]:
    """Mark the issues that the commit resolves as RESOLVED, and the others that were worked on as FAILED.

    What no check is about stays with the run, whose ending opens it again.
    """
    backlog, by = spec.task_as(FixIssues), progress.authors
    in_commit = await read_addressed(services, spec, progress)
    resolvable_ids = list_resolved(progress, backlog, in_commit)
    resolved_ids: tuple[int, ...] = ()
    for tool in (*dict.fromkeys(progress.by_tools.values()), ""):
        ids = [issue for issue in resolvable_ids if progress.by_tools.get(issue, "") == tool]
        why = run_text.explain_resolved(committed.commit, progress, backlog, tool)
        authors = (tool,) if tool else by
        change_note = make_change_note(services, spec, why, committed.commit, authors)
        resolved_ids += services.issues.settle(spec.run_id, ids, "RESOLVED", change_note)
    other_ids = [issue for issue in list_kept_issues(progress, backlog) if issue not in in_commit]
    for still, why in ((True, run_text.STILL_REPORTED), (False, run_text.NOT_IN_COMMIT)):
        ids = [issue for issue in other_ids if (issue in progress.still_reported) == still]
        services.issues.settle(spec.run_id, ids, "FAILED", make_change_note(services, spec, why, authors=by))
    services.ledger.put_event(
        spec.run_id, "settled", run_text.report_settled(resolved_ids, other_ids, progress.still_reported)
    )
    return resolved_ids


@step("finish_issues.v1")
async def finish(services: Services, spec: RunSpec, stop: StopBacklog) -> Ending:
    """End the run, which reopens the issues that it still holds; those that were judged and rejected become FAILED."""
    if stop.failed:
        services.issues.settle(spec.run_id, stop.failed, "FAILED", make_change_note(services, spec, stop.ending.reason))
    ending = stop.ending if stop.ending.fixed else replace(stop.ending, left=_names(spec))
    await end_run(services, spec, ending)
    return ending


def _names(spec: RunSpec) -> tuple[str, ...]:
    return tuple(f"I-{issue}" for issue in spec.task_as(FixIssues).issues)
