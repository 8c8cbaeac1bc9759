"""Checks a proposed plan by pure rules, and collects all failures."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from reknit.core.agent_reports.values import PlanProposal
from reknit.core.planning.constraints import Facts, explain_violations
from reknit.core.planning.context import RepoContext
from reknit.core.planning.criteria import Unchecked, parse_criterion
from reknit.core.planning.intent import Intent
from reknit.core.planning.plan_file.plan import PlanStatus
from reknit.core.planning.targets import MIN_CONFIDENCE
from reknit.core.planning.tasks import explain_wrong_files
from reknit.core.planning.variants.scoring import explain_disqualification
from reknit.core.planning.variants.variant import Variant
from reknit.core.text.format import sanitize_line, suggest_similar

_SHOWN = 100


@dataclass(frozen=True)
class RuleFailure:
    """One failure of one rule."""

    rule: str
    hard: bool
    """A plan with it is a fallback; else it is provisional."""
    text: str


@dataclass(frozen=True)
class Validation:
    """The status of a proposal and its failures."""

    status: PlanStatus
    failures: tuple[RuleFailure, ...] = ()


@dataclass(frozen=True)
class PlanFacts:
    """The facts that a proposal is judged by."""

    context: RepoContext
    intent: Intent
    variants: tuple[Variant, ...]
    tracked: Collection[str]
    """Paths of all tracked files."""
    min_confidence_0_100: int = MIN_CONFIDENCE
    models: tuple[tuple[str, str], ...] = ()
    """(agent, model) of the agents that would run the plan."""


def validate(proposal: PlanProposal, facts: PlanFacts) -> Validation:
    """Judge a proposal by all rules."""
    failures = tuple(
        RuleFailure(name, rule.hard, text) for name, rule in RULES.items() for text in rule.find(proposal, facts)
    )
    if any(failure.hard for failure in failures):
        return Validation("fallback", failures)
    return Validation("provisional" if failures else "current", failures)


def _check_variant_exists(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    variant_names = [variant.name for variant in facts.variants]
    for name in _list_recommended(proposal):
        if name not in variant_names:
            hint = suggest_similar(name, variant_names)
            yield f"no variant is called “{sanitize_line(name, _SHOWN)}”" + (f"; {hint}" if hint else "")


def _check_variant_safe(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    for name in _list_recommended(proposal):
        for variant in facts.variants:
            if variant.name == name:
                for why in explain_disqualification(variant, facts.context, facts.intent):
                    yield f"{name} may not be recommended: {why}"


def _check_acceptance_concrete(proposal: PlanProposal, _facts: PlanFacts) -> Iterator[str]:
    if not proposal.acceptance_criteria:
        yield "there is no acceptance criterion"
    for criterion in proposal.acceptance_criteria:
        check = parse_criterion(criterion)
        if isinstance(check, Unchecked):
            yield f"no program can check the criterion “{sanitize_line(criterion, _SHOWN)}”: {check.why}"


def _check_task_files_exist(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    if not proposal.tasks:
        yield "there is no task"
    for task, why in zip(proposal.tasks, explain_wrong_files(proposal.tasks, facts.tracked), strict=True):
        if why:
            yield f"the task “{sanitize_line(task.title, _SHOWN)}” {why}"


def _check_confidence_floor(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    if proposal.confidence_0_100 < facts.min_confidence_0_100:
        yield f"its confidence is {proposal.confidence_0_100}, and at least {facts.min_confidence_0_100} is needed"


def _check_constraints(_proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    """Check limits of the run, not of the variant; they are checked again when the run starts."""
    run = Facts(facts.context.branch, models=facts.models)
    yield from explain_violations(facts.intent.constraints, run)


def _list_recommended(proposal: PlanProposal) -> Iterator[str]:
    yield proposal.primary
    if proposal.alternate and proposal.alternate != proposal.primary:
        yield proposal.alternate


@dataclass(frozen=True)
class PlanRule:
    """A rule and the sentence that explains it."""

    sentence: str
    """The condition that must hold, for people."""
    find: Callable[[PlanProposal, PlanFacts], Iterator[str]]
    """Yields each violation, for people."""
    hard: bool = False


RULES: Mapping[str, PlanRule] = {
    "RuleVariantExists": PlanRule("primary and alternate are registered variants", _check_variant_exists, hard=True),
    "RuleVariantSafe": PlanRule(
        "the operator forbids neither, and what they need holds in this repository", _check_variant_safe, hard=True
    ),
    "RuleAcceptanceConcrete": PlanRule("there are criteria, and a program can check each", _check_acceptance_concrete),
    "RuleTaskFilesExist": PlanRule(
        "there are tasks, and each names its files: in the repository, added by an earlier task, or new",
        _check_task_files_exist,
    ),
    "RuleConfidenceFloor": PlanRule("the confidence is at least `plan.min_confidence`", _check_confidence_floor),
    "RuleConstraints": PlanRule("the operator's limits that code can check hold here", _check_constraints),
}
