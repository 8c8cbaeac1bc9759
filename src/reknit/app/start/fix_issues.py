"""Turns `fix issues` into a frozen run: which issues, which batches, who fixes, who challenges. Spends nothing."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.config.waivers import waivers_of
from reknit.app.installation import Installation
from reknit.app.issues.import_tasks import import_tasks
from reknit.app.issues.ledger import RepositoryIssues, open_issues
from reknit.app.issues.query import PRESENT, absent_of
from reknit.app.issues.quiet_sync import sync_if_due
from reknit.app.runs.claims import refuse_taken
from reknit.app.start.agent_settings import agent_settings, fixers
from reknit.app.start.fix_tests import uncommitted
from reknit.app.start.instructions.agent_files import agent_files
from reknit.app.start.instructions.judges import judges_of
from reknit.app.start.new_spec import new_spec, with_projects
from reknit.app.start.projects import projects_to_test
from reknit.app.start.run_plan import RunPlan, start_notes
from reknit.app.start.signed_in_agents import signed_in
from reknit.app.start.workspace import refuse_branch_in_the_way
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.instructions import FIXING, JUDGING, only
from reknit.core.errors import UsageProblem
from reknit.core.fix_issues.batching import WORST_FIRST, plan
from reknit.core.fix_issues.forecast import KnownBeforeRun
from reknit.core.fix_issues.selection import Selection, choose
from reknit.core.fix_issues.tools.registry import tools_of
from reknit.core.gate.needed_waivers import NotAllowed, not_allowed_text
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import Counts, Issue, IssueFilter
from reknit.core.planning.tasks import TaskWork
from reknit.core.repository.uncommitted import kept_names
from reknit.core.runs.spec import IssuesTarget, RunSpec, beside, issues_key
from reknit.core.text.format import one_line
from reknit.ports.issues import IssueLedger
from reknit.store.runs.reader import RunReader

TOO_ALIKE = "too much like a task that is over, or with characters that cannot be kept: reword it"


@dataclass(frozen=True)
class TasksOfPlan:
    """The only issues that a run takes which a plan allowed."""

    source: str
    """The tool under which they are kept."""
    works: tuple[TaskWork, ...]
    most: int
    """How many one run takes; 0: as configured."""
    allow: Callable[[Sequence[AgentSettings]], None]
    """Raises if one of these agents may not run."""


@dataclass(frozen=True)
class IssuesPlan(RunPlan):
    _: KW_ONLY
    issues: tuple[Issue, ...]
    """In the order of the batches."""
    prospect: KnownBeforeRun


def plan_fix_issues(
    place: Installation, folder: Path, chosen: IssueFilter, flags: Mapping[str, Any], *, again: bool = False,
    tasks: TasksOfPlan | None = None,
) -> IssuesPlan:  # fmt: skip
    """`again`: include FAILED issues. `tasks`: take these and no others."""
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), flags, place.environment)
    with judges_of(place, repository, flags) as judges:
        guides = {**dict(agent_files(Path(repository.root))), **dict(only(agent_files(judges.rules), JUDGING))}
        judges_note = judges.note(repository.root, config)
    config = config.model_copy(update={"challenger": judges.config.challenger})
    refuse_branch_in_the_way(repository)
    tests = projects_to_test(place, repository, config)
    key, ledger, reader = open_issues(place, repository)
    backlog = RepositoryIssues(ledger, repository, key, str(folder))
    sync_if_due(place, backlog)
    refuse_taken(place, issues_key(key))
    statuses: tuple[Status, ...] = ("OPEN", "FAILED") if again else ("OPEN",)
    wanted = replace(chosen, statuses=statuses, baselines=chosen.baselines or PRESENT)
    agents, challenger, unchallenged = _agents(place, config, judges.config)
    if tasks:
        tasks.allow([*agents, *([challenger] if challenger else [])])
        selection = _of_plan(backlog, tasks, config.issues.per_run)
    else:
        selection = _chosen(ledger, key, wanted, repository, config)
    issues = selection.issues
    if not issues:
        raise _nothing(selection, ledger.counts(key), again=again)
    limits = config.issue_limits()
    target = IssuesTarget(
        repository=key,
        batches=plan(issues, limits, config.kind_of),
        challenger=challenger,
        unchallenged=unchallenged,
        by_choice=not config.challenger.enabled,
        limits=limits,
        guides=only(tuple(guides.items()), FIXING),
        tools=tools_of(issues) if config.issues.tool_fixes else (),
        not_allowed=selection.not_allowed,
    )
    spec, _left_out = new_spec("fix issues", repository, config, repository.head(), tests.tests, agents)
    dirty = uncommitted(repository)
    spec = replace(spec, again=again, issues=target, uncommitted=kept_names(dirty), uncommitted_count=len(dirty))
    spec = with_projects(spec, repository, tests)
    prospect = _prospect(ledger, reader, repository.root, target, selection.passed_over, statuses)
    made = IssuesPlan(
        spec=spec,
        notes=(
            *judges_note,
            *tests.notes,
            *_notes(spec, prospect, sorted({issue.path for issue in issues} & {*dirty})),
        ),
        issues=tuple({issue.id: issue for issue in issues}[number] for number in target.issues),
        prospect=prospect,
    )
    reader.engine.dispose()
    return made


def _notes(spec: RunSpec, prospect: KnownBeforeRun, dirty: Sequence[str]) -> tuple[str, ...]:
    """`dirty`: files with issues that differ from the commit."""
    notes = [*start_notes(spec), *(f"left out: {count} {why}" for why, count in prospect.passed_over.items())]
    if said := not_allowed_text(spec.issues_target.not_allowed):
        notes.append(said)
    if dirty:
        what = f"{len(dirty)} file(s) with issues have uncommitted changes, e.g. {one_line(dirty[0])}"
        notes.append(f"{what}: the run repairs commit {spec.base[:7]}")
    return (*notes, *((note,) if (note := beside(spec)) else ()))


def _prospect(
    ledger: IssueLedger, reader: RunReader, root: str, target: IssuesTarget, passed_over: Mapping[str, int],
    statuses: Sequence[Status],
) -> KnownBeforeRun:  # fmt: skip
    counts, absent = ledger.counts(target.repository), absent_of(ledger, target.repository, statuses)
    known = len(target.issues) + sum(passed_over.values()) + (absent or 0)
    return KnownBeforeRun(
        fix_usd=reader.mean_call_usd(root),
        challenge_usd=reader.mean_challenge_usd(root),
        others=max(sum(counts.get(status, 0) for status in statuses) - known, 0),
        absent=absent,
        passed_over=passed_over,
    )


def _chosen(
    ledger: IssueLedger, key: str, wanted: IssueFilter, repository: UserRepository, config: Config
) -> Selection:
    """Worst first, then oldest first; reads no more than a run takes."""
    weights = wanted.weights or WORST_FIRST
    found = itertools.chain.from_iterable(
        ledger.each(key, replace(wanted, weights=(weight,))) for weight in WORST_FIRST if weight in weights
    )
    of_kind = (issue for issue in found if not wanted.kinds or config.kind_of(issue.path) in wanted.kinds)
    waivers = waivers_of(repository.root, config)
    return choose(of_kind, frozenset(repository.tracked()), config.issues.per_run, waivers)


def _of_plan(backlog: RepositoryIssues, tasks: TasksOfPlan, per_run: int) -> Selection:
    """What is beyond the limit stays OPEN: the next run of the same plan takes it."""
    imported = import_tasks(backlog, tasks.source, tasks.works)
    issues = imported.issues
    if not issues and imported.lost:
        what = f"no task of {tasks.source} can be taken: {imported.lost} {TOO_ALIKE.partition(':')[0]}"
        raise UsageProblem("no-tasks", what, help="reword them in the plan")
    if not issues:
        what = f"every task of {tasks.source} that could be taken is done"
        raise UsageProblem("no-tasks", what, help=f"`reknit issues list --tool {tasks.source} --status all` shows them")
    most = min(per_run, tasks.most or per_run)
    over = {"beyond the limit of tasks per run": len(issues) - most, TOO_ALIKE: imported.lost}
    return Selection(issues[:most], {why: count for why, count in over.items() if count > 0}, NotAllowed())


def _nothing(selection: Selection, counts: Counts, *, again: bool) -> UsageProblem:
    if selection.passed_over:
        reasons = ", ".join(f"{count} {why}" for why, count in selection.passed_over.items())
        help_text = not_allowed_text(selection.not_allowed) or "`reknit issues list`"
        return UsageProblem("no-issues", f"no open issue can be worked on: {reasons}", help=help_text)
    if counts.get("OPEN"):
        what = f"{counts['OPEN']} issue(s) are open, but none is both selected and in its tools' newest report"
        return UsageProblem("no-issues", what, help="`reknit issues list` shows them; import a new report if it is old")
    if counts.get("FAILED") and not again:
        what = f"no issue is open; {counts['FAILED']} FAILED in an earlier run"
        return UsageProblem("no-issues", what, help="`reknit fix issues --again` retries them")
    what = "no issue of this repository is open"
    return UsageProblem("no-issues", what, help="`reknit issues import FILE…` imports the reports of your tools")


def _agents(
    place: Installation, config: Config, judges: Config
) -> tuple[list[AgentSettings], AgentSettings | None, str]:
    """Those that fix, in their order; the challenger, or why there is none. `judges`: its settings."""
    fixer, *fallback = fixers(config)
    challenger, unchallenged = _challenger(place, judges, fixer, fallback)
    if challenger:  # the judge must not have written any of it
        fallback = [agent for agent in fallback if agent.vendor != challenger.vendor]
    return [fixer, *fallback], challenger, unchallenged


def _challenger(
    place: Installation, config: Config, fixer: AgentSettings, fallback: Sequence[AgentSettings]
) -> tuple[AgentSettings | None, str]:
    """From another vendor than the fixer, preferably one not in `fallback`. Or why there is none."""
    settings = config.challenger
    if not settings.enabled:
        return None, "it is turned off (challenger.enabled)"
    if settings.agent:
        chosen = _set_up(agent_settings(config, settings.agent), config)
        if chosen.vendor == fixer.vendor:
            what = f"the challenger {chosen.name} is from the same vendor as the fixer, so it would judge its own work"
            raise UsageProblem("same-vendor", what, help="name another with --challenger")
        return chosen, ""
    others = list(signed_in(place, config, but={fixer.vendor}))
    used = {agent.vendor for agent in fallback}
    best = next((agent for agent in others if agent.vendor not in used), None) or next(iter(others), None)
    return (_set_up(best, config), "") if best else (None, "no agent from a second vendor is signed in")


def _set_up(agent: AgentSettings, config: Config) -> AgentSettings:
    settings = config.challenger
    return replace(agent, model=settings.model or agent.model, thinking_tokens=settings.thinking_budget)
