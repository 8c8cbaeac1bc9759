"""Turns `variant` into a frozen run, if its plan lets it: the plans-first gate. Spends nothing.

What held when the plan was made must hold again now: floors, constraints, the cap. A variant gets at most what is
configured.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.exploration.history import default_branch
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.config.waivers import waivers_of
from reknit.app.installation import Installation
from reknit.app.start.fix_issues import TasksOfPlan, plan_fix_issues
from reknit.app.start.fix_tests import uncommitted
from reknit.app.start.instructions.variant_files import variants_of
from reknit.app.start.planning.accepted import is_accepted, problem_of, read_plan
from reknit.app.start.projects import every_project
from reknit.app.start.review import ReviewRequest, plan_review
from reknit.app.start.run_plan import RunPlan
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageProblem
from reknit.core.issues.model import IssueFilter
from reknit.core.planning.constraints import Facts, broken, lowest, parse_constraints
from reknit.core.planning.context import Inventory, RepoContext
from reknit.core.planning.intent import CAPS, Constraint, Intent, slug
from reknit.core.planning.plan_file.plan import PlanFile, digest
from reknit.core.planning.plan_gate import not_accepted, refusal, waivers_of_grants
from reknit.core.planning.targets import VariantTarget
from reknit.core.planning.tasks import source_of, split_tasks
from reknit.core.planning.variants.floors import unmet
from reknit.core.planning.variants.variant import Variant
from reknit.core.testing.command_line import as_typed
from reknit.core.text.did_you_mean import did_you_mean
from reknit.core.text.format import first_and_more


@dataclass(frozen=True)
class VariantRequest:
    name: str
    plan: str
    """A path, or the topic."""
    confirmed: bool = False
    """`--confirm-burn-everything` was given."""


@dataclass(frozen=True)
class _Allowed:
    """A plan that passed the gate, and what holds for the run."""

    variant: Variant
    plan: PlanFile
    file: str
    text: str
    topic: str
    constraints: tuple[Constraint, ...]
    branch: str
    default_branch: str


def plan_variant(place: Installation, folder: Path, wanted: VariantRequest, flags: Mapping[str, Any]) -> RunPlan:
    repository = UserRepository.find(str(folder))
    allowed = _allowed(place, repository, folder, wanted)
    configured = load(Path(repository.root), flags, place.environment)
    _refuse_floors(place, repository, configured, allowed, confirmed=wanted.confirmed)
    limited = _limited(flags, configured, allowed)
    target = VariantTarget(
        name=allowed.variant.name,
        topic=allowed.topic,
        plan=allowed.file,
        digest=digest(allowed.text),
        text=allowed.text,
        criteria=tuple(each.text for each in allowed.plan.criteria),
        grants=allowed.plan.grants,
        strategy=allowed.variant.strategy,
    )
    if allowed.variant.flow == "review":
        return _review(place, folder, allowed, limited, target)
    return _issues(place, repository, folder, allowed, limited, target)


def _allowed(place: Installation, repository: UserRepository, folder: Path, wanted: VariantRequest) -> _Allowed:
    read = read_plan(repository, folder, wanted.plan)
    plan, file = read.plan, read.file
    variants = {each.name: each for each in variants_of(Path(repository.root))}
    if wanted.name not in variants:
        hint = did_you_mean(wanted.name, [*variants]) or f"the variants are {', '.join(variants)}"
        raise UsageProblem("no-variant", f"no variant {wanted.name!r}", help=hint)
    if refused := refusal(plan, wanted.name, file):
        raise problem_of(refused)
    if not is_accepted(place, read):
        raise problem_of(not_accepted(file, wanted.plan))
    branch, (default, _) = repository.branch(), default_branch(repository.root)
    known = [name for name in (branch, default) if name]
    said = [each for text in plan.constraints for each in parse_constraints(text, tuple(variants), known)]
    cap = Constraint("time", plan.cap, str(CAPS[plan.cap]))
    constraints = (*said, *((cap,) if CAPS[plan.cap] else ()))
    topic = plan.topic or slug(Path(file).stem.removesuffix("-advisor"))
    return _Allowed(variants[wanted.name], plan, file, read.text, slug(topic), constraints, branch, default)


def _refuse_floors(
    place: Installation, repository: UserRepository, config: Config, allowed: _Allowed, *, confirmed: bool
) -> None:
    variant = allowed.variant
    context = RepoContext(
        as_of="",
        branch=allowed.branch,
        default_branch=allowed.default_branch,
        changed=uncommitted(repository),
        inventory=Inventory(tests=_tests(place, repository, config) if "tests" in variant.floors else ()),
    )
    why = unmet(variant, context, Intent(allowed.topic, confirmed=confirmed))
    if why:
        what = f"the variant {variant.name} may not run here: {'; '.join(why)}"
        raise UsageProblem("floor", what, help="change that, or run a variant that the plan names beside it")


def _tests(place: Installation, repository: UserRepository, config: Config) -> tuple[str, ...]:
    try:
        return tuple(as_typed(each) for each in every_project(place, repository, config))
    except UsageProblem:
        return ()


def _limited(flags: Mapping[str, Any], config: Config, allowed: _Allowed) -> dict[str, Any]:
    """The settings of the run: the lowest of what is configured, what the variant takes and what the plan allows."""
    variant, loop, constraints = allowed.variant, config.loop, allowed.constraints
    limits: dict[str, Any] = {
        "budget_usd": _lowest(loop.budget_usd, variant.budget_usd, lowest(constraints, "budget")),
        "timeout_s": _lowest(loop.timeout_s, variant.timeout_s, lowest(constraints, "time")),
        "attempts": int(_lowest(loop.attempts, variant.attempts)),
    }
    gate = flags.get("gate", {})
    waivers = (*gate.get("allow", ()), *waivers_of_grants(allowed.plan, allowed.file))
    made = {**flags, "loop": {**flags.get("loop", {}), **limits}, "gate": {**gate, "allow": waivers}}
    fixer = flags.get("fixer") or variant.agent or config.fixer
    if variant.agent:
        made["fixer"] = fixer
    if variant.model and fixer == (variant.agent or config.fixer):
        agents = flags.get("agents", {})
        made["agents"] = {**agents, fixer: {**agents.get(fixer, {}), "model": variant.model}}
    return made


def _lowest(configured: float, *others: float | None) -> float:
    """0 and None set no limit."""
    return min([configured, *(other for other in others if other)])


def _refuse_broken(allowed: _Allowed, config: Config, agents: Iterable[AgentSettings]) -> None:
    facts = Facts(
        branch=allowed.branch,
        default_branch=allowed.default_branch,
        models=tuple((agent.name, agent.model) for agent in agents),
        budget_usd=config.loop.budget_usd,
        time_limit_s=config.loop.timeout_s,
        variant=allowed.variant.name,
    )
    if why := broken(allowed.constraints, facts):
        what = f"the plan {allowed.file} forbids this run: {'; '.join(why)}"
        raise UsageProblem("constraint", what, help="change the settings, or `constraints:` in the plan")


def _review(
    place: Installation, folder: Path, allowed: _Allowed, limited: Mapping[str, Any], target: VariantTarget
) -> RunPlan:
    try:
        made = plan_review(place, folder, ReviewRequest(report_only=True), limited)
    except UsageProblem as problem:
        if problem.name != "nothing-to-review":
            raise
        hint = f"{allowed.variant.name} reads the commits of a branch: check out the one that it should read"
        raise UsageProblem(problem.name, problem.what, help=hint) from None  # a variant has no --staged and no --base
    review, config = made.spec.review_target, load(Path(made.spec.repository), limited, place.environment)
    second = [review.second] if review.second else []
    _refuse_broken(allowed, config, [*(agent for _, agent in review.reviewers), *second])
    return RunPlan(replace(made.spec, variant=target), made.notes)


def _issues(
    place: Installation, repository: UserRepository, folder: Path, allowed: _Allowed, limited: Mapping[str, Any],
    target: VariantTarget,
) -> RunPlan:  # fmt: skip
    config = load(Path(repository.root), limited, place.environment)
    works, left_out = split_tasks(allowed.plan.tasks, repository.tracked(), waivers_of(repository.root, config))
    if not works:
        what = f"no task of {allowed.file} can be taken: {first_and_more(left_out, between='; ')}"
        raise UsageProblem("no-tasks", what, help="change the tasks, or add what they need to `grants:`")

    def allow(agents: Sequence[AgentSettings]) -> None:
        _refuse_broken(allowed, config, agents)

    tasks = TasksOfPlan(source_of(allowed.topic), works, allowed.variant.tasks, allow)
    made = plan_fix_issues(place, folder, IssueFilter(), limited, again=True, tasks=tasks)
    over = tuple(f"{count} {why}" for why, count in made.prospect.passed_over.items())
    new_files = tuple(work.path for work in works if work.is_new)
    spec = replace(made.spec, variant=replace(target, left_out=(*left_out, *over), new_files=new_files))
    return replace(made, spec=spec, notes=(*made.notes, *(f"passed over: {each}" for each in left_out)))
