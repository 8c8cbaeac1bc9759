"""The review check: an agent that can only read, and what people and other bots left on the pull request."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentCall, AgentSettings, Done, Limited, outcome_word
from reknit.core.checks import review
from reknit.core.checks.status import ReviewSeen
from reknit.core.fix_pr.check_summary import NOT_REVIEWED
from reknit.core.fix_pr.output import events as told
from reknit.core.fix_pr.output.documents import review_document
from reknit.core.fix_pr.state import Course
from reknit.core.forge.pull_snapshot import Sight
from reknit.core.forge.values import Hindrance
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_pr.ci_history import settled
from reknit.workflows.fix_pr.observe_steps import NOT_SHOWN
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_attempt import resting
from reknit.workflows.shared.agent_reading import read
from reknit.workflows.shared.forge_calls import ask, target
from reknit.workflows.shared.prompt_facts import change_facts
from reknit.workflows.shared.saved_values import keep, kept


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
    nobody = NOT_REVIEWED if target(spec).reviewer is None and seen.status == "pass" else seen.why
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
    await asyncio.to_thread(services.workspace(spec).ready, sight.head, sight.base)
    facts = await asyncio.to_thread(_facts, services, spec, course, sight)
    prompt = services.prompt("review_pr", facts)
    return await read(services, spec, f"review-{course.number}", course.number, sight.head, agent, prompt)


def _facts(services: Services, spec: RunSpec, course: Course, sight: Sight) -> Mapping[str, object]:
    return {
        **change_facts(services.workspace(spec).repository, target(spec).title, sight),
        "settled": settled(services, spec),
        "only_critical": course.only_critical(target(spec).limits),
    }
