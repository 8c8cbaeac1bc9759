"""`fix issues` as a durable workflow: batches, a challenger, one commit. `core/fix_issues/decision.py` decides."""

from dataclasses import replace

from dbos import DBOS

from reknit.core.agents.call import Aborted, RateLimited, Unusable, outcome_word
from reknit.core.checks.criteria import with_criteria
from reknit.core.fix_issues.decision import (
    Challenge,
    Land,
    StopBacklog,
    Work,
    begin,
    decide,
    fruitless,
    given_up,
    landed_by_tools,
)
from reknit.core.fix_issues.decision import landed as landed_ending
from reknit.core.fix_issues.progress import BacklogProgress, BatchAttempt, ChallengeScore
from reknit.core.fix_issues.refused_batch import after_verdict
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.feedback import feedback
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_issues import challenge_step, steps
from reknit.workflows.fix_issues.tools_first import fixed_by_tools
from reknit.workflows.runtime.errors import ending_of, result_or_error
from reknit.workflows.shared.attempt_cycle import sleep_as_planned, wait_or_record
from reknit.workflows.shared.plans.criteria import settled_criteria
from reknit.workflows.shared.project_setup import set_up


@DBOS.workflow(name="backlog.v1", max_recovery_attempts=50)
async def backlog(spec: RunSpec) -> Ending:
    result = await result_or_error(_to_its_end(spec))
    return result if isinstance(result, Ending) else await steps.finish(spec, StopBacklog(ending_of(result)))


async def _to_its_end(spec: RunSpec) -> Ending:
    if spec.setups and (failed := await set_up(spec)):
        return await steps.finish(spec, StopBacklog(failed))
    agents = tuple(agent.name for agent in spec.agents)
    where: BacklogProgress | StopBacklog = begin(await steps.observe(spec), spec.base, agents, spec.issues_target)
    if isinstance(where, BacklogProgress) and spec.issues_target.tools:  # runs of older versions name none
        spec, where = await fixed_by_tools(spec, where)
    while isinstance(where, BacklogProgress):
        where = await _turn(spec, where)
    if spec.variant:
        checked = await settled_criteria(spec, where.commit or spec.base, where.ending)
        where = replace(where, ending=with_criteria(where.ending, checked, spec.variant.left_out))
    return await steps.finish(spec, where)


async def _turn(spec: RunSpec, progress: BacklogProgress) -> BacklogProgress | StopBacklog:
    move = decide(progress, spec.issues_target, spec.limits)
    if isinstance(move, Work):
        return await _worked(spec, progress, move)
    if isinstance(move, Challenge):
        return await _challenged(spec, progress, move)
    if isinstance(move, StopBacklog) and progress.tool_fixes:
        return await _landed_by_tools(spec, progress.without_agents(), move)
    return await _landed(spec, progress) if isinstance(move, Land) else move


async def _worked(spec: RunSpec, progress: BacklogProgress, move: Work) -> BacklogProgress:
    made = await steps.work(spec, progress, move)
    after, outcome, seconds = progress.without_work(move.agent, made), made.call.outcome, made.call.seconds
    if after is not None:
        return await wait_or_record(
            after, move.agent, made,
            continues=isinstance(decide(after, spec.issues_target, spec.limits), Work),
            plan=lambda *limit: steps.plan_wait(spec, f"attempt-{move.number}", move.agent, *limit),
            note=lambda: steps.record(spec, move.number, made),
        )  # fmt: skip
    if isinstance(outcome, Aborted):
        why = f"{move.agent} did not finish ({outcome_word(outcome)}) {outcome.detail[:200]}".strip()
        tried = _tried(move, why, kept=False, final=True)
        await steps.record(spec, move.number, made)
        return await _given_up(spec, progress.with_try(tried, "", 0.0, seconds, made.spent_usd), move, why)
    return await _judged(spec, progress, move, made)


async def _judged(spec: RunSpec, progress: BacklogProgress, move: Work, made: AttemptResult) -> BacklogProgress:
    gate = await steps.judge(spec, progress, move, made)
    held = await steps.prove(spec, progress, move, made, gate) if gate.accepted else None
    await steps.record(spec, move.number, made, gate, held.as_proof(spec.evidence) if held else None)
    why = held.why if held else feedback(gate, None, made.call.outcome)
    kept, seconds = held is not None and not held.why, made.call.seconds + (held.seconds if held else 0.0)
    tried = _tried(move, why, kept=kept)
    tried = replace(tried, still=held.still, checked=held.checked) if held else tried
    before = progress.tries_on(tried.batch, tried.round)
    plan = spec.variant.plan if spec.variant else ""
    tried = after_verdict(tried, gate, spec.waivers, before, spec.limits.attempts, plan)
    after = progress.with_try(tried, held.commit if held else "", made.at, seconds, made.spent_usd)
    return await _given_up(spec, after, move, tried.why)


def _tried(move: Work, why: str, *, kept: bool, final: bool = False) -> BatchAttempt:
    batch = move.batch.number if move.batch else 0
    return BatchAttempt(move.number, batch, move.round, kept=kept, why=why, final=final, agent=move.agent)


async def _given_up(spec: RunSpec, progress: BacklogProgress, move: Work, why: str) -> BacklogProgress:
    """Issues of a batch that this run will not retry become FAILED at once, whatever happens to the rest."""
    if move.batch and given_up(progress, move.batch, spec.limits):
        await steps.give_up(spec, progress, move.batch, why)
    return progress


async def _challenged(spec: RunSpec, progress: BacklogProgress, move: Challenge) -> BacklogProgress:
    asked = await challenge_step.challenge(spec, progress, move)
    answer, spent = asked.answer, asked.spent_usd
    if isinstance(answer, RateLimited):
        judges = progress.judges.limited(answer)
        waited = progress.with_judges(judges, asked.seconds, spent)
        if not isinstance(decide(waited, spec.issues_target, spec.limits), Challenge):
            return waited
        plan = steps.plan_wait(spec, f"challenge-{move.number}", asked.agent, answer, judges)
        return waited.with_judges(judges.rested(asked.agent, answer, await sleep_as_planned(plan)))
    if isinstance(answer, Unusable):
        return progress.with_judges(progress.judges.refused(asked.agent, answer), spent_usd=spent)
    return progress.with_score(ChallengeScore(progress.head, asked.review, asked.why), asked.seconds, spent)


async def _landed(spec: RunSpec, progress: BacklogProgress) -> StopBacklog:
    committed = await steps.land(spec, progress)
    if not committed.commit:
        return fruitless(progress, spec.issues_target)
    done = await steps.settle(spec, progress, committed)
    return StopBacklog(landed_ending(progress, spec.issues_target, spec.limits, done), commit=committed.commit)


async def _landed_by_tools(spec: RunSpec, progress: BacklogProgress, stop: StopBacklog) -> StopBacklog:
    """What agents did is not committed; what tools fixed before them is."""
    committed = await steps.land(spec, progress)
    done = await steps.settle(spec, progress, committed)
    return replace(landed_by_tools(stop, spec.issues_target, done), commit=committed.commit)
