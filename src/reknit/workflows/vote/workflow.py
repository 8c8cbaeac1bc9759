"""`vote` as a durable workflow. It only orders: steps look and ask, `core/vote/decision.py` decides."""

import asyncio
from collections.abc import Mapping

from dbos import DBOS

from reknit.core.agents.call import AgentCall, RateLimited
from reknit.core.fix_pr.forge_endings import blocked_ending, failure_ending
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.vote.decision import Poll, Tally, begin, stopped
from reknit.core.vote.decision import ending_of as counted_ending
from reknit.workflows.fix_pr import record_steps
from reknit.workflows.runtime.errors import ending_of, result_or_error
from reknit.workflows.shared.attempt_cycle import sleep_as_planned
from reknit.workflows.shared.forge_waits import wait_forge, with_forge_retries
from reknit.workflows.vote import steps


@DBOS.workflow(name="vote.v1", max_recovery_attempts=50)
async def vote(spec: RunSpec) -> Ending:
    return await record_steps.end(spec, ending_of(await result_or_error(_to_its_end(spec))))


async def _to_its_end(spec: RunSpec) -> Ending:
    snapshot = await _seen(spec)
    if isinstance(snapshot, Ending):
        return snapshot
    if ending := blocked_ending(snapshot):
        return ending
    poll = begin(spec.vote_target.voters)
    while poll.missing:
        poll = poll.heard(await _at_once(spec, snapshot, poll))
        if ending := stopped(poll, spec.limits, spec.vote_target.limits):
            return ending  # no point in waiting first
        poll = await _rested(spec, poll)
    counted = await steps.count(spec, snapshot, poll)
    await _told(spec, counted)
    return counted_ending(counted)


async def _seen(spec: RunSpec) -> PullSnapshot | Ending:
    waits = 0
    while True:
        snapshot = await steps.look(spec)
        if not isinstance(snapshot, ForgeFailure):
            return snapshot
        if ending := failure_ending(snapshot, waits, spec.limits):
            return ending
        await sleep_as_planned(wait_forge(spec, snapshot, waits))
        waits += 1


async def _at_once(spec: RunSpec, snapshot: PullSnapshot, poll: Poll) -> Mapping[str, AgentCall]:
    """Ask those who have not voted, in a fixed order so that a replay matches. If one raises, the other is cancelled.

    One round after the other, never two loops in parallel: a replay could not reproduce how they interleave.
    """
    places, share = {ballot.agent: place for place, ballot in enumerate(poll.ballots)}, len(poll.missing)
    asked = [
        asyncio.ensure_future(steps.cast(spec, snapshot, places[ballot.agent], ballot.tries, share))
        for ballot in poll.missing
    ]
    try:
        calls = await asyncio.gather(*asked)
    finally:
        for call in asked:
            call.cancel()
        await asyncio.gather(*asked, return_exceptions=True)  # no call outlives the run
    return {ballot.agent: call for ballot, call in zip(poll.missing, calls, strict=True)}


async def _rested(spec: RunSpec, poll: Poll) -> Poll:
    """Waits for the last rate-limited voter: both votes are needed anyway."""
    longest_s = 0.0
    for number, ballot in enumerate(poll.missing, 1):
        if isinstance(ballot.last, RateLimited):
            agent = ballot.agent
            wait_s = await record_steps.wait_agent(spec, f"i{number}-{agent}", agent, ballot.last, ballot.rotation)
            poll = poll.with_ballot(ballot.rested(ballot.last, wait_s))
            longest_s = max(longest_s, wait_s)
    if longest_s:
        await DBOS.sleep_async(longest_s)
    return poll


async def _told(spec: RunSpec, counted: Tally) -> None:
    if not spec.vote_target.comment:
        return
    # If the comment fails, the run still has its ending.
    await result_or_error(with_forge_retries(spec, lambda: steps.post(spec, counted)))
