"""The review check: an agent that can only read, and what people and other bots left on the pull request."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from reknit.core import pull_events as told
from reknit.core import review
from reknit.core.agent_call import AgentCall, AgentSettings, Done, Limited
from reknit.core.checks import TestReport
from reknit.core.course import Course, Sight
from reknit.core.diff_cut import cut_diff
from reknit.core.forge import Hindrance
from reknit.core.picture import ReviewSeen
from reknit.core.pull_documents import review_document
from reknit.core.reports import Review
from reknit.core.run import RunSpec
from reknit.core.wording import outcome_word
from reknit.flows.agent_work import order, resting
from reknit.flows.clerk import RunClerk
from reknit.flows.forge_calls import ask, target
from reknit.flows.pull_looks import NOT_SHOWN
from reknit.flows.pull_papers import conventions, keep, kept, settled
from reknit.flows.rooms import furnish
from reknit.flows.services import Services
from reknit.flows.steps import step

DIFF_BYTES = 60_000
"""Of the diff in the prompt; a reviewer can open every file."""


@step("check_review.v1", preemptible=True)
async def check_review(
    services: Services, spec: RunSpec, course: Course, sight: Sight
) -> ReviewSeen | Hindrance | Limited:
    remarks = await ask(services, spec, lambda forge: forge.remarks(target(spec).number))
    if isinstance(remarks, Hindrance):
        return ReviewSeen("error", why=remarks.detail) if remarks.kind in NOT_SHOWN else remarks
    began = services.clock()
    own = await _own_review(services, spec, course, sight)
    if isinstance(own, Limited):
        return own
    report = own if isinstance(own, Review) else None
    why = own.why if isinstance(own, ReviewSeen) else ""
    answered = {remark.id: remark.author for remark in remarks if remark.id in course.answered}
    unanswered = [remark for remark in remarks if remark.id not in answered]
    seen = review.seen(report, unanswered, only_critical=course.only_critical(target(spec).limits), why=why)
    nobody = "by no agent" if target(spec).reviewer is None and seen.status == "pass" else seen.why
    awaited = tuple(dict.fromkeys(answered.values()))
    seen = replace(seen, why=nobody, awaited=awaited, seconds=services.clock() - began)
    services.ledger.put_document(spec.run_id, "check.review", told.as_json(review_document(seen)))
    services.ledger.event(spec.run_id, f"i{course.number}-review-{sight.head}", told.review(course.number, seen))
    return seen


async def _own_review(
    services: Services, spec: RunSpec, course: Course, sight: Sight
) -> Review | ReviewSeen | Limited | None:
    """One a head; one that could not be had is asked for again only when a retry was decided. None: nobody reviews."""
    agent = target(spec).reviewer
    if agent is None:
        return None
    known = kept(services, spec, f"review-{sight.head}", course.errors)
    if isinstance(known, Review | ReviewSeen):
        return known
    if (call := resting(services, agent)) and isinstance(call.outcome, Limited):
        return call.outcome
    if services.ledger.spent(spec.run_id) >= spec.limits.budget_usd:
        return ReviewSeen("error", why="no money is left for a review")
    services.ledger.event(spec.run_id, f"i{course.number}-review-begins", told.review_begins(course.number, agent.name))
    call = await _asked(services, spec, course, sight, agent)
    if isinstance(call.outcome, Limited):
        return call.outcome
    if isinstance(call.outcome, Done) and isinstance(call.report, Review):
        return keep(services, spec, f"review-{sight.head}", call.report)
    why = f"{agent.name} gave no review ({outcome_word(call.outcome)}) {getattr(call.outcome, 'detail', '')[:200]}"
    return keep(services, spec, f"review-{sight.head}", ReviewSeen("error", why=why.strip()), course.errors)


async def _asked(services: Services, spec: RunSpec, course: Course, sight: Sight, agent: AgentSettings) -> AgentCall:
    workspace, name = services.workspace(spec), f"review-{course.number}"
    await asyncio.to_thread(workspace.ready, sight.head, sight.base)
    room = await furnish(services, spec, name, sight.head)
    if isinstance(room, TestReport):
        return AgentCall(told.no_room(room.why))
    facts = await asyncio.to_thread(_facts, services, spec, course, sight)
    asked = order(services, spec, name, course.number, "local", services.prompt("review_pr", facts), "review")
    # Another name each time: what a call cost that a crash cut off stays counted.
    clerk = RunClerk(services.ledger, services.accounts, spec.run_id, f"{name}-{services.clock():.3f}")
    try:
        call = await services.agent(agent).work(asked, room, services.box(spec.box), clerk)
    finally:
        await asyncio.to_thread(workspace.close, name)
    clerk.spent(call.usage.cost_usd)
    return replace(call, said="")


def _facts(services: Services, spec: RunSpec, course: Course, sight: Sight) -> Mapping[str, object]:
    repository = services.workspace(spec).repository
    return {
        "title": target(spec).title,
        "base_ref": sight.base_ref,
        "diff": cut_diff(repository.diff(sight.base, sight.head), DIFF_BYTES),
        "conventions": conventions(repository, sight.base),
        "files": repository.change(sight.base, sight.head).paths,
        "settled": settled(services, spec),
        "only_critical": course.only_critical(target(spec).limits),
    }
