"""`fix issues` as a durable workflow: batches, a challenger, one commit. `core/fix_issues/decision.py` decides."""

from dbos import DBOS

from reknit.core.agents.call import Done, Limited, Refused, outcome_word
from reknit.core.fix_issues.decision import Challenge, Land, Stop, Work, begin, decide, fruitless, given_up
from reknit.core.fix_issues.decision import landed as landed_ending
from reknit.core.fix_issues.progress import Progress, Scored, Tried
from reknit.core.runs.attempt import Made
from reknit.core.runs.ending import Ending
from reknit.core.runs.feedback import feedback
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_issues import challenge_step as judges
from reknit.workflows.fix_issues import steps
from reknit.workflows.fix_issues.saved_issues import target
from reknit.workflows.runtime.step import ending_of


@DBOS.workflow(name="backlog.v1", max_recovery_attempts=50)
async def backlog(spec: RunSpec) -> Ending:
    try:
        agents = tuple(agent.name for agent in spec.agents)
        where: Progress | Stop = begin(await steps.observe(spec), spec.base, agents, target(spec))
        while isinstance(where, Progress):
            where = await _turn(spec, where)
        return await steps.finish(spec, where)
    except Exception as problem:  # noqa: BLE001 - the step boundary: a run always ends in a typed ending
        return await steps.finish(spec, Stop(ending_of(problem)))


async def _turn(spec: RunSpec, progress: Progress) -> Progress | Stop:
    move = decide(progress, target(spec), spec.limits)
    if isinstance(move, Work):
        return await _worked(spec, progress, move)
    if isinstance(move, Challenge):
        return await _challenged(spec, progress, move)
    return await _landed(spec, progress) if isinstance(move, Land) else move


async def _worked(spec: RunSpec, progress: Progress, move: Work) -> Progress:
    made = await steps.work(spec, progress, move)
    outcome, seconds = made.call.outcome, made.call.seconds
    if isinstance(outcome, Limited):
        waited = progress.with_wait(outcome, seconds, made.spent_usd, judge=False)
        if not isinstance(decide(waited, target(spec), spec.limits), Work):
            await steps.record(spec, move, made, None, None)
            return waited  # no sense in waiting first
        wait_s = await judges.plan_wait(spec, f"attempt-{move.number}", move.agent, outcome, waited.crew)
        await DBOS.sleep_async(wait_s)
        return waited.rested(move.agent, outcome, wait_s, judge=False)
    if isinstance(outcome, Refused):
        await steps.record(spec, move, made, None, None)
        return progress.with_block(move.agent, outcome, made.spent_usd, judge=False)
    if not isinstance(outcome, Done):
        why = f"{move.agent} did not end its work ({outcome_word(outcome)}) {outcome.detail[:200]}".strip()
        tried = _tried(move, why, kept=False, final=True)
        await steps.record(spec, move, made, None, None)
        return await _given_up(spec, progress.with_try(tried, "", 0.0, seconds, made.spent_usd), move, why)
    return await _judged(spec, progress, move, made)


async def _judged(spec: RunSpec, progress: Progress, move: Work, made: Made) -> Progress:
    gate = await steps.judge(spec, progress, move, made)
    held = await steps.prove(spec, progress, move, made) if gate.accepted else None
    await steps.record(spec, move, made, gate, held)
    why = held.why if held else feedback(gate, None, made.call.outcome)
    kept, seconds = held is not None and not held.why, made.call.seconds + (held.seconds if held else 0.0)
    tried = _tried(move, why, kept=kept)
    after = progress.with_try(tried, held.commit if held else "", made.at, seconds, made.spent_usd)
    return await _given_up(spec, after, move, why)


def _tried(move: Work, why: str, *, kept: bool, final: bool = False) -> Tried:
    batch = move.batch.number if move.batch else 0
    return Tried(move.number, batch, move.round, kept=kept, why=why, final=final, agent=move.agent)


async def _given_up(spec: RunSpec, progress: Progress, move: Work, why: str) -> Progress:
    """Issues of a batch that this run will not try again are FAILED at once, whatever becomes of the rest."""
    if move.batch and given_up(progress, move.batch, spec.limits):
        await steps.give_up(spec, progress, move.batch, why)
    return progress


async def _challenged(spec: RunSpec, progress: Progress, move: Challenge) -> Progress:
    asked = await judges.challenge(spec, progress, move)
    answer, spent = asked.answer, asked.spent_usd
    if isinstance(answer, Limited):
        waited = progress.with_wait(answer, asked.seconds, spent, judge=True)
        if not isinstance(decide(waited, target(spec), spec.limits), Challenge):
            return waited
        wait_s = await judges.plan_wait(spec, f"challenge-{move.number}", asked.agent, answer, waited.judges)
        await DBOS.sleep_async(wait_s)
        return waited.rested(asked.agent, answer, wait_s, judge=True)
    if isinstance(answer, Refused):
        return progress.with_block(asked.agent, answer, spent, judge=True)
    return progress.with_score(Scored(progress.head, asked.review, asked.why), asked.seconds, spent)


async def _landed(spec: RunSpec, progress: Progress) -> Stop:
    committed = await steps.land(spec, progress)
    if not committed.commit:
        return fruitless(progress, target(spec))
    done = await steps.settle(spec, progress, committed)
    return Stop(landed_ending(progress, target(spec), spec.limits, done))
