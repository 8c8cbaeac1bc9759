"""`review` as a durable workflow: reviewers, then fixes of what the progress file lists. `core/review` decides."""

from dataclasses import replace

from dbos import DBOS

from reknit.core.agents.call import RateLimited
from reknit.core.checks.criteria import with_criteria
from reknit.core.review.decision import (
    AskReviewer,
    FixFindings,
    ReadFile,
    RunTests,
    StopReview,
    decide,
    is_given_up,
    second_looks,
)
from reknit.core.review.finished_fix import finished_fix
from reknit.core.review.progress import HeardReview, ReviewProgress
from reknit.core.review.step_results import Confirmation, FixProof
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.review import ask_step, fix_steps
from reknit.workflows.runtime.errors import ending_of, result_or_error
from reknit.workflows.shared.attempt_cycle import sleep_as_planned, wait_or_record
from reknit.workflows.shared.plans.criteria import settled_criteria
from reknit.workflows.shared.project_setup import set_up

READER_TRIES = 2
"""How often a reviewer is called before it counts as not heard."""


@DBOS.workflow(name="review.v1", max_recovery_attempts=50)
async def review(spec: RunSpec) -> Ending:
    result = await result_or_error(_to_its_end(spec))
    return result if isinstance(result, Ending) else await fix_steps.finish(spec, ending_of(result))


async def _to_its_end(spec: RunSpec) -> Ending:
    if spec.setups and (failed := await set_up(spec)):
        return await fix_steps.finish(spec, failed)
    heard = await fix_steps.open_review(spec)
    rotation = AgentRotation(tuple(agent.name for agent in spec.agents))
    where: ReviewProgress | StopReview = ReviewProgress(rotation, spec.base, heard)
    while isinstance(where, ReviewProgress):
        where = await _turn(spec, where)
    ending = where.ending
    if spec.variant:
        ending = with_criteria(ending, await settled_criteria(spec, spec.base, ending), spec.variant.left_out)
    return await fix_steps.finish(spec, ending)


async def _turn(spec: RunSpec, progress: ReviewProgress) -> ReviewProgress | StopReview:
    move = decide(progress, spec.review_target, spec.limits)
    if isinstance(move, AskReviewer):
        return await _asked(spec, progress, move)
    if isinstance(move, ReadFile):
        return replace(progress, work=await fix_steps.read_findings(spec, progress.heard))
    if isinstance(move, RunTests):
        seen = await fix_steps.observe(spec)
        return replace(progress.counted(seen.seconds, progress.spent_usd), tests=seen)
    return await _fixed(spec, progress, move) if isinstance(move, FixFindings) else move


async def _asked(spec: RunSpec, progress: ReviewProgress, move: AskReviewer) -> ReviewProgress:
    reviewer, agent = spec.review_target.reviewers[move.place]
    rotation, tries, seconds = AgentRotation((agent.name,)), 0, 0.0
    while True:
        call = await ask_step.ask_reviewer(spec, move.place, tries)
        seconds += call.seconds
        if call.limited:  # a limit is not a try
            rotation = rotation.limited(call.limited)
            if rotation.stopped(spec.limits):
                break
            rotation = await _rested(spec, f"review-{reviewer.name}", agent.name, call.limited, rotation)
            continue
        tries += 1
        if not call.may_retry or tries >= READER_TRIES:
            break
    if call.heard.verdict:
        await ask_step.enter_review(spec, move.place, call.heard, await _refuted(spec, move.place, call.heard))
    return progress.with_answer(call.heard, seconds, call.spent_usd)


async def _refuted(spec: RunSpec, place: int, heard: HeardReview) -> tuple[str, ...]:
    numbers = range(second_looks(spec.review_target, heard))
    return tuple([name for number in numbers if (name := await ask_step.second_look(spec, place, number))])


async def _rested(spec: RunSpec, key: str, agent: str, limited: RateLimited, rotation: AgentRotation) -> AgentRotation:
    wait_s = await sleep_as_planned(fix_steps.plan_wait(spec, key, agent, limited, rotation))
    return rotation.rested(agent, limited, wait_s)


async def _fixed(spec: RunSpec, progress: ReviewProgress, move: FixFindings) -> ReviewProgress:
    made = await fix_steps.work(spec, progress, move)
    after = progress.without_work(move.agent, made)
    if after is not None:
        return await wait_or_record(
            after, move.agent, made,
            continues=isinstance(decide(after, spec.review_target, spec.limits), FixFindings),
            plan=lambda *limit: fix_steps.plan_wait(spec, f"attempt-{move.number}", move.agent, *limit),
            note=lambda: fix_steps.record(spec, move.number, made),
        )  # fmt: skip
    return await _judged(spec, progress, move, made)


async def _judged(spec: RunSpec, progress: ReviewProgress, move: FixFindings, made: AttemptResult) -> ReviewProgress:
    gate = await fix_steps.judge(spec, progress, move, made)
    proof = await fix_steps.prove(spec, progress, move, made, gate) if gate.accepted else None
    said = await _confirmed(spec, progress, move, proof) if proof and not proof.why else None
    await fix_steps.record(spec, move.number, made, gate, proof.as_proof(spec.evidence, said) if proof else None)
    seconds = made.call.seconds + (proof.seconds if proof else 0.0) + (said.seconds if said else 0.0)
    spent = max(made.spent_usd, said.spent_usd if said else 0.0)
    tried = finished_fix(move, made.call.outcome, gate, proof, said)
    if proof and tried.kept:
        await fix_steps.land(spec, move, made, gate, proof)
    after = progress.with_try(tried, proof.commit if proof else "", seconds, spent)
    if is_given_up(after, move.batch, spec.limits) and not tried.unseen:
        await fix_steps.give_up(spec, move.batch, made, tried.why)
    return after


async def _confirmed(spec: RunSpec, progress: ReviewProgress, move: FixFindings, proof: FixProof) -> Confirmation:
    agent = next(agent.name for reviewer, agent in spec.review_target.reviewers if reviewer.name == move.batch.reviewer)
    rotation, tries = AgentRotation((agent,)), 0
    while True:
        said = await ask_step.confirm(spec, move, progress.head, proof.commit, tries)
        if isinstance(said.limited, RateLimited):
            rotation = rotation.limited(said.limited)
            if rotation.stopped(spec.limits):
                return said
            rotation = await _rested(spec, f"confirm-{move.number}", agent, said.limited, rotation)
            continue
        tries += 1
        if not said.unheard or said.limited or tries >= READER_TRIES:
            return said
