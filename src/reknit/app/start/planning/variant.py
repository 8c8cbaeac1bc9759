"""Turns `fix plan` into a frozen run, if its plan allows it: the plans-first gate. Spends nothing.

Floors, constraints and the cap are checked again now, not only when the plan was made. A variant gets at most the
configured limits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.review_range import default_branch
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, collect_waivers, load
from reknit.app.installation import Installation
from reknit.app.runs.apply import SEARCHED
from reknit.app.start.fix_issues import TasksOfPlan, plan_fix_issues
from reknit.app.start.fix_pr import plan_fix_pr
from reknit.app.start.fix_tests import list_uncommitted, plan_fix_tests
from reknit.app.start.instructions.variant_files import read_variants
from reknit.app.start.new_spec import RunPlan
from reknit.app.start.planning.accepted import is_accepted, problem_from_refusal, read_plan
from reknit.app.start.projects import list_projects
from reknit.app.start.review import ReviewRequest, plan_review
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageError
from reknit.core.fix_issues.task import FixIssues
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.fix_tests.task import FixTests
from reknit.core.issues.model import IssueFilter
from reknit.core.planning.constraints import Facts, explain_violations, find_lowest_limit
from reknit.core.planning.context import Inventory, RepoContext
from reknit.core.planning.criteria import find_due_criteria
from reknit.core.planning.intent import CAPS, Constraint, Intent, make_slug
from reknit.core.planning.plan_file.plan import PlanFile, digest
from reknit.core.planning.plan_gate import make_waivers, refuse_plan, refuse_unaccepted
from reknit.core.planning.targets import VariantTarget
from reknit.core.planning.tasks import make_source, split_tasks
from reknit.core.planning.variants.scoring import find_unmet_floors
from reknit.core.planning.variants.variant import Variant
from reknit.core.review.task import ReviewChange
from reknit.core.runs.view import get_plan_topic
from reknit.core.testing.command import to_command_line
from reknit.core.text.format import join_and_count, suggest_similar
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader


@dataclass(frozen=True)
class VariantRequest:
    """The variant and the plan that a person typed."""

    name: str
    """Empty: the one that the plan recommends."""
    plan: str
    """Path of the plan, or its topic."""
    confirmed: bool = False
    """True if `--confirm-burn-everything` was given."""


@dataclass(frozen=True)
class _AllowedPlan:
    """A plan that passed the gate, and the limits that apply to the run."""

    variant: Variant
    plan: PlanFile
    file: str
    text: str
    topic: str
    constraints: tuple[Constraint, ...]
    branch: str
    default_branch: str


def plan_variant(
    installation: Installation, folder: Path, request: VariantRequest, flags: Mapping[str, Any]
) -> RunPlan:
    """Plan a run of a variant. Raise if its plan or its floors do not allow it."""
    repository = UserRepository.find(str(folder))
    allowed = _check_plan(installation, repository, folder, request)
    configured = load(Path(repository.root), flags, installation.environment)
    _refuse_floors(installation, repository, configured, allowed, confirmed=request.confirmed)
    limited = _limit_settings(flags, configured, allowed)
    target = VariantTarget(
        name=allowed.variant.name,
        topic=allowed.topic,
        plan=allowed.file,
        digest=digest(allowed.text),
        text=allowed.text,
        criteria=tuple(criterion.text for criterion in allowed.plan.criteria),
        grants=allowed.plan.grants,
        strategy=allowed.variant.strategy,
    )
    if allowed.variant.flow == "report":
        return _plan_review(installation, folder, allowed, limited, target)
    if allowed.variant.flow == "ci":
        return _plan_ci(installation, folder, allowed, limited, target)
    return _plan_issues(installation, repository, folder, allowed, limited, target)


def _check_plan(
    installation: Installation, repository: UserRepository, folder: Path, request: VariantRequest
) -> _AllowedPlan:
    read = read_plan(repository, folder, request.plan)
    plan, file = read.plan, read.file
    variants = {variant.name: variant for variant in read_variants(Path(repository.root))}
    name = request.name or plan.variant_recommendation
    if name not in variants:
        hint = suggest_similar(name, [*variants]) or f"the variants are {', '.join(variants)}"
        raise UsageError("no-variant", f"no variant {name!r}", help=hint)
    if refused := refuse_plan(plan, name, file):
        raise problem_from_refusal(refused)
    if not is_accepted(installation, read):
        raise problem_from_refusal(refuse_unaccepted(file, request.plan))
    branch, (default, _) = repository.branch(), default_branch(repository.root)
    cap = Constraint("time", plan.cap, str(CAPS[plan.cap]))
    constraints = (*plan.limits, *((cap,) if CAPS[plan.cap] else ()))
    topic = plan.topic or make_slug(Path(file).stem.removesuffix("-advisor"))
    return _AllowedPlan(variants[name], plan, file, read.text, make_slug(topic), constraints, branch, default)


def _refuse_floors(
    installation: Installation, repository: UserRepository, config: Config, allowed: _AllowedPlan, *, confirmed: bool
) -> None:
    variant = allowed.variant
    context = RepoContext(
        as_of="",
        branch=allowed.branch,
        default_branch=allowed.default_branch,
        changed=list_uncommitted(repository),
        inventory=Inventory(tests=_list_tests(installation, repository, config) if "tests" in variant.floors else ()),
    )
    why = find_unmet_floors(variant, context, Intent(allowed.topic, confirmed=confirmed))
    if why:
        message = f"the variant {variant.name} may not run here: {'; '.join(why)}"
        raise UsageError("floor", message, help="change that, or run a variant that the plan names beside it")


def _list_tests(installation: Installation, repository: UserRepository, config: Config) -> tuple[str, ...]:
    try:
        return tuple(to_command_line(project) for project in list_projects(installation, repository, config))
    except UsageError:
        return ()


def _limit_settings(flags: Mapping[str, Any], config: Config, allowed: _AllowedPlan) -> dict[str, Any]:
    """Return the settings: the lowest of the configured limits, the variant's and the plan's."""
    variant, loop, constraints = allowed.variant, config.loop, allowed.constraints
    limits: dict[str, Any] = {
        "budget_usd": _choose_lowest(loop.budget_usd, variant.budget_usd, find_lowest_limit(constraints, "budget")),
        "timeout_s": _choose_lowest(loop.timeout_s, variant.timeout_s, find_lowest_limit(constraints, "time")),
        "attempts": int(_choose_lowest(loop.attempts, variant.attempts)),
    }
    gate = flags.get("gate", {})
    waivers = (*gate.get("allow", ()), *make_waivers(allowed.plan, allowed.file))
    settings = {**flags, "loop": {**flags.get("loop", {}), **limits}, "gate": {**gate, "allow": waivers}}
    fixer = flags.get("fixer") or variant.agent or config.fixer
    if variant.agent:
        settings["fixer"] = fixer
    if variant.model and fixer == (variant.agent or config.fixer):
        agents = flags.get("agents", {})
        settings["agents"] = {**agents, fixer: {**agents.get(fixer, {}), "model": variant.model}}
    return settings


def _choose_lowest(configured: float, *others: float | None) -> float:
    """Return the lowest limit. 0 and None set no limit."""
    return min([configured, *(other for other in others if other)])


def _refuse_broken_constraints(allowed: _AllowedPlan, config: Config, agents: Iterable[AgentSettings]) -> None:
    facts = Facts(
        branch=allowed.branch,
        models=tuple((agent.name, agent.model) for agent in agents),
        budget_usd=config.loop.budget_usd,
        time_limit_s=config.loop.timeout_s,
        variant=allowed.variant.name,
    )
    if why := explain_violations(allowed.constraints, facts):
        message = f"the plan {allowed.file} forbids this run: {'; '.join(why)}"
        raise UsageError("constraint", message, help="change the settings, or the limits in the plan")


def _plan_review(
    installation: Installation, folder: Path, allowed: _AllowedPlan, limited: Mapping[str, Any], target: VariantTarget
) -> RunPlan:
    try:
        review_plan = plan_review(installation, folder, ReviewRequest(report_only=True), limited)
    except UsageError as problem:
        if problem.name != "nothing-to-review":
            raise
        hint = f"{allowed.variant.name} reads the commits of a branch: check out the one that it should read"
        raise UsageError(problem.name, problem.message, help=hint) from None  # a variant has no --staged and no --base
    review, config = (
        review_plan.spec.task_as(ReviewChange),
        load(Path(review_plan.spec.repository), limited, installation.environment),
    )
    second = [review.second] if review.second else []
    _refuse_broken_constraints(allowed, config, [*(agent for _, agent in review.reviewers), *second])
    task = replace(review, variant=target, progress="")  # the plan is the only file of the working tree that is written
    return RunPlan(replace(review_plan.spec, task=task), review_plan.notes)


def _plan_ci(
    installation: Installation, folder: Path, allowed: _AllowedPlan, limited: Mapping[str, Any], target: VariantTarget
) -> RunPlan:
    """Plan the repair of the branch's pull request, or of the red tests if no branch beside the default one is here."""
    task: FixPullRequest | FixTests
    if not allowed.default_branch or allowed.branch in ("", allowed.default_branch):
        plan: RunPlan = plan_fix_tests(installation, folder, (), limited)
        task, source, agents = plan.spec.task_as(FixTests), "the tests", plan.spec.agents
    else:
        plan = plan_fix_pr(installation, folder, None, limited)
        task, source = plan.spec.task_as(FixPullRequest), "the checks of the pull request"
        agents = (*plan.spec.agents, *([task.reviewer] if task.reviewer else []))
    config = load(Path(plan.spec.repository), limited, installation.environment)
    _refuse_broken_constraints(allowed, config, agents)
    note = f"{allowed.variant.name} repairs what {source} report; it does not do the plan's tasks one by one"
    return RunPlan(replace(plan.spec, task=replace(task, variant=target)), (*plan.notes, note))


def _plan_issues(
    installation: Installation, repository: UserRepository, folder: Path, allowed: _AllowedPlan,
    limited: Mapping[str, Any], target: VariantTarget,
) -> RunPlan:  # fmt: skip
    config = load(Path(repository.root), limited, installation.environment)
    works, left_out = split_tasks(allowed.plan.tasks, repository.tracked(), collect_waivers(repository.root, config))
    if not works:
        message = f"no task of {allowed.file} can be taken: {join_and_count(left_out, between='; ')}"
        raise UsageError("no-tasks", message, help="change the tasks, or add what they need to `grants:`")

    def allow(agents: Sequence[AgentSettings]) -> None:
        _refuse_broken_constraints(allowed, config, agents)

    variant = allowed.variant
    due = find_due_criteria(target.criteria, [work.files for work in works])
    tasks_due = tuple((work.title, numbers) for work, numbers in zip(works, due, strict=True) if numbers)
    # A task that fails takes those of its call with it: one that a criterion judges has a call of its own.
    alone = {title for title, _ in tasks_due} if variant.flow == "hygiene" else {work.title for work in works}
    tasks = TasksOfPlan(make_source(allowed.topic), works, variant.tasks, allow, frozenset(alone))
    issues_plan = plan_fix_issues(installation, folder, IssueFilter(), limited, again=True, tasks=tasks)
    over = tuple(f"{count} {why}" for why, count in issues_plan.prospect.skip_counts.items())
    new_files = tuple(work.path for work in works if work.is_new)
    target = replace(target, left_out=(*left_out, *over), new_files=new_files, due=tasks_due)
    spec = replace(issues_plan.spec, task=replace(issues_plan.spec.task_as(FixIssues), variant=target))
    passed_over = (f"passed over: {entry}" for entry in left_out)
    earlier_notes = _note_unmerged_run(installation, repository, allowed.topic)
    return replace(issues_plan, spec=spec, notes=(*issues_plan.notes, *passed_over, *earlier_notes))


def _note_unmerged_run(installation: Installation, repository: UserRepository, topic: str) -> tuple[str, ...]:
    """Return a note if the last run on this plan landed commits that are not here: its tasks count as done."""
    database = open_store(installation.database)
    runs = RunReader(database).runs(repository=repository.root, limit=SEARCHED)
    database.dispose()
    run = next((run for run in runs if run.commit and not run.undone_at and get_plan_topic(run) == topic), None)
    if not run or not run.commit or not repository.has_branch(run_branch := f"reknit/{run.id}"):
        return ()
    if repository.in_head_history([run.commit]):
        return ()
    return (
        f"what {run.id} did of this plan is not in HEAD: `git merge {run_branch}` first, if its other tasks need it",
    )
