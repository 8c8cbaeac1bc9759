"""The steps of `fix issues`. Each may run twice: it starts by restoring what it needs."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reknit.core.agents.instructions import guides_for, rework_guides
from reknit.core.agents.strategy import Strategy, strategy_from, strategy_of
from reknit.core.checks import tests_text
from reknit.core.checks.asked_tests import NOT_ASKED, ProofText, proof_text
from reknit.core.checks.tests import why_not
from reknit.core.errors import InternalError, Unavailable
from reknit.core.finding import Finding
from reknit.core.fix_issues import run_text
from reknit.core.fix_issues.decision import StopBacklog, Work, fixers_budget, judged_by, resolved, worked_on
from reknit.core.fix_issues.progress import BacklogBaseline, BacklogProgress
from reknit.core.fix_issues.step_results import BacklogCommit, BatchProof
from reknit.core.gate.verdict import GateVerdict, is_unfinished
from reknit.core.gate.waiver import with_allowed
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import ChangeNote, Issue
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.receipt import LandedFix
from reknit.core.runs.spec import Batch, RunSpec
from reknit.core.testing.proof import ProofWord
from reknit.workflows.fix_issues.asked_tests import asked_tests, checked_by_tests, proofs_of, prove_asked
from reknit.workflows.fix_issues.proposed_change import (
    NO_BASELINE,
    read_addressed,
    read_code_paths,
    test_files,
    whole_change,
)
from reknit.workflows.fix_issues.saved_issues import keep_issues, kept_issues
from reknit.workflows.fix_issues.tool_check import ask_tools, said_by_tools
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared import agent_attempt, attempt_cycle, landing
from reknit.workflows.shared.agent_call import AgentTask
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate_of_run
from reknit.workflows.shared.prompt_facts import conventions
from reknit.workflows.shared.tests_check import known_tests, run_tests_check, runs_behind


def note(services: Services, spec: RunSpec, why: str, commit: str = "", authors: Sequence[str] = ()) -> ChangeNote:
    by = f" ({', '.join(authors)})" if authors else ""
    return ChangeNote(f"reknit fix issues{by}", why, services.clock(), spec.run_id, commit)


@step("observe_issues.v1", preemptible=True)
async def observe(services: Services, spec: RunSpec) -> BacklogBaseline:
    """Runs the tests first: without a test result, no issue is claimed."""
    ledger, backlog = services.ledger, spec.issues_target
    await asyncio.to_thread(services.workspace(spec).ready)
    ledger.event(spec.run_id, "started", run_text.opening(spec, backlog))
    seen = await run_tests_check(services, spec, "base", spec.base)
    ledger.event(spec.run_id, "baseline", tests_text.tests_before(seen, spec.base))
    if seen.status == "error":
        return BacklogBaseline(replace(seen, test_files=(), passing=()), ())
    planned: tuple[Status, ...] = ("OPEN", "FAILED") if spec.again else ("OPEN",)
    taken = services.issues.take(spec.run_id, backlog.issues, note(services, spec, "a run works on it"), planned)
    if len(taken) < len(backlog.issues):
        ledger.event(spec.run_id, "not-taken", run_text.not_taken(backlog, taken))
    keep_issues(services, spec, services.issues.issues(taken))
    return BacklogBaseline(replace(seen, test_files=(), passing=()), taken)


@step("work_issues.v1", preemptible=True)
async def work(services: Services, spec: RunSpec, progress: BacklogProgress, move: Work) -> AttemptResult:
    await asyncio.to_thread(services.workspace(spec).ready, progress.head)
    services.workspace(spec).repository.show(progress.head)
    issues = _issues_of(services, spec, progress, move)
    facts = {
        "command": spec.test_commands,
        "services": spec.services,
        "allowed": spec.waivers.in_force,
        "conventions": await asyncio.to_thread(conventions, services.workspace(spec).repository, spec.base),
        "issues": issues,
        "new_files": _new_files(spec, issues),
        "feedback": move.feedback,
        "attempt": move.tried + 1,
        "attempts": spec.limits.attempts,
        **await asyncio.to_thread(_facts_of_batch if move.batch else _facts_of_rework, services, spec, progress, move),
    }
    about = Finding(_name(move), "tool", "issues", run_text.about(move, issues, spec.issues_target))
    bounded = replace(spec, limits=replace(spec.limits, budget_usd=fixers_budget(spec.issues_target, spec.limits)))
    prompt = services.prompt("fix_issues" if move.batch else "rework_issues", facts)
    agent, strategy = spec.agent_named(move.agent), _strategy(spec, move)
    task = AgentTask(f"attempt-{move.number}", move.number, agent, prompt, strategy)
    return await agent_attempt.work(services, bounded, task, about, progress.head)


def _strategy(spec: RunSpec, move: Work) -> Strategy:
    return strategy_from(spec.variant.strategy, move.tried + 1) if spec.variant else strategy_of(move.tried + 1)


def _new_files(spec: RunSpec, issues: Sequence[Issue]) -> tuple[str, ...]:
    """Files that a plan asks for."""
    new = spec.variant.new_files if spec.variant else ()
    return tuple(path for path in dict.fromkeys(issue.path for issue in issues) if path in new)


def _name(move: Work) -> str:
    return f"B-{move.batch.number}" if move.batch else f"C-{move.round}"


def _issues_of(services: Services, spec: RunSpec, progress: BacklogProgress, move: Work) -> tuple[Issue, ...]:
    wanted = move.batch.issues if move.batch else worked_on(progress, spec.issues_target)
    return tuple(issue for issue in kept_issues(services, spec) if issue.id in wanted)


def _facts_of_batch(_services: Services, spec: RunSpec, _progress: BacklogProgress, move: Work) -> Mapping[str, object]:
    batch, backlog = move.batch, spec.issues_target
    guides = guides_for(batch.kind, backlog.guides) if batch else ""
    return {"guides": guides, "batch": batch.number if batch else 0, "batches": len(backlog.batches)}


def _facts_of_rework(services: Services, spec: RunSpec, progress: BacklogProgress, move: Work) -> Mapping[str, object]:
    """What the challenger reported, never its reasoning: only the typed report goes from one vendor to the other."""
    review = progress.heard[-1].review
    diff = services.workspace(spec).repository.diff(spec.base, progress.head)
    kinds = {batch.kind for batch in spec.issues_target.batches if batch.number in progress.kept_batches}
    return {
        "guides": rework_guides(kinds, spec.issues_target.guides),
        "diff": diff,
        "score": review.score_0_100 if review else 0,
        "threshold": spec.issues_target.limits.threshold_0_100,
        "findings": review.findings if review else (),
        "summary": review.summary if review else "",
        "round": move.round,
        "rounds": spec.issues_target.limits.rounds,
    }


@step("judge_issues.v1", preemptible=True)
async def judge(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, made: AttemptResult
) -> GateVerdict:
    """Judges this attempt's change, then the whole that would land: parts that pass must not add up to a cheat."""
    await asyncio.to_thread(services.workspace(spec).ready, progress.head, made.after)
    change = ProposedChange(progress.head, made.after, made.unsafe, test_files(services, spec))
    whole = whole_change(services, spec, made.after, made.unsafe)
    keeps = bool(asked_tests(services, spec, progress.head, _issues_of(services, spec, progress, move)))
    verdict = await ask_gate_of_run(services, spec, change, whole, keeps_advice=keeps)
    services.ledger.event(spec.run_id, f"attempt-{move.number}-gate", attempt_events.gate_said(move.number, verdict))
    return verdict


@step("prove_issues.v1", preemptible=True)
async def prove(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, made: AttemptResult, gate: GateVerdict
) -> BatchProof:
    """No test that passed on base is red or missing. The attempt gets its own commit, only in this run's gitdir.

    A red test that an issue names is proven like in `fix tests`.
    """
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, spec.base, progress.head, made.after)
    change = await asyncio.to_thread(workspace.repository.change, progress.head, made.after)
    message = f"{_name(move)} of {spec.run_id}, not landed\n"
    commit = await asyncio.to_thread(workspace.repository.commit, progress.head, change, message, at=made.at)
    issues = _issues_of(services, spec, progress, move)
    if move.batch and not {issue.path for issue in issues} & {*change.paths}:
        return BatchProof(commit, run_text.BESIDE_THE_ISSUES, 0.0, word="unproven")  # it cannot resolve any issue
    await asyncio.to_thread(workspace.repository.keep, f"refs/reknit/{spec.run_id}/kept-{move.number}", commit)
    after = await run_tests_check(services, spec, f"verify-{move.number}", commit, move.number)
    before = known_tests(services, spec, spec.base)
    why = why_not(before, after, asked=False) if before else NO_BASELINE
    services.ledger.event(spec.run_id, f"attempt-{move.number}-verify", tests_text.tests_after(move.number, after, why))
    word: ProofWord = "unseen" if after.status == "error" or not before else "regressed" if why else "held"
    held = BatchProof(commit, why, after.seconds, after.passed, word)
    if not why:
        held = await prove_asked(services, spec, progress, move, held, issues=issues, made=made, gate=gate)
    if held.why:
        return held
    if spec.variant and spec.variant.criteria:  # these are checked after the commit, and decide how the run ends
        own = (*progress.checked, *(move.batch.issues if move.batch else ()))
    else:
        own = checked_by_tests(services, spec, progress, move, after)
    held = await ask_tools(services, spec, progress, move, replace(held, checked=own))
    if held.why or not move.batch:
        return held
    code = await read_code_paths(services, change)
    is_addressed = any(issue.path in code or issue.id in held.checked for issue in issues)
    return held if is_addressed else replace(held, why=run_text.ONLY_COMMENTS, word="unproven")


record = step("record_issues.v1")(attempt_cycle.record)
plan_wait = step("plan_wait_issues.v1")(attempt_cycle.plan_wait)


@step("give_up_issues.v1")
async def give_up(services: Services, spec: RunSpec, progress: BacklogProgress, batch: Batch, why: str) -> None:
    issues, authors = progress.issues_of(batch), [tried.agent for tried in progress.tries_on(batch.number)[-1:]]
    services.issues.settle(spec.run_id, issues, "FAILED", note(services, spec, why[:500], authors=authors))
    services.ledger.event(spec.run_id, f"batch-{batch.number}-failed", run_text.batch_failed(batch, issues, why))


@step("land_issues.v1")
async def land(services: Services, spec: RunSpec, progress: BacklogProgress) -> BacklogCommit:
    """Creates the same commit however often it runs: content, message and time are already fixed."""
    workspace, judged = services.workspace(spec), judged_by(progress, spec.issues_target)
    await asyncio.to_thread(workspace.ready, spec.base, progress.head)
    repository = workspace.repository
    change = await asyncio.to_thread(repository.change, spec.base, progress.head)
    done = await read_addressed(services, spec, progress)
    if not done:
        return BacklogCommit("", change.paths)
    issues = [issue for issue in kept_issues(services, spec) if issue.id in done]
    proofs, whole = proofs_of(services, spec, progress), whole_change(services, spec, progress.head)
    verdict = await ask_gate_of_run(services, spec, whole, whole, keeps_advice=any(proof.fixed for proof in proofs))
    if not verdict.accepted:
        why = verdict.refusals[0].sentence
        if is_unfinished(verdict):  # the gate has read it before, so a busy machine is the likely reason
            raise Unavailable("gate-unfinished", f"nothing was committed: {why}")
        raise InternalError("refused-whole", f"the gate refused the whole change: {why}")
    message = run_text.commit_message(issues, spec.run_id, judged, progress.by_tools)
    message = with_allowed(message, verdict.allowed)
    commit = await asyncio.to_thread(repository.commit, spec.base, change, message, at=progress.at)
    await landing.land(services, spec, commit)
    after = known_tests(services, spec, progress.head)
    passed = f"{after.passed} passed, no new failures" if after else "not known"
    text = proof_text(proofs, spec.base, ProofText("", passed, NOT_ASKED))
    fix = LandedFix(
        finding=run_text.RECEIPT,
        tests=tuple(issue.name for issue in issues),
        base=spec.base,
        commit=commit,
        attempt=len(progress.tried),
        strategy="local",
        agent=", ".join(progress.authors),
        evidence=spec.evidence,
        red_before=text.red_before,
        green_after=text.green_after,
        red_without=text.red_without,
        checks=text.checks,
        cost_usd=services.ledger.spent(spec.run_id),
        judged=judged,
        tools=said_by_tools(services, spec, progress, done),
        ran=(*runs_behind(services, spec, spec.base, progress.head), *(run for proof in proofs for run in proof.ran)),
    )
    landing.write_receipt(services, spec, verdict, fix)
    services.ledger.event(spec.run_id, "landed", attempt_events.landed(commit, spec.branch, run_text.subject(issues)))
    return BacklogCommit(commit, change.paths)


@step("settle_issues.v1")
async def settle(
    services: Services, spec: RunSpec, progress: BacklogProgress, committed: BacklogCommit
) -> tuple[int, ...]:
    """Issues that the commit resolves become RESOLVED; the others that were worked on become FAILED.

    What no check is about stays with the run, whose ending opens it again.
    """
    backlog, by = spec.issues_target, progress.authors
    in_commit = await read_addressed(services, spec, progress)
    done = resolved(progress, backlog, in_commit)
    now: tuple[int, ...] = ()
    for tool in (*dict.fromkeys(progress.by_tools.values()), ""):
        mine = [issue for issue in done if progress.by_tools.get(issue, "") == tool]
        why = run_text.resolved_why(committed.commit, progress, backlog, tool)
        authors = (tool,) if tool else by
        told = note(services, spec, why, committed.commit, authors)
        now += services.issues.settle(spec.run_id, mine, "RESOLVED", told)
    left = [issue for issue in worked_on(progress, backlog) if issue not in in_commit]
    for still, why in ((True, run_text.STILL_REPORTED), (False, run_text.NOT_IN_COMMIT)):
        mine = [issue for issue in left if (issue in progress.still) == still]
        services.issues.settle(spec.run_id, mine, "FAILED", note(services, spec, why, authors=by))
    services.ledger.event(spec.run_id, "settled", run_text.settled(now, left, progress.still))
    return now


@step("finish_issues.v1")
async def finish(services: Services, spec: RunSpec, stop: StopBacklog) -> Ending:
    """The ending reopens the issues this run still holds; those that were judged and rejected become FAILED."""
    if stop.failed:
        services.issues.settle(spec.run_id, stop.failed, "FAILED", note(services, spec, stop.ending.reason))
    ending = stop.ending if stop.ending.fixed else replace(stop.ending, left=_names(spec))
    services.ledger.end(spec.run_id, ending)
    return ending


def _names(spec: RunSpec) -> tuple[str, ...]:
    return tuple(f"I-{issue}" for issue in spec.issues_target.issues)
