"""`fix pr` as a durable workflow. It only orders: steps look and act, `core/fix_pr/decision.py` decides."""

import asyncio
import contextlib
from dataclasses import replace

from dbos import DBOS

from reknit.core.agents.call import Limited, Refused
from reknit.core.checks.status import CiSeen, ReviewSeen, TestsSeen
from reknit.core.fix_pr.checks_snapshot import Picture
from reknit.core.fix_pr.convergence import Round
from reknit.core.fix_pr.decision import barred, goes_without_review, hindered, next_move
from reknit.core.fix_pr.push import Candidate, Landed, Moved, NotLanded
from reknit.core.fix_pr.state import Course, Fix, Move, Rerun, Stop, Wait
from reknit.core.fix_pr.turns import fix_turn, last_turn, why_refused
from reknit.core.forge.permission import Barred
from reknit.core.forge.pull_snapshot import Sight
from reknit.core.forge.values import Hindrance
from reknit.core.runs.agent_rotation import Crew
from reknit.core.runs.attempt import Made
from reknit.core.runs.ending import Ending
from reknit.core.runs.feedback import feedback
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_pr import act_steps as acts
from reknit.workflows.fix_pr import observe_steps as looks
from reknit.workflows.fix_pr import record_steps as notes
from reknit.workflows.fix_pr.forge_retry import LAST_TRIES, told_patiently
from reknit.workflows.fix_pr.review_step import check_review
from reknit.workflows.runtime.step import ending_of
from reknit.workflows.runtime.topics import HINT
from reknit.workflows.shared.forge_calls import target

SETTLE_S = 2.0
MOST_HINTS = 100


@DBOS.workflow(name="pull_request.v1", max_recovery_attempts=50)
async def pull_request(spec: RunSpec) -> Ending:
    try:
        ending = await _to_its_end(spec)
    except Exception as problem:  # noqa: BLE001 - the step boundary: a run always ends in a typed ending
        ending = ending_of(problem)
    with contextlib.suppress(Exception):  # what cannot be told there is still the ending here
        await told_patiently(spec, lambda: notes.report(spec, ending))
    return await notes.end(spec, ending)


async def _to_its_end(spec: RunSpec) -> Ending:
    reviewer = target(spec).reviewer
    readers = Crew((reviewer.name,) if reviewer else ())
    where: Course | Stop = Course(Crew(tuple(agent.name for agent in spec.agents)), readers=readers)
    while isinstance(where, Course):
        where = await _iteration(spec, where)
    return where.ending


async def _iteration(spec: RunSpec, course: Course) -> Course | Stop:
    sight = await looks.look(spec, course)
    if isinstance(sight, Hindrance):
        return await _hindered(spec, course, sight)
    if stop := barred(course, sight):
        return stop
    course = course.at(sight.head)
    tests, ci, review = await _all_three(spec, course, sight)
    if isinstance(ci, Hindrance):
        return await _hindered(spec, course, ci)
    if isinstance(review, Hindrance):
        return await _hindered(spec, course, review)
    if isinstance(review, Limited) and goes_without_review(tests, ci):
        review = ReviewSeen("error", why="the reviewer's provider said `not now`")
    if isinstance(review, Limited):
        return await _unread(spec, course.unread(review), review)
    picture = Picture(sight.head, review, tests, ci)
    measured = await looks.measure(spec, course, sight, picture)
    return await _decided(spec, course.went_on(measured.seconds, measured.spent_usd), sight, picture, measured.seen)


async def _all_three(
    spec: RunSpec, course: Course, sight: Sight
) -> tuple[TestsSeen, CiSeen | Hindrance, ReviewSeen | Hindrance | Limited]:
    """At once, and started in this order, for a replay does the same. One that breaks takes the others with it."""
    tests = asyncio.ensure_future(looks.check_tests(spec, course, sight))
    ci = asyncio.ensure_future(looks.check_ci(spec, course, sight))
    review = asyncio.ensure_future(check_review(spec, course, sight))
    try:
        return await asyncio.gather(tests, ci, review)
    finally:
        for check in (tests, ci, review):
            check.cancel()


async def _decided(spec: RunSpec, course: Course, sight: Sight, picture: Picture, seen: Round) -> Course | Stop:
    def decide() -> Move:
        return next_move(course, sight, picture, seen, spec.limits, target(spec).limits)

    move = decide()
    while isinstance(move, Wait):
        waited_s, news = await _waited(spec, course, sight, picture, move)
        course = course.waited(move, waited_s)
        if news:
            return course
        move = decide()
    if isinstance(move, Rerun):
        answer = await acts.rerun(spec, sight, move.checks)
        return await _hindered(spec, course, answer) if isinstance(answer, Hindrance) else course
    if isinstance(move, Stop) and move.claims_success:
        holds = await looks.confirm(spec, sight, picture)
        if isinstance(holds, Hindrance):
            return await _hindered(spec, course, holds)
        if not holds:
            return course  # somebody did something while we looked
    if isinstance(move, Stop):
        last = last_turn(course, picture, seen, move.ending)
        await notes.turn_over(spec, replace(course, turns=(*course.turns, last)), picture, last)
        return move
    return await _fixed(spec, course, sight, picture, seen, move)


async def _waited(spec: RunSpec, course: Course, sight: Sight, picture: Picture, wait: Wait) -> tuple[float, bool]:
    """(seconds, whether to look at everything again). A message that something happened ends the wait early."""
    await notes.wait_ci(spec, course, picture, wait)
    before_s = age_s = picture.ci.age_s + course.pending_s
    if not wait.looks:
        await DBOS.sleep_async(wait.seconds)
        return wait.seconds, True
    for look in range(wait.looks):
        hint = await DBOS.recv_async(HINT, timeout_seconds=wait.seconds)
        if hint is not None:
            await _let_it_settle(min(SETTLE_S, wait.seconds))
        news, age_s = await looks.poll(spec, sight, picture, wait, course.pending_looks + look, hinted=hint is not None)
        if news:
            return max(0.0, age_s - before_s), True
    return max(0.0, age_s - before_s), False


async def _let_it_settle(seconds: float) -> None:
    """Hints come in swarms, and many are of what reknit itself did: one look answers them all."""
    await DBOS.sleep_async(seconds)
    for _ in range(MOST_HINTS):
        if await DBOS.recv_async(HINT, timeout_seconds=0) is None:
            return


async def _fixed(
    spec: RunSpec, course: Course, sight: Sight, picture: Picture, seen: Round, move: Fix
) -> Course | Stop:
    made = await acts.fix(spec, sight, picture, move)
    outcome = made.call.outcome
    if isinstance(outcome, Limited):
        return await _not_now(spec, course.limited(outcome, made.spent_usd, made.call.seconds), move.agent, outcome)
    if isinstance(outcome, Refused):
        await notes.note(spec, move, made, None, None)
        return course.refused(move.agent, outcome, made.spent_usd)
    left = Candidate(made.after, sight.head)
    verdict = await acts.gate(spec, sight, move, left, made)
    refused = NotLanded(why_refused(verdict, outcome), feedback(verdict, None, outcome))
    end = await _landed(spec, course, sight, picture, move, made) if verdict.accepted else refused
    told = NotLanded(end.ending.reason) if isinstance(end, Stop) else end
    await notes.note(spec, move, made, verdict, told)
    turn = fix_turn(course, picture, seen, move, told, made.spent_usd)
    course = course.with_turn(turn, made.spent_usd, made.call.seconds, outcome)
    await notes.turn_over(spec, course, picture, turn)
    if isinstance(end, Stop):
        return end
    if isinstance(end, Landed):
        await _answered(spec, course, move, end)
    await notes.report(spec, None)  # what could not be told now is told with the next turn
    return course


async def _answered(spec: RunSpec, course: Course, move: Fix, landed: Landed) -> None:
    for _ in range(LAST_TRIES):
        answer = await acts.answer_threads(spec, move, landed)
        if not isinstance(answer, Hindrance) or isinstance(await _hindered(spec, course, answer), Stop):
            return


async def _landed(
    spec: RunSpec, course: Course, sight: Sight, picture: Picture, move: Fix, made: Made
) -> Landed | NotLanded | Stop:
    """A branch that moved gets the fix on top, judged and tested anew; what somebody pushed is never overwritten."""
    candidate = await acts.draft(spec, sight, move, made)
    for _ in range(target(spec).limits.pushes):
        refused = await acts.prove(spec, course, picture, move, candidate)
        if isinstance(refused, NotLanded):
            return refused
        answer = await _pushed(spec, course, sight, move, candidate)
        if not isinstance(answer, Moved):
            return answer
        again = await acts.replay(spec, sight, move, candidate, made)
        if isinstance(again, Hindrance):
            return NotLanded("the branch moved, and the forge did not say where to")
        if not isinstance(again, Candidate):
            return again
        verdict = await acts.gate(spec, sight, move, again, made)
        if not verdict.accepted:
            return NotLanded("the gate refused it on the new head")
        candidate = again
    return NotLanded("the branch kept moving")


async def _pushed(
    spec: RunSpec, course: Course, sight: Sight, move: Fix, candidate: Candidate
) -> Landed | Moved | NotLanded | Stop:
    while True:
        answer = await acts.push(spec, sight, move, candidate)
        if isinstance(answer, Barred):
            return Stop(Ending("BLOCKED", answer.sentence, answer.cause, course.commits))
        if not isinstance(answer, Hindrance):
            return answer
        where = await _hindered(spec, course, answer)
        if isinstance(where, Stop):
            return where
        course = where


async def _hindered(spec: RunSpec, course: Course, hindrance: Hindrance) -> Course | Stop:
    if ending := hindered(course, hindrance, spec.limits):
        return Stop(ending)
    wait_s = await notes.wait_forge(spec, course, hindrance)
    await DBOS.sleep_async(wait_s)
    return course.hindered_once()


async def _not_now(spec: RunSpec, course: Course, agent: str, limited: Limited) -> Course | Stop:
    if ending := course.crew.stopped(spec.limits):
        return Stop(replace(ending, fixed=course.commits))  # no sense in waiting first
    wait_s = await notes.wait_agent(spec, course.number, agent, limited, course.crew)
    await DBOS.sleep_async(wait_s)
    return course.rested(agent, limited, wait_s)


async def _unread(spec: RunSpec, course: Course, limited: Limited) -> Course | Stop:
    if ending := course.readers.stopped(spec.limits):
        return Stop(replace(ending, fixed=course.commits))
    wait_s = await notes.wait_agent(spec, course.number, course.readers.next, limited, course.readers)
    await DBOS.sleep_async(wait_s)
    return course
