"""`fix issues` as a durable workflow: batches, a challenger, one commit. `core/fix_issues/decision.py` decides."""

from dbos import DBOS

from reknit.core.agents.call import Done, RateLimited, Unusable, outcome_word
from reknit.core.fix_issues.decision import Challenge, Land, StopBacklog, Work, begin, decide, fruitless, given_up
from reknit.core.fix_issues.decision import landed as landed_ending
from reknit.core.fix_issues.progress import BacklogProgress, BatchAttempt, ChallengeScore
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.feedback import feedback
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_issues import challenge_step, steps
from reknit.workflows.fix_issues.saved_issues import issues_target
from reknit.workflows.runtime.step import ending_of


@DBOS.workflow(name="backlog.v1", max_recovery_attempts=50)
async def backlog(spec: RunSpec) -> Ending:
    try:
        agents = tuple(agent.name for agent in spec.agents)
        where: BacklogProgress | StopBacklog = begin(await steps.observe(spec), spec.base, agents, issues_target(spec))
        while isinstance(where, BacklogProgress):
            where = await _turn(spec, where)
        return await steps.finish(spec, where)
    except Exception as problem:  # noqa: BLE001 - the step boundary: a run always ends in a typed ending
        return await steps.finish(spec, StopBacklog(ending_of(problem)))


async def _turn(spec: RunSpec, progress: BacklogProgress) -> BacklogProgress | StopBacklog:
    move = decide(progress, issues_target(spec), spec.limits)
    if isinstance(move, Work):
        return await _worked(spec, progress, move)
    if isinstance(move, Challenge):
        return await _challenged(spec, progress, move)
    return await _landed(spec, progress) if isinstance(move, Land) else move


async def _worked(spec: RunSpec, progress: BacklogProgress, move: Work) -> BacklogProgress:
    made = await steps.work(spec, progress, move)
    outcome, seconds = made.call.outcome, made.call.seconds
    if isinstance(outcome, RateLimited):
        waited = progress.with_wait(outcome, seconds, made.spent_usd, judge=False)
        if not isinstance(decide(waited, issues_target(spec), spec.limits), Work):
            await steps.record(spec, move, made, None, None)
            return waited  # no point in waiting first
        wait_s = await challenge_step.plan_wait(spec, f"attempt-{move.number}", move.agent, outcome, waited.rotation)
        await DBOS.sleep_async(wait_s)
        return waited.rested(move.agent, outcome, wait_s, judge=False)
    if isinstance(outcome, Unusable):
        await steps.record(spec, move, made, None, None)
        return progress.with_block(move.agent, outcome, made.spent_usd, judge=False)
    if not isinstance(outcome, Done):
        why = f"{move.agent} did not finish ({outcome_word(outcome)}) {outcome.detail[:200]}".strip()
        tried = _tried(move, why, kept=False, final=True)
        await steps.record(spec, move, made, None, None)
        return await _given_up(spec, progress.with_try(tried, "", 0.0, seconds, made.spent_usd), move, why)
    return await _judged(spec, progress, move, made)


async def _judged(spec: RunSpec, progress: BacklogProgress, move: Work, made: AttemptResult) -> BacklogProgress:
    gate = await steps.judge(spec, progress, move, made)
    held = await steps.prove(spec, progress, move, made) if gate.accepted else None
    await steps.record(spec, move, made, gate, held)
    why = held.why if held else feedback(gate, None, made.call.outcome)
    kept, seconds = held is not None and not held.why, made.call.seconds + (held.seconds if held else 0.0)
    tried = _tried(move, why, kept=kept)
    after = progress.with_try(tried, held.commit if held else "", made.at, seconds, made.spent_usd)
    return await _given_up(spec, after, move, why)


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
        waited = progress.with_wait(answer, asked.seconds, spent, judge=True)
        if not isinstance(decide(waited, issues_target(spec), spec.limits), Challenge):
            return waited
        wait_s = await challenge_step.plan_wait(spec, f"challenge-{move.number}", asked.agent, answer, waited.judges)
        await DBOS.sleep_async(wait_s)
        return waited.rested(asked.agent, answer, wait_s, judge=True)
    if isinstance(answer, Unusable):
        return progress.with_block(asked.agent, answer, spent, judge=True)
    return progress.with_score(ChallengeScore(progress.head, asked.review, asked.why), asked.seconds, spent)


async def _landed(spec: RunSpec, progress: BacklogProgress) -> StopBacklog:
    committed = await steps.land(spec, progress)
    if not committed.commit:
        return fruitless(progress, issues_target(spec))
    done = await steps.settle(spec, progress, committed)
    return StopBacklog(landed_ending(progress, issues_target(spec), spec.limits, done))
