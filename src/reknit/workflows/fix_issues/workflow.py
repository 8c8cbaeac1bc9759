"""`fix issues` as a durable workflow: batches, a challenger, then the commit. `core/fix_issues/decision.py` decides."""

from dataclasses import replace

from dbos import DBOS

from reknit.core.agents.call import Aborted, RateLimited, Unusable, to_outcome_word
from reknit.core.fix_issues import tool_text
from reknit.core.fix_issues.decision import (
    Challenge,
    Land,
    StopBacklog,
    Work,
    decide,
    end_after_tools,
    is_given_up,
    start_backlog,
    stop_without_effect,
)
from reknit.core.fix_issues.decision import end_after_landing as landed_ending
from reknit.core.fix_issues.progress import (
    BacklogProgress,
    BatchAttempt,
    ChallengeScore,
    add_missing_waivers,
    end_unchanged_task,
)
from reknit.core.fix_issues.step_results import ToolProof
from reknit.core.fix_issues.task import FixIssues
from reknit.core.fix_issues.tool_decision import Fixable, limit_to_batches, start_queue
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.feedback import explain_failure
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_issues import landing_steps, steps, tool_steps
from reknit.workflows.runtime.step import ending_from_result, result_or_error
from reknit.workflows.shared.attempt_cycle import sleep_as_planned, wait_or_record
from reknit.workflows.shared.criteria import check_criteria
from reknit.workflows.shared.project_setup import set_up


async def fix_with_tools(spec: RunSpec, progress: BacklogProgress) -> tuple[RunSpec, BacklogProgress]:
    """Let tools fix what they can. Returns the run with batches of the remaining issues, and its progress."""
    plan = await tool_steps.look(spec)
    progress, queue = replace(progress, absent_issues=plan.absent_issues), start_queue(plan)
    while part := queue.next:
        progress, is_kept = await _try_tool_fix(spec, progress, queue.tries + 1, part)
        queue = queue.accept() if is_kept else queue.refuse()
    batches = await tool_steps.rebatch_issues(spec, (*plan.absent_issues, *progress.by_tools))
    return replace(spec, task=limit_to_batches(spec.task_as(FixIssues), batches)), progress


async def _try_tool_fix(
    spec: RunSpec, progress: BacklogProgress, number: int, part: tuple[Fixable, ...]
) -> tuple[BacklogProgress, bool]:
    change = await tool_steps.fix(spec, progress.head, number, part)
    proof = ToolProof(change.why, 0.0)
    if not change.why:
        gate = await tool_steps.judge(spec, progress.head, change)
        why = tool_text.explain_gate_refusal(gate)
        proof = ToolProof(why, 0.0) if why else await tool_steps.prove(spec, number, part, change)
    await tool_steps.record(spec, number, part, proof)
    after = progress.with_tool_fixes(proof.fixes, change.after, change.at, change.seconds + proof.seconds)
    return after, not proof.why


@DBOS.workflow(name="backlog.v1", max_recovery_attempts=50)
async def backlog(spec: RunSpec) -> Ending:
    """Run `fix issues` to its ending."""
    result = await result_or_error(_run_to_end(spec))
    return (
        result
        if isinstance(result, Ending)
        else await landing_steps.finish(spec, StopBacklog(ending_from_result(result)))
    )


async def _run_to_end(spec: RunSpec) -> Ending:
    if spec.setups.commands and (failed := await set_up(spec)):
        return await landing_steps.finish(spec, StopBacklog(failed))
    agents = tuple(agent.name for agent in spec.agents)
    state: BacklogProgress | StopBacklog = start_backlog(
        await steps.observe(spec), spec.base, agents, spec.task_as(FixIssues)
    )
    if isinstance(state, BacklogProgress) and spec.task_as(FixIssues).tools:  # runs of older versions name none
        spec, state = await fix_with_tools(spec, state)
    while isinstance(state, BacklogProgress):
        state = await _take_turn(spec, state)
    ending = await check_criteria(spec, state.commit or spec.base, state.ending)
    return await landing_steps.finish(spec, replace(state, ending=ending))


async def _take_turn(spec: RunSpec, progress: BacklogProgress) -> BacklogProgress | StopBacklog:
    move = decide(progress, spec.task_as(FixIssues), spec.limits)
    if isinstance(move, Work):
        return await _work_on_batch(spec, progress, move)
    if isinstance(move, Challenge):
        return await _challenge_work(spec, progress, move)
    if isinstance(move, StopBacklog) and progress.tool_fixes:
        return await _land_tool_fixes(spec, progress.without_agents(), move)
    return await _land(spec, progress) if isinstance(move, Land) else move


async def _work_on_batch(spec: RunSpec, progress: BacklogProgress, move: Work) -> BacklogProgress:
    attempt = await steps.work(spec, progress, move)
    after, outcome, seconds = progress.without_work(move.agent, attempt), attempt.call.outcome, attempt.call.seconds
    if after is not None:
        return await wait_or_record(
            after, move.agent, attempt,
            continues=isinstance(decide(after, spec.task_as(FixIssues), spec.limits), Work),
            plan=lambda *limit: steps.plan_wait(spec, f"attempt-{move.number}", move.agent, *limit),
            note=lambda: steps.record(spec, move.number, attempt),
        )  # fmt: skip
    if isinstance(outcome, Aborted):
        why = f"{move.agent} did not finish ({to_outcome_word(outcome)}) {outcome.detail[:200]}".strip()
        batch_attempt = _batch_attempt(move, why, is_kept=False, is_final=True)
        await steps.record(spec, move.number, attempt)
        return await _give_up_if_due(
            spec, progress.with_attempt(batch_attempt, "", 0.0, seconds, attempt.spent_usd), move, why
        )
    return await _judge_attempt(spec, progress, move, attempt)


async def _judge_attempt(
    spec: RunSpec, progress: BacklogProgress, move: Work, attempt: AttemptResult
) -> BacklogProgress:
    gate = await steps.judge(spec, progress, move, attempt)
    proof = await steps.prove(spec, progress, move, attempt, gate) if gate.is_accepted else None
    await steps.record(spec, move.number, attempt, gate, proof.to_proof(spec.evidence) if proof else None)
    why = proof.why if proof else explain_failure(gate, None, attempt.call.outcome)
    is_kept, seconds = proof is not None and not proof.why, attempt.call.seconds + (proof.seconds if proof else 0.0)
    batch_attempt = _batch_attempt(move, why, is_kept=is_kept)
    batch_attempt = (
        replace(batch_attempt, still_reported=proof.still_reported, checked_issues=proof.checked_issues)
        if proof
        else batch_attempt
    )
    batch_attempt = replace(batch_attempt, report=attempt.call.report) if is_kept else batch_attempt
    before = progress.attempts_on(batch_attempt.batch, batch_attempt.round)
    variant = spec.task_as(FixIssues).variant
    plan = variant.plan if variant else ""
    batch_attempt = add_missing_waivers(batch_attempt, gate, spec.waivers, before, spec.limits.attempts, plan)
    batch_attempt = end_unchanged_task(batch_attempt, gate, progress) if variant else batch_attempt
    after = progress.with_attempt(batch_attempt, proof.commit if proof else "", attempt.at, seconds, attempt.spent_usd)
    return await _give_up_if_due(spec, after, move, batch_attempt.why)


def _batch_attempt(move: Work, why: str, *, is_kept: bool, is_final: bool = False) -> BatchAttempt:
    batch = move.batch.number if move.batch else 0
    return BatchAttempt(move.number, batch, move.round, is_kept=is_kept, why=why, final=is_final, agent=move.agent)


async def _give_up_if_due(spec: RunSpec, progress: BacklogProgress, move: Work, why: str) -> BacklogProgress:
    """Mark the issues of a batch that is not retried as FAILED at once, whatever happens to the rest."""
    if move.batch and is_given_up(progress, move.batch, spec.limits):
        await landing_steps.give_up(spec, progress, move.batch, why)
    return progress


async def _challenge_work(spec: RunSpec, progress: BacklogProgress, move: Challenge) -> BacklogProgress:
    call = await landing_steps.challenge(spec, progress, move)
    answer, spent_usd = call.answer, call.spent_usd
    if isinstance(answer, RateLimited):
        judges = progress.judges.after_limit(answer)
        waited = progress.with_judges(judges, call.seconds, spent_usd)
        if not isinstance(decide(waited, spec.task_as(FixIssues), spec.limits), Challenge):
            return waited
        plan = steps.plan_wait(spec, f"challenge-{move.number}", call.agent, answer, judges)
        return waited.with_judges(judges.after_wait(call.agent, answer, await sleep_as_planned(plan)))
    if isinstance(answer, Unusable):
        return progress.with_judges(progress.judges.after_refusal(call.agent, answer), spent_usd=spent_usd)
    return progress.with_score(ChallengeScore(progress.head, call.review, call.why), call.seconds, spent_usd)


async def _land(spec: RunSpec, progress: BacklogProgress) -> StopBacklog:
    committed = await landing_steps.land(spec, progress)
    if not committed.commit:
        return stop_without_effect(progress, spec.task_as(FixIssues))
    resolved_ids = await landing_steps.settle(spec, progress, committed)
    return StopBacklog(
        landed_ending(progress, spec.task_as(FixIssues), spec.limits, resolved_ids), commit=committed.commit
    )


async def _land_tool_fixes(spec: RunSpec, progress: BacklogProgress, stop: StopBacklog) -> StopBacklog:
    """Commit only what tools fixed before the agents failed."""
    committed = await landing_steps.land(spec, progress)
    resolved_ids = await landing_steps.settle(spec, progress, committed)
    return replace(end_after_tools(stop, spec.task_as(FixIssues), resolved_ids), commit=committed.commit)
