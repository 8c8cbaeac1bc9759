"""`vote` as a durable workflow: look at the pull request, ask both voters, count, and post. `core/vote` decides."""

import asyncio
import json
from collections.abc import Mapping

from dbos import DBOS

from reknit.core.agents.call import Aborted, AgentCall, RateLimited
from reknit.core.agents.instructions import join_voter_guides
from reknit.core.fix_pr.output.events import report_failed_update
from reknit.core.fix_pr.push import find_blocked_ending, find_failure_ending
from reknit.core.forge.permission import FixBlocked, PullSnapshot, find_missing_branch
from reknit.core.forge.values import ForgeFailure
from reknit.core.issues.review_findings import REVIEW_PREFIX, FindingSource
from reknit.core.repository.file_kinds import route_file
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.vote import run_text
from reknit.core.vote.decision import Poll, Tally, check_votable, count_votes, decide_stop, make_key, start_poll
from reknit.core.vote.decision import decide_ending as counted_ending
from reknit.core.vote.record import KEY, render_comment, tally_to_document
from reknit.core.vote.task import VoteOnPullRequest
from reknit.ports.forge import Forge
from reknit.workflows.fix_pr import record_steps
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import ending_from_result, result_or_error, run_together, step
from reknit.workflows.shared.agent_call import AgentTask, call_read_only_agent, rate_limited_call
from reknit.workflows.shared.attempt_cycle import report_with_retries, sleep_as_planned, wait_forge
from reknit.workflows.shared.forge_calls import ask_forge, fetch_pull, make_remote
from reknit.workflows.shared.gate_check import ProposedChange, collect_advice
from reknit.workflows.shared.kept_findings import keep_if_possible
from reknit.workflows.shared.repository_facts import collect_change_facts


@step("vote_look.v1")
async def look(services: Services, spec: RunSpec) -> PullSnapshot | ForgeFailure:
    """Look at the pull request. The vote is on the head that git finds now, even if the branch moves meanwhile."""
    holder = await asyncio.to_thread(services.ledger.claim, make_key(spec.task_as(VoteOnPullRequest)), spec.run_id)
    if holder != spec.run_id:
        return PullSnapshot(
            "", "", 0, FixBlocked("taken", f"{holder} is already a vote on this pull request: `reknit watch {holder}`")
        )
    pull = await ask_forge(services, spec, lambda forge: forge.pull(spec.task_as(VoteOnPullRequest).number))
    if isinstance(pull, ForgeFailure):
        return pull
    if barred := check_votable(pull):
        return PullSnapshot("", "", 0, barred)
    heads = await ask_forge(services, spec, lambda _: fetch_pull(services, spec, pull))
    if isinstance(heads, ForgeFailure):
        return heads
    if blocked := find_missing_branch(pull, heads):
        return PullSnapshot("", "", 0, blocked)
    head, tip = heads
    repository = services.workspace(spec).repository
    await asyncio.to_thread(repository.show, head)
    base = await asyncio.to_thread(repository.merge_base, tip, head) or tip
    snapshot = PullSnapshot(head, base, 0, head_ref=pull.head_ref, head_url=pull.head_url, base_ref=pull.base_ref)
    services.ledger.put_event(spec.run_id, "look", run_text.report_look(pull, snapshot))
    return snapshot


@step("cast.v1", preemptible=True)
async def cast(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, voter: int, tries: int, share: int
) -> AgentCall:
    """Ask one voter. Its answer is stored only in the checkpoint, where no command or prompt reads it.

    `voter`: its index among the voters. `share`: how many are asked at once.
    """
    agent, name = spec.task_as(VoteOnPullRequest).voters[voter], f"vote-{voter + 1}-{tries + 1}"
    if call := rate_limited_call(services, agent):
        return call
    if services.ledger.total_cost(spec.run_id) >= spec.limits.budget_usd:
        return AgentCall(Aborted("budget", "nothing is left to spend"))
    services.ledger.put_event(spec.run_id, f"{name}-begins", run_text.report_voter_start(agent.name, tries))
    await asyncio.to_thread(services.workspace(spec).ensure_commits, snapshot.head, snapshot.base)
    advice = await collect_advice(services, spec, ProposedChange(snapshot.base, snapshot.head))
    prompt = await asyncio.to_thread(_prompt, services, spec, snapshot, advice)
    call = await call_read_only_agent(
        services, spec, AgentTask(name, tries + 1, agent, prompt, share=share), snapshot.head
    )
    services.ledger.put_event(spec.run_id, f"{name}-heard", run_text.report_call(agent.name, tries, call))
    return call


def _prompt(services: Services, spec: RunSpec, snapshot: PullSnapshot, advice: tuple[str, ...]) -> str:
    """Make the prompt only from the commits and the frozen order: every voter gets exactly the same prompt."""
    repository = services.workspace(spec).repository
    order = spec.task_as(VoteOnPullRequest)
    changed = repository.change(snapshot.base, snapshot.head).paths
    kinds = {route_file(path, order.backend, order.frontend) for path in changed}
    guides = join_voter_guides(kinds, order.guides)
    facts = {**collect_change_facts(repository, order.title, snapshot), "guides": guides, "advice": advice}
    return services.prompt("vote", facts)


@step("count.v1")
async def count(services: Services, spec: RunSpec, snapshot: PullSnapshot, poll: Poll) -> Tally:
    """Count the votes. Both are in, so that they are shown from here on, together."""
    ref = f"refs/heads/{snapshot.head_ref}"

    def question(_: Forge) -> str:
        repository = services.workspace(spec).repository
        return repository.fetch_from(make_remote(services, spec, snapshot.head_url), [ref]).get(ref, "")

    now = await ask_forge(services, spec, question)
    if isinstance(now, ForgeFailure) and now.kind == "unreachable":
        now = await ask_forge(services, spec, question)  # one transient failure must not cost two votes
    result = count_votes(poll, spec.task_as(VoteOnPullRequest), snapshot.head, now)
    for cast_vote in result.votes:
        source = FindingSource(spec.issue_repository, cast_vote.agent, REVIEW_PREFIX, snapshot.head)
        await asyncio.to_thread(keep_if_possible, services, spec, source, cast_vote.review.findings)
    services.ledger.put_document(spec.run_id, "votes", json.dumps(tally_to_document(result)))
    services.ledger.put_event(spec.run_id, "votes", run_text.report_tally(result))
    return result


@step("post.v1")
async def post(services: Services, spec: RunSpec, result: Tally) -> ForgeFailure | None:
    """Write the one comment with both votes; it replaces that of an earlier vote."""
    body = render_comment(spec.run_id, result, services.ledger.read_spending(spec.run_id))
    answer = await ask_forge(
        services, spec, lambda forge: forge.comment(spec.task_as(VoteOnPullRequest).number, KEY, body)
    )
    if not isinstance(answer, ForgeFailure):
        return None
    services.ledger.put_event(spec.run_id, "report", report_failed_update(answer))
    return answer


@DBOS.workflow(name="vote.v1", max_recovery_attempts=50)
async def vote(spec: RunSpec) -> Ending:
    """Run `vote` to its ending."""
    return await record_steps.end(spec, ending_from_result(await result_or_error(_run_to_end(spec))))


async def _run_to_end(spec: RunSpec) -> Ending:
    snapshot = await _look_at_pull(spec)
    if isinstance(snapshot, Ending):
        return snapshot
    if ending := find_blocked_ending(snapshot):
        return ending
    poll = start_poll(spec.task_as(VoteOnPullRequest).voters)
    while poll.missing:
        poll = poll.with_calls(await _ask_voters(spec, snapshot, poll))
        if ending := decide_stop(poll, spec.limits, spec.task_as(VoteOnPullRequest).limits):
            return ending  # no point in waiting first
        poll = await _wait_for_limits(spec, poll)
    result = await count(spec, snapshot, poll)
    await _post_votes(spec, result)
    return counted_ending(result)


async def _look_at_pull(spec: RunSpec) -> PullSnapshot | Ending:
    waits = 0
    while True:
        snapshot = await look(spec)
        if not isinstance(snapshot, ForgeFailure):
            return snapshot
        if ending := find_failure_ending(snapshot, waits, spec.limits):
            return ending
        await sleep_as_planned(wait_forge(spec, snapshot, waits))
        waits += 1


async def _ask_voters(spec: RunSpec, snapshot: PullSnapshot, poll: Poll) -> Mapping[str, AgentCall]:
    """Ask those who have not voted, one round after the other."""
    places, share = {ballot.agent: place for place, ballot in enumerate(poll.ballots)}, len(poll.missing)
    calls = await run_together(
        cast(spec, snapshot, places[ballot.agent], ballot.tries, share) for ballot in poll.missing
    )
    return {ballot.agent: call for ballot, call in zip(poll.missing, calls, strict=True)}


async def _wait_for_limits(spec: RunSpec, poll: Poll) -> Poll:
    """Wait for the last rate-limited voter: both votes are needed anyway."""
    longest_s = 0.0
    for number, ballot in enumerate(poll.missing, 1):
        if isinstance(ballot.last, RateLimited):
            agent = ballot.agent
            wait_s = await record_steps.wait_agent(spec, f"i{number}-{agent}", agent, ballot.last, ballot.rotation)
            poll = poll.with_ballot(ballot.with_rest(ballot.last, wait_s))
            longest_s = max(longest_s, wait_s)
    if longest_s:
        await DBOS.sleep_async(longest_s)
    return poll


async def _post_votes(spec: RunSpec, result: Tally) -> None:
    if not spec.task_as(VoteOnPullRequest).comment:
        return
    # If the comment fails, the run still has its ending.
    await result_or_error(report_with_retries(spec, lambda: post(spec, result)))
