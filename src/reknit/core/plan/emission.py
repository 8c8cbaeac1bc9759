"""Builds the plan that is written: every part comes from the stages, and none from a guess."""

from collections.abc import Iterator, Sequence

from reknit.core.agent_reports.values import PlanProposal
from reknit.core.agents.call import AgentSettings
from reknit.core.plan.decision import PlanResult
from reknit.core.plan.prompt import render_score_table
from reknit.core.plan.task import WritePlan
from reknit.core.planning.context import RepoContext
from reknit.core.planning.criteria import Unchecked, parse_criterion
from reknit.core.planning.intent import CAPS, NO_CAP, Constraint, Intent
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion
from reknit.core.text.format import join_few, pluralize

DOMAIN = "technical"
UNKNOWN_REPOSITORY, UNCLEAR_SCOPE = "grey", "blue"
"""Variants that a fallback recommends."""
ACCEPT = "A person accepts it with `reknit plan accept`."


def build_plan_file(target: WritePlan, result: PlanResult, base: str, agent: AgentSettings, run_id: str) -> PlanFile:
    """Return the plan of a run."""
    intent, proposal = target.intent, result.proposal if result.failed_stage is None else None
    return PlanFile(
        title=f"Plan: {intent.topic}",
        updated=target.context.as_of,
        status=result.status,
        variant_recommendation=proposal.primary if proposal else choose_safe_default(target),
        confidence_0_100=result.proposal.confidence_0_100 if result.proposal else 0,
        domain=DOMAIN,
        variant_alternate=proposal.alternate if proposal else "",
        topic=intent.topic,
        as_of=target.context.as_of,
        cap=next((cap for cap in CAPS for limit in intent.constraints if limit.text == cap), NO_CAP),
        limits=tuple(limit for limit in intent.constraints if limit.kind not in ("unchecked", "time")),
        constraints=tuple(limit.text for limit in intent.constraints if limit.kind == "unchecked"),
        tasks=proposal.tasks if proposal else (),
        criteria=tuple(map(_mark_criterion, proposal.acceptance_criteria)) if proposal else (),
        context="\n".join(_render_context(intent, target.context, base)),
        plan="\n".join(_render_plan(target, result, proposal) if proposal else _render_fallback(target, result)),
        tradeoffs="\n".join(_render_tradeoffs(target, result)),
        methodology="\n".join(_render_methodology(target, result, agent, run_id)),
    )


def _mark_criterion(text: str) -> PlannedCriterion:
    check = parse_criterion(text)
    return PlannedCriterion(text, f"unverified: {check.why}" if isinstance(check, Unchecked) else "")


def choose_safe_default(target: WritePlan) -> str:
    """Return the usual variant, or the other one if only that may be recommended."""
    usual = _choose_usual(target.context)
    other = UNKNOWN_REPOSITORY if usual == UNCLEAR_SCOPE else UNCLEAR_SCOPE
    return other if _explain_exclusion(target, usual) and not _explain_exclusion(target, other) else usual


def _choose_usual(context: RepoContext) -> str:
    return UNCLEAR_SCOPE if context.is_configured else UNKNOWN_REPOSITORY


def _explain_exclusion(target: WritePlan, variant: str) -> str:
    return "; ".join(why for score in target.scores if score.variant == variant for why in score.disqualifying)


def _render_context(intent: Intent, context: RepoContext, base: str) -> Iterator[str]:
    branch = f"branch {context.branch}" if context.branch else "no branch"
    note = " (the default branch)" if context.on_default_branch else ""
    yield f"Commit {base[:7]}, {branch}{note}, as of {context.as_of} (UTC)."
    yield ""
    yield from (f"> {line}".rstrip() for line in (intent.description or "No description was given.").splitlines())
    yield ""
    red = sum(bool(pull.red_checks) for pull in context.pulls)
    if context.has_forge_login:
        yield f"- {pluralize(len(context.pulls), 'open pull request')}, {red} with red checks"
        yield f"- {pluralize(len(context.issues), 'open issue')}"
    else:
        yield f"- the forge was not read: {context.forge_problem or 'the repository is not on one'}"
    for label, paths in (
        ("stale documents", context.docs_stale),
        ("missing documents", context.docs_missing),
        ("missing governance files", context.governance_missing),
        ("uncommitted files", context.changed),
    ):
        if paths:
            yield f"- {label}: {join_few(paths, 10)}"


def _render_plan(target: WritePlan, result: PlanResult, proposal: PlanProposal) -> Iterator[str]:
    yield f"`{proposal.primary}` is recommended: {proposal.primary_rationale}"
    if proposal.alternate:
        yield ""
        yield f"`{proposal.alternate}` instead: {proposal.alternate_when}"
    if result.status == "provisional":
        yield from ("", f"The plan is provisional. {ACCEPT} What did not hold:", "")
        yield from _render_list(result.errors)
    if result.needs_grant:
        yield ""
        yield "Tests and configuration may be changed only if `grants` above lists the file. These tasks need it for:"
        yield ""
        yield from _render_list(result.needs_grant)
    yield from _render_limits(target.intent.constraints)


def _render_limits(constraints: Sequence[Constraint]) -> Iterator[str]:
    if not constraints:
        return
    yield from ("", "The operator's limits:", "")
    for limit in constraints:
        is_rule = "checked by a person" if limit.kind == "unchecked" else "kept as a rule"
        yield f"- {limit.text}: {is_rule}"


def _render_fallback(target: WritePlan, result: PlanResult) -> Iterator[str]:
    yield f"No coherent plan could be made: the stage {result.failed_stage} failed. No variant runs on this file."
    yield ""
    yield from _render_list(result.errors)
    yield ""
    safe, usual = choose_safe_default(target), _choose_usual(target.context)
    if excluded := _explain_exclusion(target, safe):
        yield f"No variant is a safe start in this repository: not even `{safe}`: {excluded}."
        return
    why = "it is not known to reknit"
    if target.context.is_configured:
        why = "it is configured for reknit, but the scope is unclear"
    if safe != usual:
        why = f"`{usual}` may not be recommended: {_explain_exclusion(target, usual)}"
    yield f"A safe start in this repository is `{safe}`, because {why}."


def _render_tradeoffs(target: WritePlan, result: PlanResult) -> Iterator[str]:
    proposal = result.proposal
    primary = next((score for score in target.scores if proposal and score.variant == proposal.primary), None)
    if primary and primary != target.scores[0]:
        best = target.scores[0]
        yield f"By the rules `{best.variant}` fits better ({best.score_0_100} to {primary.score_0_100})."
        yield ""
    yield render_score_table(target.scores)


def _render_methodology(target: WritePlan, result: PlanResult, agent: AgentSettings, run_id: str) -> Iterator[str]:
    intent, context = target.intent, target.context
    interview = "three questions were asked in a terminal" if intent.answers else "nobody was asked"
    model = f", model {agent.model}" if agent.model else ""
    answers = len(result.call.refused_answers) + bool(result.proposal)
    failures = pluralize(len(result.failures), "failure") if result.validation else "nothing to judge"
    yield f"1. Intent: {interview}; {pluralize(len(intent.constraints), 'limit')}."
    read = f"{pluralize(len(context.commits), 'commit')}, {pluralize(len(context.docs), 'document')}"
    yield f"2. Exploration, without a model: {read}."
    yield f"3. Scoring, without a model: {pluralize(len(target.scores), 'variant')}."
    yield f"4. Analysis: one read-only call of {agent.name}{model}; {pluralize(answers, 'answer')}."
    yield f"5. Validation: {failures}, so the status is {result.status}."
    yield f"6. Emission: by run {run_id}."
    for number, refused in enumerate(result.call.refused_answers, 1):
        yield from ("", f"Answer {number} was refused: {refused.why}", "")
        yield from (f"    {line}" for line in refused.raw.splitlines())


def _render_list(texts: Sequence[str]) -> Iterator[str]:
    return (f"- {text}" for text in texts)
