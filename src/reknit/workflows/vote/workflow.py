"""`vote` as a durable workflow. It only orders: steps look and ask, `core/vote/decision.py` decides."""

import asyncio
import contextlib
from collections.abc import Mapping

from dbos import DBOS

from reknit.core.agents.call import AgentCall, Limited
from reknit.core.fix_pr.decision import barred, hindered
from reknit.core.fix_pr.state import Course
from reknit.core.forge.pull_snapshot import Sight
from reknit.core.forge.values import Hindrance
from reknit.core.runs.agent_rotation import Crew
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.vote.decision import Poll, Tally, begin, stopped
from reknit.core.vote.decision import ending_of as counted_ending
from reknit.workflows.fix_pr import record_steps as notes
from reknit.workflows.fix_pr.forge_retry import told_patiently
from reknit.workflows.runtime.step import ending_of
from reknit.workflows.vote import steps
from reknit.workflows.vote.steps import target

_NEW = Course(Crew(()))


@DBOS.workflow(name="vote.v1", max_recovery_attempts=50)
async def vote(spec: RunSpec) -> Ending:
    try:
        ending = await _to_its_end(spec)
    except Exception as problem:  # noqa: BLE001 - the step boundary: a run always ends in a typed ending
        ending = ending_of(problem)
    return await notes.end(spec, ending)


async def _to_its_end(spec: RunSpec) -> Ending:
    sight = await _seen(spec)
    if isinstance(sight, Ending):
        return sight
    if stop := barred(_NEW, sight):
        return stop.ending
    poll = begin(target(spec).voters)
    while poll.missing:
        poll = poll.heard(await _at_once(spec, sight, poll))
        if ending := stopped(poll, spec.limits, target(spec).limits):
            return ending  # no sense in waiting first
        poll = await _rested(spec, poll)
    counted = await steps.count(spec, sight, poll)
    await _told(spec, counted)
    return counted_ending(counted)


async def _seen(spec: RunSpec) -> Sight | Ending:
    course = _NEW
    while True:
        sight = await steps.look(spec)
        if not isinstance(sight, Hindrance):
            return sight
        if ending := hindered(course, sight, spec.limits):
            return ending
        await DBOS.sleep_async(await notes.wait_forge(spec, course, sight))
        course = course.hindered_once()


async def _at_once(spec: RunSpec, sight: Sight, poll: Poll) -> Mapping[str, AgentCall]:
    """Whoever has not voted, started in one order, for a replay does the same. One that breaks takes the other along.

    One round after the other, never two loops side by side: how those would be interleaved, no replay could know.
    """
    places, share = {ballot.agent: place for place, ballot in enumerate(poll.ballots)}, len(poll.missing)
    asked = [
        asyncio.ensure_future(steps.cast(spec, sight, places[ballot.agent], ballot.tries, share))
        for ballot in poll.missing
    ]
    try:
        calls = await asyncio.gather(*asked)
    finally:
        for call in asked:
            call.cancel()
        await asyncio.gather(*asked, return_exceptions=True)  # nothing of them outlives the run
    return {ballot.agent: call for ballot, call in zip(poll.missing, calls, strict=True)}


async def _rested(spec: RunSpec, poll: Poll) -> Poll:
    """Waits for the last of those whose provider said `not now`: both are needed anyway."""
    longest_s = 0.0
    for number, ballot in enumerate(poll.missing, 1):
        if isinstance(ballot.last, Limited):
            wait_s = await notes.wait_agent(spec, number, ballot.agent, ballot.last, ballot.crew)
            poll = poll.with_ballot(ballot.rested(ballot.last, wait_s))
            longest_s = max(longest_s, wait_s)
    if longest_s:
        await DBOS.sleep_async(longest_s)
    return poll


async def _told(spec: RunSpec, counted: Tally) -> None:
    if not target(spec).comment:
        return
    with contextlib.suppress(Exception):  # what cannot be told there is still the ending here
        await told_patiently(spec, lambda: steps.post(spec, counted))
