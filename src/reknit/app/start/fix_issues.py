"""Turns `fix issues` into a frozen run: which issues, which batches, who fixes, who challenges. Spends nothing."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, collect_waivers, load
from reknit.app.installation import Installation
from reknit.app.issues.from_forge import sync_if_due
from reknit.app.issues.import_tasks import import_tasks
from reknit.app.issues.ledger import RepositoryIssues, open_issues
from reknit.app.issues.query import PRESENT, count_absent
from reknit.app.runs.liveness import refuse_claimed
from reknit.app.start.agents import find_signed_in_agents, get_agent_settings, list_fixers
from reknit.app.start.fix_tests import list_uncommitted
from reknit.app.start.instructions.agent_files import read_agent_files
from reknit.app.start.instructions.judges import checkout_judges
from reknit.app.start.new_spec import RunPlan, add_projects, make_spec, make_start_notes, refuse_branch_in_the_way
from reknit.app.start.projects import projects_to_test
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.instructions import FIXING, JUDGING, select_files
from reknit.core.errors import UsageError
from reknit.core.fix_issues.forecast import RunProspect
from reknit.core.fix_issues.selection import WORST_FIRST, Selection, batch_tasks, choose_issues, plan_batches
from reknit.core.fix_issues.task import FixIssues, make_issues_key
from reknit.core.fix_issues.tools.lint_tool import list_tools
from reknit.core.gate.needed_waivers import NotAllowed, explain_not_allowed
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import Counts, Issue, IssueFilter
from reknit.core.planning.tasks import TaskWork
from reknit.core.repository.uncommitted import record_names
from reknit.core.runs.spec import RunSpec, UncommittedWork, warn_of_uncommitted
from reknit.core.text.format import to_one_line
from reknit.ports.issues import IssueLedger
from reknit.store.runs.reader import RunReader

TOO_ALIKE = "too much like a task that is over, or with characters that cannot be kept: reword it"


@dataclass(frozen=True)
class TasksOfPlan:
    """The tasks of a plan. A run that a plan allowed takes no other issues."""

    source: str
    """Name of the tool that reports the tasks in the ledger."""
    works: tuple[TaskWork, ...]
    most: int
    """Maximum tasks per run; 0: the configured maximum."""
    allow: Callable[[Sequence[AgentSettings]], None]
    """Check that raises if one of these agents may not run."""
    alone: frozenset[str]
    """Titles of the tasks that have a call of their own; others in a row may share one."""


@dataclass(frozen=True)
class IssuesPlan(RunPlan):
    """A planned run on issues."""

    _: KW_ONLY
    issues: tuple[Issue, ...]
    """Issues of the run, in the order of the batches."""
    prospect: RunProspect


def plan_fix_issues(
    installation: Installation, folder: Path, issue_filter: IssueFilter, flags: Mapping[str, Any], *,
    again: bool = False, tasks: TasksOfPlan | None = None,
) -> IssuesPlan:  # fmt: skip
    """Plan a run on issues. `again`: include FAILED issues. `tasks`: take these and no others."""
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), flags, installation.environment)
    with checkout_judges(installation, repository, flags) as judges:
        guides = {
            **dict(read_agent_files(Path(repository.root))),
            **dict(select_files(read_agent_files(judges.rules), JUDGING)),
        }
        judges_note = judges.note(repository.root, config)
    config = config.model_copy(update={"challenger": judges.config.challenger})
    refuse_branch_in_the_way(repository)
    tests = projects_to_test(installation, repository, config)
    key, ledger, reader = open_issues(installation, repository)
    backlog = RepositoryIssues(ledger, repository, key, str(folder))
    sync_if_due(installation, backlog)
    refuse_claimed(installation, make_issues_key(key))
    statuses: tuple[Status, ...] = ("OPEN", "FAILED") if again else ("OPEN",)
    open_filter = replace(issue_filter, statuses=statuses, baselines=issue_filter.baselines or PRESENT)
    agents, challenger, unchallenged = _choose_agents(installation, config, judges.config)
    if tasks:
        tasks.allow([*agents, *([challenger] if challenger else [])])
        selection = _select_tasks(backlog, tasks, config.issues.per_run)
    else:
        selection = _select_issues(ledger, key, open_filter, repository, config)
    issues = selection.issues
    if not issues:
        raise _no_issues_problem(selection, ledger.counts(key), again=again)
    limits = config.issue_limits()
    target = FixIssues(
        repository=key,
        batches=(
            batch_tasks(issues, config.kind_of, limits, tasks.alone)
            if tasks
            else plan_batches(issues, limits, config.kind_of)
        ),
        challenger=challenger,
        unchallenged=unchallenged,
        by_choice=not config.challenger.enabled,
        limits=limits,
        guides=select_files(tuple(guides.items()), FIXING),
        tools=list_tools(issues) if config.issues.tool_fixes else (),
        not_allowed=selection.not_allowed,
        again=again,
    )
    spec, _left_out = make_spec(target, repository, config, repository.head(), tests.tests, agents)
    dirty = list_uncommitted(repository)
    spec = replace(spec, uncommitted=UncommittedWork(paths=record_names(dirty), count=len(dirty)))
    spec = add_projects(spec, repository, tests)
    prospect = _forecast(ledger, reader, repository.root, target, selection.skip_counts, statuses)
    issues_plan = IssuesPlan(
        spec=spec,
        notes=(
            *judges_note,
            *tests.notes,
            *_make_notes(spec, prospect, sorted({issue.path for issue in issues} & {*dirty})),
        ),
        issues=tuple({issue.id: issue for issue in issues}[number] for number in target.issues),
        prospect=prospect,
    )
    reader.engine.dispose()
    return issues_plan


def _make_notes(spec: RunSpec, prospect: RunProspect, dirty: Sequence[str]) -> tuple[str, ...]:
    """Return the notes. `dirty`: files with issues that differ from the commit."""
    notes = [*make_start_notes(spec), *(f"left out: {count} {why}" for why, count in prospect.skip_counts.items())]
    if note := explain_not_allowed(spec.task_as(FixIssues).not_allowed):
        notes.append(note)
    if dirty:
        count = f"{len(dirty)} file(s) with issues have uncommitted changes, e.g. {to_one_line(dirty[0])}"
        notes.append(f"{count}: the run repairs commit {spec.base[:7]}")
    return (*notes, *((note,) if (note := warn_of_uncommitted(spec)) else ()))


def _forecast(
    ledger: IssueLedger, reader: RunReader, root: str, target: FixIssues, passed_over: Mapping[str, int],
    statuses: Sequence[Status],
) -> RunProspect:  # fmt: skip
    counts, absent = ledger.counts(target.repository), count_absent(ledger, target.repository, statuses)
    accounted = len(target.issues) + sum(passed_over.values()) + (absent or 0)
    return RunProspect(
        fix_usd=reader.mean_call_usd(root),
        challenge_usd=reader.mean_challenge_usd(root),
        others=max(sum(counts.get(status, 0) for status in statuses) - accounted, 0),
        absent=absent,
        skip_counts=passed_over,
    )


def _select_issues(
    ledger: IssueLedger, key: str, issue_filter: IssueFilter, repository: UserRepository, config: Config
) -> Selection:
    """Select the worst issues first, then the oldest. Reads no more than a run takes."""
    weights = issue_filter.weights or WORST_FIRST
    issues = itertools.chain.from_iterable(
        ledger.each(key, replace(issue_filter, weights=(weight,))) for weight in WORST_FIRST if weight in weights
    )
    of_kind = (issue for issue in issues if not issue_filter.kinds or config.kind_of(issue.path) in issue_filter.kinds)
    waivers = collect_waivers(repository.root, config)
    return choose_issues(of_kind, frozenset(repository.tracked()), config.issues.per_run, waivers)


def _select_tasks(backlog: RepositoryIssues, tasks: TasksOfPlan, per_run: int) -> Selection:
    """Select the tasks of a plan. Tasks beyond the limit stay OPEN, and the next run of the same plan takes them."""
    imported = import_tasks(backlog, tasks.source, tasks.works)
    issues = imported.issues
    if not issues and imported.lost:
        message = f"no task of {tasks.source} can be taken: {imported.lost} {TOO_ALIKE.partition(':')[0]}"
        raise UsageError("no-tasks", message, help="reword them in the plan")
    if not issues:
        message = f"every task of {tasks.source} that could be taken is done"
        raise UsageError(
            "no-tasks", message, help=f"`reknit issues list --tool {tasks.source} --status all` shows them"
        )
    most = min(per_run, tasks.most or per_run)
    over = {"beyond the limit of tasks per run": len(issues) - most, TOO_ALIKE: imported.lost}
    return Selection(issues[:most], {why: count for why, count in over.items() if count > 0}, NotAllowed())


def _no_issues_problem(selection: Selection, counts: Counts, *, again: bool) -> UsageError:
    if selection.skip_counts:
        reasons = ", ".join(f"{count} {why}" for why, count in selection.skip_counts.items())
        help_text = explain_not_allowed(selection.not_allowed) or "`reknit issues list`"
        return UsageError("no-issues", f"no open issue can be worked on: {reasons}", help=help_text)
    if counts.get("OPEN"):
        message = f"{counts['OPEN']} issue(s) are open, but none is both selected and in its tools' newest report"
        return UsageError(
            "no-issues", message, help="`reknit issues list` shows them; import a new report if it is old"
        )
    if counts.get("FAILED") and not again:
        message = f"no issue is open; {counts['FAILED']} FAILED in an earlier run"
        return UsageError("no-issues", message, help="`reknit fix issues --again` retries them")
    message = "no issue of this repository is open"
    return UsageError("no-issues", message, help="`reknit issues import FILE…` imports the reports of your tools")


def _choose_agents(
    installation: Installation, config: Config, judges: Config
) -> tuple[list[AgentSettings], AgentSettings | None, str]:
    """Return the fixers in their order, and the challenger, or why there is none.

    `judges`: the configuration of the challenger.
    """
    fixer, *fallback = list_fixers(config)
    challenger, unchallenged = _choose_challenger(installation, judges, fixer, fallback)
    if challenger:  # the judge must not have written any of it
        fallback = [agent for agent in fallback if agent.vendor != challenger.vendor]
    return [fixer, *fallback], challenger, unchallenged


def _choose_challenger(
    installation: Installation, config: Config, fixer: AgentSettings, fallback: Sequence[AgentSettings]
) -> tuple[AgentSettings | None, str]:
    """Return an agent from another vendor than the fixer, preferably one not in `fallback`.

    If there is none, return the reason.
    """
    settings = config.challenger
    if not settings.enabled:
        return None, "it is turned off (challenger.enabled)"
    if settings.agent:
        challenger = _apply_settings(get_agent_settings(config, settings.agent), config)
        if challenger.vendor == fixer.vendor:
            message = (
                f"the challenger {challenger.name} is from the same vendor as the fixer, so it would judge its own work"
            )
            raise UsageError("same-vendor", message, help="name another with --challenger")
        return challenger, ""
    others = list(find_signed_in_agents(installation, config, but={fixer.vendor}))
    used = {agent.vendor for agent in fallback}
    best = next((agent for agent in others if agent.vendor not in used), None) or next(iter(others), None)
    return (_apply_settings(best, config), "") if best else (None, "no agent from a second vendor is signed in")


def _apply_settings(agent: AgentSettings, config: Config) -> AgentSettings:
    settings = config.challenger
    return replace(agent, model=settings.model or agent.model, thinking_tokens=settings.thinking_budget)
