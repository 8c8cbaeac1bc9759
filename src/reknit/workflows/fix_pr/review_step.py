"""The review check: a read-only agent, and what people and other bots wrote on the pull request."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentCall, AgentSettings, Done, RateLimited, outcome_word
from reknit.core.agents.reviewer_choice import instructions
from reknit.core.checks import review
from reknit.core.checks.status import ReviewResult
from reknit.core.fix_pr.check_summary import NOT_REVIEWED
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.output.documents import review_document
from reknit.core.fix_pr.state import PullRunState
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.issues.review_findings import REVIEW_PREFIX, FindingSource, without_silenced
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_pr.ci_history import settled
from reknit.workflows.fix_pr.observe_steps import NOT_SHOWN, newest_of_others
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, resting
from reknit.workflows.shared.agent_reading import read
from reknit.workflows.shared.forge_calls import ask
from reknit.workflows.shared.gate_check import ProposedChange, advice_on
from reknit.workflows.shared.kept_findings import keep_if_possible
from reknit.workflows.shared.prompt_facts import change_facts
from reknit.workflows.shared.saved_values import load_value, save_value


@step("check_review.v1", preemptible=True)
async def check_review(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot
) -> ReviewResult | ForgeFailure | RateLimited:
    remarks = await ask(services, spec, lambda forge: forge.remarks(spec.pull_target.number))
    if isinstance(remarks, ForgeFailure):
        return ReviewResult("error", why=remarks.detail) if remarks.kind in NOT_SHOWN else remarks
    began = services.clock()
    own = await _own_review(services, spec, state, snapshot)
    if isinstance(own, RateLimited):
        return own
    report = (
        await asyncio.to_thread(_unsilenced, services, spec, snapshot.head, own) if isinstance(own, Review) else None
    )
    why = own.why if isinstance(own, ReviewResult) else ""
    answered = {remark.id: remark.author for remark in remarks if remark.id in state.answered}
    unanswered = [remark for remark in remarks if remark.id not in answered]
    seen = review.seen(report, unanswered, only_critical=state.only_critical(spec.pull_target.limits), why=why)
    nobody = NOT_REVIEWED if spec.pull_target.reviewer is None and seen.status == "pass" else seen.why
    awaited = tuple(dict.fromkeys(answered.values()))
    seen = replace(seen, why=nobody, awaited=awaited, seconds=services.clock() - began)
    services.ledger.put_document(spec.run_id, "check.review", events.as_json(review_document(seen)))
    services.ledger.event(spec.run_id, f"i{state.number}-review-{snapshot.head}", events.review(state.number, seen))
    return seen


def _unsilenced(services: Services, spec: RunSpec, head: str, own: Review) -> Review:
    """Its findings are kept as issues; what a person ignored is not reported again."""
    reviewer = spec.pull_target.reviewer
    source = FindingSource(spec.issue_repository, reviewer.name if reviewer else "", REVIEW_PREFIX, head)
    return without_silenced(own, keep_if_possible(services, spec, source, own.findings))


async def _own_review(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot
) -> Review | ReviewResult | RateLimited | None:
    """One per head; a failed one is requested again only if a retry was decided. None if there is no reviewer."""
    agent = spec.pull_target.reviewer
    if agent is None:
        return None
    known = load_value(services, spec, f"review-{snapshot.head}", state.errors)
    if isinstance(known, Review | ReviewResult):
        return known
    if (call := resting(services, agent)) and isinstance(call.outcome, RateLimited):
        return call.outcome
    if services.ledger.spent(spec.run_id) >= spec.limits.budget_usd:
        return ReviewResult("error", why="no budget left for a review")
    services.ledger.event(spec.run_id, f"i{state.number}-review-begins", events.review_begins(state.number, agent.name))
    call = await _asked(services, spec, state, snapshot, agent)
    if isinstance(call.outcome, RateLimited):
        return call.outcome
    if isinstance(call.outcome, Done) and isinstance(call.report, Review):
        return save_value(services, spec, f"review-{snapshot.head}", call.report)
    why = f"{agent.name} gave no review ({outcome_word(call.outcome)}) {getattr(call.outcome, 'detail', '')[:200]}"
    return save_value(services, spec, f"review-{snapshot.head}", ReviewResult("error", why=why.strip()), state.errors)


async def _asked(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, agent: AgentSettings
) -> AgentCall:
    await asyncio.to_thread(services.workspace(spec).ready, snapshot.head, snapshot.base)
    facts = await asyncio.to_thread(_facts, services, spec, state, snapshot)
    first = await asyncio.to_thread(newest_of_others, services, spec, state, snapshot.head, snapshot.base)
    own = ProposedChange(first, snapshot.head, batches=len(state.commits) + 1)
    advice = await advice_on(services, spec, own) if first != snapshot.head else ()
    prompt = services.prompt("review_pr", {**facts, "advice": advice})
    task = AgentTask(f"review-{state.number}", state.number, agent, prompt)
    return await read(services, spec, task, snapshot.head)


def _facts(services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot) -> Mapping[str, object]:
    repository, guides = services.workspace(spec).repository, spec.pull_target.guides
    paths = repository.change(snapshot.base, snapshot.head).paths if guides else ()
    return {
        **change_facts(repository, spec.pull_target.title, snapshot),
        "guides": instructions(guides, paths),
        "settled": settled(services, spec),
        "only_critical": state.only_critical(spec.pull_target.limits),
    }
