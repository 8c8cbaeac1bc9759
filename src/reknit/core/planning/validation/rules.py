"""Checks a proposed plan by pure rules, and collects all failures."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from reknit.core.agent_reports.values import PlanProposal
from reknit.core.planning.constraints import Facts, explain_violations
from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import Intent
from reknit.core.planning.plan_file.plan import PlanStatus
from reknit.core.planning.targets import MIN_CONFIDENCE
from reknit.core.planning.validation.task_paths import find_task_files
from reknit.core.planning.variants.scoring import explain_disqualification
from reknit.core.planning.variants.variant import Variant
from reknit.core.text.format import sanitize_line, suggest_similar

_CODE = re.compile(r"`[^`\n]*`")
_START, _END = r"(?<![\w/.-])", r"(?![\w/-]|\.\w)"
"""A whole word of prose: `tests/address.py` is a path, and `has-many` is another word."""
_VAGUE = re.compile(
    rf"{_START}(?:improv(?:e|es|ed|ing)|consider(?:s|ed|ing)?|address(?:ed|ing)?|addresses){_END}", re.IGNORECASE
)
_NOUN = re.compile(
    r"(?:the|an|each|every|its|ip|mac|e-?mail|url|memory|bind|listen|host|return|postal|street)\s+$", re.I
)
"""Before `address`: then it is a place and not a verb."""
_MEASURES = re.compile(
    rf"{_START}(?:(?<!\ba )pass|passes|exists?|match(?:es)?|contains?|equals?|returns?|exits?|prints?|has|have|within"
    rf"|at\s+least|at\s+most){_END}|>=|<=|≥|≤|(?<![\w.#/-])\d",
    re.IGNORECASE,
)
_BEFORE = 20
_SHOWN = 100


def find_vague_word(criterion: str) -> str:
    """Return the first verb that promises nothing; empty: there is none. Code between backticks is quoted."""
    text = _CODE.sub(" ` ", criterion)
    for match in _VAGUE.finditer(text):
        may_be_a_place = match[0].lower() in ("address", "addresses")
        if not may_be_a_place or not _NOUN.search(text[max(0, match.start() - _BEFORE) : match.start()]):
            return match[0].lower()
    return ""


def is_measurable(criterion: str) -> bool:
    """Return True if a criterion names something that can be measured."""
    return bool(_MEASURES.search(_CODE.sub(" ` ", criterion)))


def explain_not_concrete(criterion: str) -> str:
    """Return why a criterion is not concrete; empty: it is."""
    if vague := find_vague_word(criterion):
        return f"“{vague}” cannot be measured"
    return (
        ""
        if is_measurable(criterion)
        else "nothing in it can be measured: no passes, exists, matches, at least, number …"
    )


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
        if why := explain_not_concrete(criterion):
            yield f"the criterion “{sanitize_line(criterion, _SHOWN)}” is not concrete: {why}"


def _check_task_files_exist(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    if not proposal.tasks:
        yield "there is no task"
    of_each = find_task_files((task.title for task in proposal.tasks), facts.tracked)
    for task, files in zip(proposal.tasks, of_each, strict=True):
        for file in files:
            if not file.exists and not file.may_be_new:
                message = f"the task “{sanitize_line(task.title, _SHOWN)}” names {sanitize_line(file.path, _SHOWN)}"
                yield f"{message}, which is not in the repository"


def _check_confidence_floor(proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    if proposal.confidence_0_100 < facts.min_confidence_0_100:
        yield f"its confidence is {proposal.confidence_0_100}, and at least {facts.min_confidence_0_100} is needed"


def _check_constraints(_proposal: PlanProposal, facts: PlanFacts) -> Iterator[str]:
    """Check limits of the run, not of the variant; they are checked again when the run starts."""
    run = Facts(facts.context.branch, facts.context.default_branch, models=facts.models)
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
    "RuleAcceptanceConcrete": PlanRule(
        "there are criteria, and each says something measurable (passes, exists, matches, contains, equals, returns,"
        " exits, prints, has, have, at least, at most, within, >=, <=, a number) and never improves, considers or"
        " addresses",
        _check_acceptance_concrete,
    ),
    "RuleTaskFilesExist": PlanRule(
        "there are tasks, and each file that a title names is tracked, or the title says that the task creates it",
        _check_task_files_exist,
    ),
    "RuleConfidenceFloor": PlanRule("the confidence is at least `plan.min_confidence`", _check_confidence_floor),
    "RuleConstraints": PlanRule("the operator's limits that code can check hold here", _check_constraints),
}
