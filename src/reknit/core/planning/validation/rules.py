"""The rules for a proposed plan: each is a pure function, and all failures are collected."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from reknit.core.agent_reports.values import PlanProposal
from reknit.core.planning.constraints import Facts, broken
from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import Intent
from reknit.core.planning.plan_file.plan import PlanStatus
from reknit.core.planning.targets import MIN_CONFIDENCE
from reknit.core.planning.validation.measurable import why_not_concrete
from reknit.core.planning.validation.task_paths import files_of_each
from reknit.core.planning.variants.scoring import disqualifying
from reknit.core.planning.variants.variant import Variant
from reknit.core.text.did_you_mean import did_you_mean
from reknit.core.text.format import words

_SHOWN = 100


@dataclass(frozen=True)
class RuleFailure:
    rule: str
    hard: bool
    """A plan with it is a fallback; else it is provisional."""
    text: str


@dataclass(frozen=True)
class Validation:
    status: PlanStatus
    failures: tuple[RuleFailure, ...] = ()


@dataclass(frozen=True)
class PlanFacts:
    """What a proposal is judged by."""

    context: RepoContext
    intent: Intent
    variants: tuple[Variant, ...]
    tracked: Collection[str]
    """Paths of all tracked files."""
    min_confidence_0_100: int = MIN_CONFIDENCE
    models: tuple[tuple[str, str], ...] = ()
    """(agent, model) of the agents that would run the plan."""


def validate(proposal: PlanProposal, facts: PlanFacts) -> Validation:
    failures = tuple(
        RuleFailure(name, rule.hard, text) for name, rule in RULES.items() for text in rule.find(proposal, facts)
    )
    if any(failure.hard for failure in failures):
        return Validation("fallback", failures)
    return Validation("provisional" if failures else "current", failures)


def _variant_exists(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    known = [variant.name for variant in facts.variants]
    for name in _recommended(proposal):
        if name not in known:
            hint = did_you_mean(name, known)
            yield f"no variant is called “{words(name, _SHOWN)}”" + (f"; {hint}" if hint else "")


def _variant_safe(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    for name in _recommended(proposal):
        for variant in facts.variants:
            if variant.name == name:
                for why in disqualifying(variant, facts.context, facts.intent):
                    yield f"{name} may not be recommended: {why}"


def _acceptance_concrete(proposal: PlanProposal, _facts: PlanFacts) -> Iterator[str]:
    if not proposal.acceptance_criteria:
        yield "there is no acceptance criterion"
    for criterion in proposal.acceptance_criteria:
        if why := why_not_concrete(criterion):
            yield f"the criterion “{words(criterion, _SHOWN)}” is not concrete: {why}"


def _task_files_exist(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    if not proposal.tasks:
        yield "there is no task"
    of_each = files_of_each((task.title for task in proposal.tasks), facts.tracked)
    for task, files in zip(proposal.tasks, of_each, strict=True):
        for file in files:
            if not file.exists and not file.may_be_new:
                named = f"the task “{words(task.title, _SHOWN)}” names {words(file.path, _SHOWN)}"
                yield f"{named}, which is not in the repository"


def _confidence_floor(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    if proposal.confidence_0_100 < facts.min_confidence_0_100:
        yield f"its confidence is {proposal.confidence_0_100}, and at least {facts.min_confidence_0_100} is needed"


def _constraints(_proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    """Limits for the run, not for the choice of a variant; they are checked again when it starts."""
    run = Facts(facts.context.branch, facts.context.default_branch, models=facts.models)
    yield from broken(facts.intent.constraints, run)


def _recommended(proposal: PlanProposal) -> Iterator[str]:
    yield proposal.primary
    if proposal.alternate and proposal.alternate != proposal.primary:
        yield proposal.alternate


@dataclass(frozen=True)
class PlanRule:
    sentence: str
    """What holds."""
    find: Callable[[PlanProposal, PlanFacts], Iterator[str]]
    """What is wrong."""
    hard: bool = False


RULES: Mapping[str, PlanRule] = {
    "RuleVariantExists": PlanRule("primary and alternate are registered variants", _variant_exists, hard=True),
    "RuleVariantSafe": PlanRule(
        "the operator forbids neither, and what they need holds in this repository", _variant_safe, hard=True
    ),
    "RuleAcceptanceConcrete": PlanRule(
        "there are criteria, and each says something measurable (passes, exists, matches, contains, equals, returns,"
        " exits, prints, has, have, at least, at most, within, >=, <=, a number) and never improves, considers or"
        " addresses",
        _acceptance_concrete,
    ),
    "RuleTaskFilesExist": PlanRule(
        "there are tasks, and each file that a title names is tracked, or the title says that the task creates it",
        _task_files_exist,
    ),
    "RuleConfidenceFloor": PlanRule("the confidence is at least `plan.min_confidence`", _confidence_floor),
    "RuleConstraints": PlanRule("the operator's limits that code can check hold here", _constraints),
}
