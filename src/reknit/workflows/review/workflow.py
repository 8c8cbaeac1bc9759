"""`review` as a durable workflow: reviewers, then fixes of what the progress file lists. `core/review` decides."""

import functools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from dbos import DBOS

from reknit.core.agents.call import RateLimited, Unusable
from reknit.core.review.decision import (
    AskReviewers,
    FixFindings,
    LookAgain,
    ReadFile,
    RecheckFindings,
    RunTests,
    StopReview,
    count_second_opinions,
    decide,
    is_given_up,
)
from reknit.core.review.progress import FindingBatch, Recheck, ReviewerAnswer, ReviewProgress, SecondLook
from reknit.core.review.step_results import Confirmation, FixProof, ReviewerCall, conclude_fix
from reknit.core.review.task import ReviewChange
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.review import again_steps, ask_step, fix_steps, prove_step
from reknit.workflows.review.again_steps import find_reviewer
from reknit.workflows.runtime.step import ending_from_result, result_or_error, run_together
from reknit.workflows.shared.attempt_cycle import sleep_as_planned, wait_or_record
from reknit.workflows.shared.criteria import check_criteria
from reknit.workflows.shared.project_setup import set_up

READER_TRIES = 2
"""Maximum calls of a reviewer before it is recorded as unanswered."""


class _AnswerOfReviewer(Protocol):
    """An answer of a reviewer, with the fields that decide on another call."""

    @property
    def limited(self) -> RateLimited | Unusable | None: ...
    @property
    def may_retry(self) -> bool: ...
    @property
    def seconds(self) -> float: ...


Reply = TypeVar("Reply", bound=_AnswerOfReviewer)


@DBOS.workflow(name="review.v1", max_recovery_attempts=50)
async def review(spec: RunSpec) -> Ending:
    """Run `review` to its ending."""
    result = await result_or_error(_run_to_end(spec))
    return result if isinstance(result, Ending) else await fix_steps.finish(spec, ending_from_result(result))


async def _run_to_end(spec: RunSpec) -> Ending:
    if spec.setups.commands and (failed := await set_up(spec)):
        return await fix_steps.finish(spec, failed)
    answers = await fix_steps.open_review(spec)
    rotation = AgentRotation(tuple(agent.name for agent in spec.agents))
    state: ReviewProgress | StopReview = (last := ReviewProgress(rotation, spec.base, answers))
    while isinstance(state, ReviewProgress):
        last, state = state, await _take_turn(spec, state)
    return await fix_steps.finish(spec, await check_criteria(spec, spec.base, state.ending), last)


async def _take_turn(spec: RunSpec, progress: ReviewProgress) -> ReviewProgress | StopReview:
    move = decide(progress, spec.task_as(ReviewChange), spec.limits)
    if isinstance(move, AskReviewers):
        return await _ask_reviewers(spec, progress, move)
    if isinstance(move, ReadFile):
        return replace(progress, work=await fix_steps.read_findings(spec, progress.answers))
    if isinstance(move, RunTests):
        tests = await fix_steps.observe(spec)
        return replace(progress.add_work(tests.seconds, progress.spent_usd), tests=tests)
    if isinstance(move, RecheckFindings):
        return await _recheck(spec, progress, move.batch)
    if isinstance(move, LookAgain):
        return await _look_again(spec, progress, move)
    return await _fix_findings(spec, progress, move) if isinstance(move, FixFindings) else move


async def _ask_reviewers(spec: RunSpec, progress: ReviewProgress, move: AskReviewers) -> ReviewProgress:
    async def enter(place: int, reply: ReviewerCall) -> None:
        if reply.answer.verdict:
            refuted = await _ask_for_refutations(spec, place, reply.answer)
            await ask_step.enter_review(spec, place, reply.answer, refuted)

    replies, seconds = await _ask_together(spec, "review", move.places, ask_step.ask_reviewer, enter)
    return progress.with_answers([reply.answer for reply in replies], seconds, max(one.spent_usd for one in replies))


async def _ask_together(
    spec: RunSpec, name: str, places: Sequence[int], ask: Callable[..., Awaitable[Reply]],
    enter: Callable[[int, Reply], Awaitable[None]],
) -> tuple[list[Reply], float]:  # fmt: skip
    """Ask reviewers at once. Returns also the seconds that they worked, at once or in turn.

    `ask` takes the run, the reviewer's place, how often it was asked, and how many share the money that is left. A
    reviewer that is rate limited or gives no answer is asked again by itself, since the others may be why, and after
    `enter` has written what the others say.
    """
    together = await run_together(ask(spec, place, 0, len(places)) for place in places)
    first_replies = dict(zip(places, together, strict=True))
    replies, seconds = {}, max(reply.seconds for reply in first_replies.values())
    for place, first in sorted(first_replies.items(), key=lambda item: bool(item[1].limited or item[1].may_retry)):
        reviewer, agent = spec.task_as(ReviewChange).reviewers[place]
        ask_alone = functools.partial(ask, spec, place)
        replies[place], all_s = await _ask(spec, f"{name}-{reviewer.name}", agent.name, ask_alone, first)
        seconds += all_s - first.seconds
        await enter(place, replies[place])
    return [replies[place] for place in places], seconds


async def _ask(
    spec: RunSpec, key: str, agent: str, ask: Callable[[int], Awaitable[Reply]], first: Reply | None = None
) -> tuple[Reply, float]:
    """Ask a reviewer until it answers, within limits. Returns also the seconds of all calls; a limit is not a try.

    `first`: its reply to the first call, if that was made already.
    """
    rotation, tries, seconds = AgentRotation((agent,)), 0, 0.0
    while True:
        reply, first = first or await ask(tries), None
        seconds += reply.seconds
        if isinstance(reply.limited, RateLimited):
            rotation = rotation.after_limit(reply.limited)
            if rotation.find_ending(spec.limits):
                return reply, seconds
            rotation = await _wait_for_limit(spec, key, agent, reply.limited, rotation)
            continue
        tries += 1
        if not reply.may_retry or tries >= READER_TRIES:
            return reply, seconds


async def _ask_for_refutations(spec: RunSpec, place: int, answer: ReviewerAnswer) -> tuple[str, ...]:
    numbers = range(count_second_opinions(spec.task_as(ReviewChange), answer))
    return tuple([name for number in numbers if (name := await ask_step.second_opinion(spec, place, number))])


async def _wait_for_limit(
    spec: RunSpec, key: str, agent: str, limited: RateLimited, rotation: AgentRotation
) -> AgentRotation:
    wait_s = await sleep_as_planned(fix_steps.plan_wait(spec, key, agent, limited, rotation))
    return rotation.after_wait(agent, limited, wait_s)


async def _fix_findings(spec: RunSpec, progress: ReviewProgress, move: FixFindings) -> ReviewProgress:
    attempt = await fix_steps.work(spec, progress, move)
    after = progress.without_work(move.agent, attempt)
    if after is not None:
        return await wait_or_record(
            after, move.agent, attempt,
            continues=isinstance(decide(after, spec.task_as(ReviewChange), spec.limits), FixFindings),
            plan=lambda *limit: fix_steps.plan_wait(spec, f"attempt-{move.number}", move.agent, *limit),
            note=lambda: fix_steps.record(spec, move.number, attempt),
        )  # fmt: skip
    return await _judge_attempt(spec, progress, move, attempt)


async def _judge_attempt(
    spec: RunSpec, progress: ReviewProgress, move: FixFindings, attempt: AttemptResult
) -> ReviewProgress:
    gate = await fix_steps.judge(spec, progress, move, attempt)
    proof = await prove_step.prove(spec, progress, move, attempt, gate) if gate.is_accepted else None
    confirmation = await _confirm_fix(spec, progress, move, proof) if proof and not proof.why else None
    await fix_steps.record(
        spec, move.number, attempt, gate, proof.to_proof(spec.evidence, confirmation) if proof else None
    )
    seconds = attempt.call.seconds + (proof.seconds if proof else 0.0) + (confirmation.seconds if confirmation else 0.0)
    spent_usd = max(attempt.spent_usd, confirmation.spent_usd if confirmation else 0.0)
    outcome = conclude_fix(move, attempt.call.outcome, gate, proof, confirmation)
    if proof and outcome.succeeded:
        await fix_steps.land(spec, move, attempt, gate, proof)
    after = progress.with_attempt(outcome, proof.commit if proof else "", seconds, spent_usd)
    if is_given_up(after, move.batch, spec.limits) and not outcome.unseen:
        await fix_steps.give_up(spec, move.batch, attempt, outcome.why)
    return after


async def _confirm_fix(spec: RunSpec, progress: ReviewProgress, move: FixFindings, proof: FixProof) -> Confirmation:
    agent = find_reviewer(spec, move.batch)[1].name
    confirmation, seconds = await _ask(
        spec, f"confirm-{move.number}", agent,
        lambda tries: again_steps.confirm(spec, move, progress.head, proof, tries),
    )  # fmt: skip
    return replace(confirmation, seconds=seconds)


async def _recheck(spec: RunSpec, progress: ReviewProgress, batch: FindingBatch) -> ReviewProgress:
    answer, seconds = await _ask(
        spec, f"recheck-{batch.number}", find_reviewer(spec, batch)[1].name,
        lambda tries: again_steps.recheck(spec, progress, batch, tries),
    )  # fmt: skip
    recheck = Recheck(batch.number, is_gone=not answer.still_there and not answer.unheard)
    if recheck.is_gone:
        await again_steps.close_gone(spec, progress, batch, answer.at)
    return progress.with_recheck(recheck, seconds, max(answer.spent_usd, progress.spent_usd))


async def _look_again(spec: RunSpec, progress: ReviewProgress, move: LookAgain) -> ReviewProgress:
    def look_again(spec: RunSpec, place: int, tries: int, share: int = 1) -> Awaitable[SecondLook]:
        return again_steps.look_again(spec, progress, place, tries, share)

    enter = functools.partial(again_steps.enter_second_look, spec, progress)
    looks, seconds = await _ask_together(spec, "again", move.places, look_again, enter)
    return progress.with_second_looks(looks, seconds)
