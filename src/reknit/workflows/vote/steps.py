"""The steps of a vote: look at the pull request, ask one voter, count, and post the result."""

import asyncio
import json

from reknit.core.agents.call import Aborted, AgentCall
from reknit.core.agents.instructions import reviewer_guides
from reknit.core.fix_pr.output.events import not_reported
from reknit.core.forge.permission import FixBlocked, branch_gone
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.issues.review_findings import REVIEW_PREFIX, FindingSource
from reknit.core.repository.routing import kind_of
from reknit.core.runs.spec import RunSpec
from reknit.core.vote import run_text
from reknit.core.vote.comment import KEY, comment
from reknit.core.vote.decision import Poll, Tally, key_of, may_vote, tally
from reknit.core.vote.record import votes_document
from reknit.ports.forge import Forge
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, resting
from reknit.workflows.shared.agent_reading import read
from reknit.workflows.shared.forge_calls import ask, fetch, remote
from reknit.workflows.shared.gate_check import ProposedChange, advice_on
from reknit.workflows.shared.kept_findings import keep_if_possible
from reknit.workflows.shared.prompt_facts import change_facts


@step("vote_look.v1")
async def look(services: Services, spec: RunSpec) -> PullSnapshot | ForgeFailure:
    """The vote is on the head that git finds now, even if the branch moves in the meantime."""
    holder = await asyncio.to_thread(services.ledger.claim, key_of(spec.vote_target), spec.run_id)
    if holder != spec.run_id:
        return PullSnapshot(
            "", "", 0, FixBlocked("taken", f"{holder} is already a vote on this pull request: `reknit watch {holder}`")
        )
    pull = await ask(services, spec, lambda forge: forge.pull(spec.vote_target.number))
    if isinstance(pull, ForgeFailure):
        return pull
    if barred := may_vote(pull):
        return PullSnapshot("", "", 0, barred)
    heads = await ask(services, spec, lambda _: fetch(services, spec, pull))
    if isinstance(heads, ForgeFailure):
        return heads
    if gone := branch_gone(pull, heads):
        return PullSnapshot("", "", 0, gone)
    head, tip = heads
    repository = services.workspace(spec).repository
    await asyncio.to_thread(repository.show, head)
    base = await asyncio.to_thread(repository.merge_base, tip, head) or tip
    snapshot = PullSnapshot(head, base, 0, head_ref=pull.head_ref, head_url=pull.head_url, base_ref=pull.base_ref)
    services.ledger.event(spec.run_id, "look", run_text.looked(pull, snapshot))
    return snapshot


@step("cast.v1", preemptible=True)
async def cast(
    services: Services, spec: RunSpec, snapshot: PullSnapshot, voter: int, tries: int, share: int
) -> AgentCall:
    """One voter's call. Its answer is stored only in the checkpoint, where no command or prompt reads it.

    `voter`: its index among the voters. `share`: how many are asked at once.
    """
    agent, name = spec.vote_target.voters[voter], f"vote-{voter + 1}-{tries + 1}"
    if call := resting(services, agent):
        return call
    if services.ledger.spent(spec.run_id) >= spec.limits.budget_usd:
        return AgentCall(Aborted("budget", "nothing is left to spend"))
    services.ledger.event(spec.run_id, f"{name}-begins", run_text.begins(agent.name, tries))
    await asyncio.to_thread(services.workspace(spec).ready, snapshot.head, snapshot.base)
    advice = await advice_on(services, spec, ProposedChange(snapshot.base, snapshot.head))
    prompt = await asyncio.to_thread(_prompt, services, spec, snapshot, advice)
    call = await read(services, spec, AgentTask(name, tries + 1, agent, prompt, share=share), snapshot.head)
    services.ledger.event(spec.run_id, f"{name}-heard", run_text.heard(agent.name, tries, call))
    return call


def _prompt(services: Services, spec: RunSpec, snapshot: PullSnapshot, advice: tuple[str, ...]) -> str:
    """Made only from the commits and the frozen order: every voter gets exactly the same prompt."""
    repository = services.workspace(spec).repository
    order = spec.vote_target
    changed = repository.change(snapshot.base, snapshot.head).paths
    kinds = {kind_of(path, order.backend, order.frontend) for path in changed}
    guides = reviewer_guides(kinds, order.guides)
    facts = {**change_facts(repository, order.title, snapshot), "guides": guides, "advice": advice}
    return services.prompt("vote", facts)


@step("count.v1")
async def count(services: Services, spec: RunSpec, snapshot: PullSnapshot, poll: Poll) -> Tally:
    """Both votes are in: from here on they are shown, together."""
    ref = f"refs/heads/{snapshot.head_ref}"

    def question(_: Forge) -> str:
        repository = services.workspace(spec).repository
        return repository.fetch_from(remote(services, spec, snapshot.head_url), [ref]).get(ref, "")

    now = await ask(services, spec, question)
    if isinstance(now, ForgeFailure) and now.kind == "unreachable":
        now = await ask(services, spec, question)  # one transient failure must not cost two votes
    counted = tally(poll, spec.vote_target, snapshot.head, now)
    for vote in counted.votes:
        source = FindingSource(spec.issue_repository, vote.agent, REVIEW_PREFIX, snapshot.head)
        await asyncio.to_thread(keep_if_possible, services, spec, source, vote.review.findings)
    services.ledger.put_document(spec.run_id, "votes", json.dumps(votes_document(counted)))
    services.ledger.event(spec.run_id, "votes", run_text.counted(counted))
    return counted


@step("post.v1")
async def post(services: Services, spec: RunSpec, counted: Tally) -> ForgeFailure | None:
    """Write the one comment with both votes; it replaces that of an earlier vote."""
    spent, budget = services.ledger.spent(spec.run_id), spec.limits.budget_usd
    body = comment(spec.run_id, counted, spent_usd=spent, budget_usd=budget)
    answer = await ask(services, spec, lambda forge: forge.comment(spec.vote_target.number, KEY, body))
    if not isinstance(answer, ForgeFailure):
        return None
    services.ledger.event(spec.run_id, "report", not_reported(answer))
    return answer
