"""The plan that is written: every part of it comes from the stages, and none from a guess."""

from collections.abc import Iterator, Sequence

from reknit.core.agent_reports.values import PlanProposal
from reknit.core.agents.call import AgentSettings
from reknit.core.plan.prompt import score_table
from reknit.core.plan.result import PlanResult
from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import CAPS, NO_CAP, Cap, Constraint, Intent
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion
from reknit.core.planning.targets import PlanTarget
from reknit.core.text.format import counted, first_few

DOMAIN = "technical"
UNKNOWN_REPOSITORY, UNCLEAR_SCOPE = "grey", "blue"
"""What a fallback recommends."""
ACCEPT = "A person accepts it with `reknit plan --accept`."


def plan_file(target: PlanTarget, result: PlanResult, base: str, agent: AgentSettings, run_id: str) -> PlanFile:
    intent, proposal = target.intent, result.proposal if result.failed_stage is None else None
    return PlanFile(
        title=f"Plan: {intent.topic}",
        updated=target.context.as_of,
        status=result.status,
        variant_recommendation=proposal.primary if proposal else safe_default(target),
        confidence_0_100=result.proposal.confidence_0_100 if result.proposal else 0,
        domain=DOMAIN,
        variant_alternate=proposal.alternate if proposal else "",
        topic=intent.topic,
        as_of=target.context.as_of,
        cap=_cap(intent),
        constraints=tuple(limit.text for limit in intent.constraints if limit.text not in CAPS),
        tasks=proposal.tasks if proposal else (),
        criteria=tuple(map(PlannedCriterion, proposal.acceptance_criteria)) if proposal else (),
        context="\n".join(_context(intent, target.context, base)),
        plan="\n".join(_plan(target, result, proposal) if proposal else _fallback(target, result)),
        tradeoffs="\n".join(_tradeoffs(target, result)),
        methodology="\n".join(_methodology(target, result, agent, run_id)),
    )


def safe_default(target: PlanTarget) -> str:
    """The other one where the usual one may not be recommended and the other may."""
    usual = _usual(target.context)
    other = UNKNOWN_REPOSITORY if usual == UNCLEAR_SCOPE else UNCLEAR_SCOPE
    return other if _excluded(target, usual) and not _excluded(target, other) else usual


def _usual(context: RepoContext) -> str:
    return UNCLEAR_SCOPE if context.configured else UNKNOWN_REPOSITORY


def _excluded(target: PlanTarget, variant: str) -> str:
    return "; ".join(why for each in target.scores if each.variant == variant for why in each.disqualifying)


def _cap(intent: Intent) -> Cap:
    return next((cap for cap in CAPS for limit in intent.constraints if limit.text == cap), NO_CAP)


def _context(intent: Intent, context: RepoContext, base: str) -> Iterator[str]:
    where = f"branch {context.branch}" if context.branch else "no branch"
    which = " (the default branch)" if context.on_default_branch else ""
    yield f"Commit {base[:7]}, {where}{which}, as of {context.as_of} (UTC)."
    yield ""
    yield from _quoted(intent.description or "No description was given.")
    yield ""
    red = sum(bool(pull.red_checks) for pull in context.pulls)
    if context.forge_login:
        yield f"- {counted(len(context.pulls), 'open pull request')}, {red} with red checks"
        yield f"- {counted(len(context.issues), 'open issue')}"
    else:
        yield f"- the forge was not read: {context.forge_problem or 'the repository is not on one'}"
    for label, paths in (
        ("stale documents", context.docs_stale),
        ("missing documents", context.docs_missing),
        ("missing governance files", context.governance_missing),
        ("uncommitted files", context.changed),
    ):
        if paths:
            yield f"- {label}: {first_few(paths, 10)}"


def _plan(target: PlanTarget, result: PlanResult, proposal: PlanProposal) -> Iterator[str]:
    yield f"`{proposal.primary}` is recommended: {proposal.primary_rationale}"
    if proposal.alternate:
        yield ""
        yield f"`{proposal.alternate}` instead: {proposal.alternate_when}"
    if result.status == "provisional":
        yield from ("", f"The plan is provisional. {ACCEPT} What did not hold:", "")
        yield from _listed(result.errors)
    if result.needs_grant:
        yield ""
        yield "Tests and configuration may be changed only if `grants` above lists the file. These tasks need it for:"
        yield ""
        yield from _listed(result.needs_grant)
    yield from _limits(target.intent.constraints)


def _limits(constraints: Sequence[Constraint]) -> Iterator[str]:
    if not constraints:
        return
    yield from ("", "The operator's limits:", "")
    for limit in constraints:
        is_rule = "no code can check this" if limit.kind == "unchecked" else "kept as a rule"
        yield f"- {limit.text}: {is_rule}"


def _fallback(target: PlanTarget, result: PlanResult) -> Iterator[str]:
    yield f"No coherent plan could be made: the stage {result.failed_stage} failed. No variant runs on this file."
    yield ""
    yield from _listed(result.errors)
    yield ""
    safe, usual = safe_default(target), _usual(target.context)
    if excluded := _excluded(target, safe):
        yield f"No variant is a safe start in this repository: not even `{safe}`: {excluded}."
        return
    why = "it is not known to reknit"
    if target.context.configured:
        why = "it is configured for reknit, but the scope is unclear"
    if safe != usual:
        why = f"`{usual}` may not be recommended: {_excluded(target, usual)}"
    yield f"A safe start in this repository is `{safe}`, because {why}."


def _tradeoffs(target: PlanTarget, result: PlanResult) -> Iterator[str]:
    proposal = result.proposal
    chosen = next((each for each in target.scores if proposal and each.variant == proposal.primary), None)
    if chosen and chosen != target.scores[0]:
        best = target.scores[0]
        yield f"By the rules `{best.variant}` fits better ({best.score_0_100} to {chosen.score_0_100})."
        yield ""
    yield score_table(target.scores)


def _methodology(target: PlanTarget, result: PlanResult, agent: AgentSettings, run_id: str) -> Iterator[str]:
    intent, context = target.intent, target.context
    asked = "three questions were asked in a terminal" if intent.answers else "nobody was asked"
    model = f", model {agent.model}" if agent.model else ""
    answers = len(result.call.refused_answers) + bool(result.proposal)
    held = counted(len(result.failures), "failure") if result.validation else "nothing to judge"
    yield f"1. Intent: {asked}; {counted(len(intent.constraints), 'limit')}."
    read = f"{counted(len(context.commits), 'commit')}, {counted(len(context.docs), 'document')}"
    yield f"2. Exploration, without a model: {read}."
    yield f"3. Scoring, without a model: {counted(len(target.scores), 'variant')}."
    yield f"4. Analysis: one read-only call of {agent.name}{model}; {counted(answers, 'answer')}."
    yield f"5. Validation: {held}, so the status is {result.status}."
    yield f"6. Emission: by run {run_id}."
    for number, refused in enumerate(result.call.refused_answers, 1):
        yield from ("", f"Answer {number} was refused: {refused.why}", "")
        yield from (f"    {line}" for line in refused.raw.splitlines())


def _quoted(text: str) -> Iterator[str]:
    return (f"> {line}".rstrip() for line in text.splitlines())


def _listed(texts: Sequence[str]) -> Iterator[str]:
    return (f"- {text}" for text in texts)
