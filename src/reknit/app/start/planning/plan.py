"""Turns `plan` into a frozen run: the topic, the explored repository, the score of each variant. Spends nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from reknit.adapters.files.working_tree import OpenWorkingTree, refuse_unwritable
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.start.agents import get_agent_settings, list_fixers
from reknit.app.start.exploration.explore import explore
from reknit.app.start.instructions.variant_files import read_variants
from reknit.app.start.new_spec import RunPlan, make_spec, make_start_notes
from reknit.app.start.planning.accepted import is_own_text
from reknit.app.start.vote import NO_TESTS
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageError
from reknit.core.plan.task import WritePlan
from reknit.core.planning.constraints import LIMITS, Facts, explain_violations, find_lowest_limit, parse_constraint
from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import CAPS, Constraint, Intent, make_slug
from reknit.core.planning.plan_file.plan import INDEX, plan_path
from reknit.core.planning.variants.scoring import score_variants
from reknit.core.planning.variants.variant import Variant, VariantScore

TOPIC_FILE = "TOPIC.md"
MIDDLE_MODELS: Mapping[str, str] = {"claude": "sonnet", "gemini": "gemini-2.5-flash"}
"""Model per vendor CLI that is good enough to choose among variants. Other CLIs use their own default."""
_MAX_DESCRIPTION_CHARS = 20_000


@dataclass(frozen=True)
class PlanRequest:
    """The topic and the limits that a person typed."""

    topic: str
    """Topic as the person typed it."""
    as_of: date
    description: str = ""
    forbid: tuple[str, ...] = ()
    cap: str = ""
    constraints: tuple[str, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    confirmed: bool = False
    replaces: bool = False


@dataclass(frozen=True)
class ExploredTopic:
    """The results of the first three stages: intent, exploration, and scores of the variants."""

    repository: UserRepository
    intent: Intent
    context: RepoContext
    variants: tuple[Variant, ...]
    scores: tuple[VariantScore, ...]
    notes: tuple[str, ...]


def explore_topic(installation: Installation, folder: Path, request: PlanRequest) -> ExploredTopic:
    """Explore the repository for a topic, and score the variants."""
    if not request.topic.strip():
        raise UsageError("no-topic", "the topic is empty", help="name it in a few words: `reknit plan tidy-up`")
    context = explore(installation, folder, request.as_of)
    repository = UserRepository.find(str(folder))
    variants = read_variants(Path(repository.root))
    topic = make_slug(request.topic)
    intent = Intent(
        topic=topic,
        description=(request.description or _read_topic_file(repository.root))[:_MAX_DESCRIPTION_CHARS],
        constraints=_collect_constraints(request, variants),
        answers=request.answers,
        confirmed=request.confirmed,
    )
    notes = () if topic == request.topic else (f"the topic is {topic}",)
    return ExploredTopic(repository, intent, context, variants, score_variants(context, variants, intent), notes)


def plan_topic(installation: Installation, folder: Path, request: PlanRequest, flags: Mapping[str, Any]) -> RunPlan:
    """Plan a run that writes the plan of a topic."""
    exploration = explore_topic(installation, folder, request)
    repository, intent = exploration.repository, exploration.intent
    config = load(Path(repository.root), flags, installation.environment)
    file = plan_path(intent.topic)
    _refuse_edited_plan(installation, repository.root, file, request)
    agent = _choose_planner(config)
    target = WritePlan(
        intent=intent,
        context=exploration.context,
        scores=exploration.scores,
        variants=exploration.variants,
        file=file,
        min_confidence_0_100=config.plan.min_confidence,
        replaces=request.replaces,
        models=tuple((fixer.name, fixer.model) for fixer in list_fixers(config)),
    )
    spec, _left_out = make_spec(target, repository, config, repository.head(), [NO_TESTS], [agent])
    budget_usd = find_lowest_limit(intent.constraints, "budget") or spec.limits.budget_usd
    spec = replace(spec, limits=replace(spec.limits, budget_usd=min(spec.limits.budget_usd, budget_usd)))
    _refuse_own_call(intent, agent, exploration.context.branch)
    unchecked = [limit.text for limit in intent.constraints if limit.kind == "unchecked"]
    unchecked_notes = (
        f"only the agent is told, and no rule keeps it: {text} (limits: {', '.join(LIMITS)})" for text in unchecked
    )
    return RunPlan(spec, (*make_start_notes(spec), *exploration.notes, *unchecked_notes))


def _refuse_own_call(intent: Intent, agent: AgentSettings, branch: str) -> None:
    """Refuse limits that the plan's own call would break, before it is paid."""
    if why := explain_violations(intent.constraints, Facts(branch, models=((agent.name, agent.model),))):
        raise UsageError(
            "constraint", f"the plan's own call would break {'; '.join(why)}", help="--model chooses another"
        )


def _choose_planner(config: Config) -> AgentSettings:
    agent = get_agent_settings(config, config.plan.agent or config.fixer)
    model = config.plan.model or agent.model or MIDDLE_MODELS.get(agent.kind, "")
    return replace(agent, model=model)


def _read_topic_file(root: str) -> str:
    return OpenWorkingTree.read(root, TOPIC_FILE).strip()


def _collect_constraints(request: PlanRequest, variants: Sequence[Variant]) -> tuple[Constraint, ...]:
    names = [variant.name for variant in variants]
    forbidden = [f"deny_variants: {name}" for name in request.forbid]
    limits: list[Constraint] = []
    for text in filter(str.strip, (*forbidden, *request.constraints)):
        parsed = parse_constraint(text, names)
        if isinstance(parsed, str):
            option = "--forbid" if text in forbidden else "--constraint"
            help_text = "prose has no `:` after its first word" if text not in forbidden else "`reknit plan -h`"
            raise UsageError("no-limit", f"{option}: {parsed}", help=help_text)
        limits += parsed
    seconds = next((seconds for cap, seconds in CAPS.items() if cap == request.cap), 0)
    cap = [Constraint("time", request.cap, str(seconds))] if seconds else []
    return tuple(dict.fromkeys((*limits, *cap)))


def _refuse_edited_plan(installation: Installation, root: str, file: str, request: PlanRequest) -> None:
    """Refuse to overwrite an edited plan before anything is spent. A file that reknit wrote may be replaced."""
    try:
        old, index = OpenWorkingTree.read(root, file), OpenWorkingTree.read(root, INDEX)
        for path in (*([file] if old else []), *([INDEX] if index else [])):
            refuse_unwritable(root, path)
    except UsageError as problem:
        raise UsageError(problem.name, f"emission: {problem.message}", help=problem.help) from None
    if not old or request.replaces or is_own_text(installation, root, file, old):
        return
    message = f"{file} is not as reknit wrote it: a person has edited it"
    raise UsageError("plan-edited", message, help="--replace overwrites it; another TOPIC leaves it alone")
