"""Turns `plan` into a frozen run: what is wanted, what is in the repository, how each variant fits. Spends nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from reknit.adapters.files.working_tree import OpenWorkingTree, refuse_unwritable
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.start.agent_settings import agent_settings, fixers
from reknit.app.start.exploration.explore import explore
from reknit.app.start.instructions.variant_files import variants_of
from reknit.app.start.new_spec import new_spec
from reknit.app.start.planning.accepted import is_own_text
from reknit.app.start.run_plan import RunPlan, start_notes
from reknit.app.start.vote import NO_TESTS
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageProblem
from reknit.core.planning.constraints import parse_constraints
from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import Constraint, Intent, slug
from reknit.core.planning.plan_file.plan import INDEX, plan_path
from reknit.core.planning.targets import PlanTarget
from reknit.core.planning.variants.scoring import score
from reknit.core.planning.variants.variant import Variant, VariantScore
from reknit.core.text.did_you_mean import did_you_mean

TOPIC_FILE = "TOPIC.md"
MIDDLE_MODELS: Mapping[str, str] = {"claude": "sonnet", "gemini": "gemini-2.5-flash"}
"""Of each vendor's CLI: good enough to choose among variants. A CLI that is not here uses its own default."""
_MOST_CHARACTERS = 20_000


@dataclass(frozen=True)
class PlanRequest:
    topic: str
    """As typed."""
    as_of: date
    description: str = ""
    forbid: tuple[str, ...] = ()
    cap: str = ""
    constraints: tuple[str, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    confirmed: bool = False
    replaces: bool = False


@dataclass(frozen=True)
class Explored:
    """The first three stages."""

    repository: UserRepository
    intent: Intent
    context: RepoContext
    variants: tuple[Variant, ...]
    scores: tuple[VariantScore, ...]
    notes: tuple[str, ...]


def explored(place: Installation, folder: Path, wanted: PlanRequest) -> Explored:
    if not wanted.topic.strip():
        raise UsageProblem("no-topic", "the topic is empty", help="name it in a few words: `reknit plan tidy-up`")
    context = explore(place, folder, wanted.as_of)
    repository = UserRepository.find(str(folder))
    variants = variants_of(Path(repository.root))
    topic = slug(wanted.topic)
    intent = Intent(
        topic=topic,
        description=(wanted.description or _from_file(repository.root))[:_MOST_CHARACTERS],
        constraints=_constraints(wanted, variants, context),
        answers=wanted.answers,
        confirmed=wanted.confirmed,
    )
    notes = () if topic == wanted.topic else (f"the topic is {topic}",)
    return Explored(repository, intent, context, variants, score(context, variants, intent), notes)


def plan_topic(place: Installation, folder: Path, wanted: PlanRequest, flags: Mapping[str, Any]) -> RunPlan:
    found = explored(place, folder, wanted)
    repository, intent = found.repository, found.intent
    config = load(Path(repository.root), flags, place.environment)
    file = plan_path(intent.topic)
    _refuse_edited(place, repository.root, file, wanted)
    agent = _planner(config)
    target = PlanTarget(
        intent=intent,
        context=found.context,
        scores=found.scores,
        variants=found.variants,
        file=file,
        min_confidence_0_100=config.plan.min_confidence,
        replaces=wanted.replaces,
        models=tuple((each.name, each.model) for each in fixers(config)),
    )
    spec, _left_out = new_spec("plan", repository, config, repository.head(), [NO_TESTS], [agent])
    unchecked = [limit.text for limit in intent.constraints if limit.kind == "unchecked"]
    told = (f"no code can check this limit: {text}" for text in unchecked)
    return RunPlan(replace(spec, plan=target), (*start_notes(spec), *found.notes, *told))


def _planner(config: Config) -> AgentSettings:
    agent = agent_settings(config, config.plan.agent or config.fixer)
    model = config.plan.model or agent.model or MIDDLE_MODELS.get(agent.kind, "")
    return replace(agent, model=model)


def _from_file(root: str) -> str:
    return OpenWorkingTree.read(root, TOPIC_FILE).strip()


def _constraints(wanted: PlanRequest, variants: Sequence[Variant], context: RepoContext) -> tuple[Constraint, ...]:
    names = [variant.name for variant in variants]
    for name in wanted.forbid:
        if name not in names:
            hint = did_you_mean(name, names) or f"the variants are {', '.join(names)}"
            raise UsageProblem("no-variant", f"--forbid: there is no variant {name!r}", help=hint)
    branches = [branch for branch in (context.branch, context.default_branch) if branch]
    forbidden = [Constraint("variant", f"no {name}", name) for name in wanted.forbid]
    typed = [
        limit for text in filter(str.strip, wanted.constraints) for limit in parse_constraints(text, names, branches)
    ]
    caps = parse_constraints(wanted.cap, names) if wanted.cap and wanted.cap != "no cap" else ()
    return tuple(dict.fromkeys((*forbidden, *typed, *caps)))


def _refuse_edited(place: Installation, root: str, file: str, wanted: PlanRequest) -> None:
    """Before anything is spent. A file that reknit wrote as it is now may be replaced."""
    try:
        old, index = OpenWorkingTree.read(root, file), OpenWorkingTree.read(root, INDEX)
        for path in (*([file] if old else []), *([INDEX] if index else [])):
            refuse_unwritable(root, path)
    except UsageProblem as problem:
        raise UsageProblem(problem.name, f"emission: {problem.what}", help=problem.help) from None
    if not old or wanted.replaces or is_own_text(place, root, file, old):
        return
    what = f"{file} is not as reknit wrote it: a person has edited it"
    raise UsageProblem("plan-edited", what, help="--replace overwrites it; another TOPIC leaves it alone")
