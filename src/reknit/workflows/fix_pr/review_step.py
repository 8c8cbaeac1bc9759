"""The review check: a read-only agent, and what people and other bots wrote on the pull request."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentCall, AgentSettings, Done, RateLimited, to_outcome_word
from reknit.core.agents.reviewer import join_instructions
from reknit.core.checks import review
from reknit.core.checks.status import ReviewResult
from reknit.core.fix_pr.checks import NOT_REVIEWED
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.output.documents import to_review_document
from reknit.core.fix_pr.state import PullRunState
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.permission import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.issues.review_findings import REVIEW_PREFIX, FindingSource, drop_silenced
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_pr.ci_history import load_settled_findings
from reknit.workflows.fix_pr.observe_steps import NOT_SHOWN, find_newest_foreign_commit
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, call_read_only_agent, rate_limited_call
from reknit.workflows.shared.forge_calls import ask_forge
from reknit.workflows.shared.gate_check import ProposedChange, collect_advice
from reknit.workflows.shared.kept_findings import keep_if_possible
from reknit.workflows.shared.repository_facts import collect_change_facts
from reknit.workflows.shared.saved_values import load_value, save_value


@step("check_review.v1", preemptible=True)
async def check_review(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot
) -> ReviewResult | ForgeFailure | RateLimited:
    """Review the head: our own reviewer's findings, and the unanswered remarks of others."""
    remarks = await ask_forge(services, spec, lambda forge: forge.remarks(spec.task_as(FixPullRequest).number))
    if isinstance(remarks, ForgeFailure):
        return ReviewResult("error", why=remarks.detail) if remarks.kind in NOT_SHOWN else remarks
    began = services.clock()
    own = await _review_head(services, spec, state, snapshot)
    if isinstance(own, RateLimited):
        return own
    report = (
        await asyncio.to_thread(_without_ignored_findings, services, spec, snapshot.head, own)
        if isinstance(own, Review)
        else None
    )
    why = own.why if isinstance(own, ReviewResult) else ""
    answered = {remark.id: remark.author for remark in remarks if remark.id in state.answered}
    unanswered = [remark for remark in remarks if remark.id not in answered]
    result = review.judge_review(
        report, unanswered, only_critical=state.fixes_only_critical(spec.task_as(FixPullRequest).limits), why=why
    )
    reason = NOT_REVIEWED if spec.task_as(FixPullRequest).reviewer is None and result.status == "pass" else result.why
    answered_authors = tuple(dict.fromkeys(answered.values()))
    result = replace(result, why=reason, awaited=answered_authors, seconds=services.clock() - began)
    services.ledger.put_document(spec.run_id, "check.review", events.to_json(to_review_document(result)))
    services.ledger.put_event(
        spec.run_id, f"i{state.number}-review-{snapshot.head}", events.report_review(state.number, result)
    )
    return result


def _without_ignored_findings(services: Services, spec: RunSpec, head: str, own: Review) -> Review:
    """Keep the findings as issues, and drop those that a person ignored."""
    reviewer = spec.task_as(FixPullRequest).reviewer
    source = FindingSource(spec.issue_repository, reviewer.name if reviewer else "", REVIEW_PREFIX, head)
    return drop_silenced(own, keep_if_possible(services, spec, source, own.findings))


async def _review_head(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot
) -> Review | ReviewResult | RateLimited | None:
    """Review each head once; a failed review is requested again only if a retry was decided. None: no reviewer."""
    agent = spec.task_as(FixPullRequest).reviewer
    if agent is None:
        return None
    saved = load_value(services, spec, f"review-{snapshot.head}", state.errors)
    if isinstance(saved, Review | ReviewResult):
        return saved
    if (call := rate_limited_call(services, agent)) and isinstance(call.outcome, RateLimited):
        return call.outcome
    if services.ledger.total_cost(spec.run_id) >= spec.limits.budget_usd:
        return ReviewResult("error", why="no budget left for a review")
    services.ledger.put_event(
        spec.run_id, f"i{state.number}-review-begins", events.report_review_start(state.number, agent.name)
    )
    call = await _ask_reviewer(services, spec, state, snapshot, agent)
    if isinstance(call.outcome, RateLimited):
        return call.outcome
    if isinstance(call.outcome, Done) and isinstance(call.report, Review):
        return save_value(services, spec, f"review-{snapshot.head}", call.report)
    why = f"{agent.name} gave no review ({to_outcome_word(call.outcome)}) {getattr(call.outcome, 'detail', '')[:200]}"
    return save_value(services, spec, f"review-{snapshot.head}", ReviewResult("error", why=why.strip()), state.errors)


async def _ask_reviewer(
    services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot, agent: AgentSettings
) -> AgentCall:
    await asyncio.to_thread(services.workspace(spec).ensure_commits, snapshot.head, snapshot.base)
    facts = await asyncio.to_thread(_facts, services, spec, state, snapshot)
    first = await asyncio.to_thread(find_newest_foreign_commit, services, spec, state, snapshot.head, snapshot.base)
    own = ProposedChange(first, snapshot.head, batches=len(state.commits) + 1)
    advice = await collect_advice(services, spec, own) if first != snapshot.head else ()
    prompt = services.prompt("review_pr", {**facts, "advice": advice})
    task = AgentTask(f"review-{state.number}", state.number, agent, prompt)
    return await call_read_only_agent(services, spec, task, snapshot.head)


def _facts(services: Services, spec: RunSpec, state: PullRunState, snapshot: PullSnapshot) -> Mapping[str, object]:
    repository, guides = services.workspace(spec).repository, spec.task_as(FixPullRequest).guides
    paths = repository.change(snapshot.base, snapshot.head).paths if guides else ()
    return {
        **collect_change_facts(repository, spec.task_as(FixPullRequest).title, snapshot),
        "guides": join_instructions(guides, paths),
        "settled": load_settled_findings(services, spec),
        "only_critical": state.fixes_only_critical(spec.task_as(FixPullRequest).limits),
    }
