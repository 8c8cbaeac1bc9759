"""Turns `fix tests` into a frozen run: repository, base, tests, agent, limits. Spends nothing."""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.start.agents import find_signed_in_agents, get_agent_settings, list_fixers
from reknit.app.start.new_spec import RunPlan, add_projects, make_spec, make_start_notes, refuse_branch_in_the_way
from reknit.app.start.projects import ProjectSelection, projects_to_test
from reknit.core.agents.call import AgentSettings
from reknit.core.bug_state import check_bug_id
from reknit.core.errors import UsageError
from reknit.core.fix_tests.task import FixTests, HoldoutWriters
from reknit.core.hook.exports import FOLDER, is_export
from reknit.core.planning.plan_file.plan import PLANS
from reknit.core.repository.uncommitted import PROGRESS_FILES, record_names
from reknit.core.runs.spec import RunSpec, UncommittedWork, warn_of_uncommitted
from reknit.core.runs.view import RunView, get_task
from reknit.core.text.format import pluralize, suggest_similar, to_one_line


@dataclass(frozen=True)
class TestsPlan(RunPlan):
    """A planned run on tests."""

    not_carried: tuple[str, ...] = ()
    """Ignored files that the box does not show. They are for display: each name is reduced to one plain line."""


def plan_fix_tests(
    installation: Installation, folder: Path, test_names: Sequence[str], flags: Mapping[str, Any], *,
    again: bool = False, dirty: bool = False,
) -> TestsPlan:  # fmt: skip
    """Plan a run on tests. `dirty`: repair the working tree as it is, not the last commit."""
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), flags, installation.environment)
    refuse_branch_in_the_way(repository)
    test_paths = tuple(_resolve_from_root(name, folder, Path(repository.root)) for name in test_names)
    test_paths = () if "." in test_paths else test_paths
    _refuse_missing_files(repository, test_paths, dirty=dirty)
    selection = ProjectSelection(folder, test_paths, repository.dirty() if dirty else ())
    tests = projects_to_test(installation, repository, config, selection)
    if test_names and any(project.evidence == "exit code" for project in tests.tests):
        message = "the test command is judged by its exit code, so single tests cannot be named"
        raise UsageError("named-tests", message, help="`reknit fix tests` without names repairs the whole suite")
    spec, left_out = make_spec(
        FixTests(test_paths, again), repository, config, repository.head(), tests.tests, list_fixers(config)
    )
    spec = add_projects(spec, repository, tests)
    spec, notes = (
        _include_uncommitted(installation, repository, spec) if dirty else _record_uncommitted(repository, spec)
    )
    not_carried = tuple(map(to_one_line, left_out))
    hidden = (f"not shown to the box: {', '.join(not_carried[:4])}",) if not_carried else ()
    return TestsPlan(spec, (*make_start_notes(spec), *tests.notes, *notes, *hidden), not_carried)


def set_bug(plan: TestsPlan, bug: str) -> TestsPlan:
    """Set the id of the bug that the run repairs. Exactly one test must show the bug."""
    if len(plan.spec.task_as(FixTests).named_tests) != 1:
        message = f"{check_bug_id(bug)} needs the one test that shows it"
        raise UsageError("bug-test", message, help=f"`reknit fix tests PATH --bug {bug}`")
    return replace(plan, spec=replace(plan.spec, task=replace(plan.spec.task_as(FixTests), bug=check_bug_id(bug))))


def set_state_file(plan: TestsPlan) -> TestsPlan:
    """Have the run keep the state of the bug in a file of the repository."""
    folder = Path(plan.spec.repository, FOLDER)
    if folder.is_symlink():
        raise UsageError("state-file", f"{FOLDER} is a link, and no file is written through it")
    folder.mkdir(exist_ok=True)
    return replace(plan, spec=replace(plan.spec, task=replace(plan.spec.task_as(FixTests), writes_state=True)))


def set_hint(plan: TestsPlan, hint: str) -> TestsPlan:
    """Set what the person tells the run's agents."""
    return replace(plan, spec=replace(plan.spec, task=replace(plan.spec.task_as(FixTests), hint=hint)))


def add_case_writers(
    installation: Installation, plan: TestsPlan, flags: Mapping[str, Any], *, is_requested: bool
) -> TestsPlan:
    """Add the agents that may write further test cases. `is_requested`: a person wants it for this run."""
    config = load(Path(plan.spec.repository), flags, installation.environment)
    if is_requested and config.proof.holdout == "off":
        help_text = 'set `proof.holdout = "ask"` in your own config file: each hold-out costs one more agent call'
        raise UsageError("holdout", "hold-outs are turned off (proof.holdout)", help=help_text)
    if config.proof.holdout == "off" or (config.proof.holdout == "ask" and not is_requested):
        return plan
    target = HoldoutWriters(_choose_case_writers(installation, config, plan.spec.agents), config.proof.holdout_usd)
    return replace(plan, spec=replace(plan.spec, task=replace(plan.spec.task_as(FixTests), holdout=target)))


def _choose_case_writers(
    installation: Installation, config: Config, fixing: Sequence[AgentSettings]
) -> tuple[AgentSettings, ...]:
    """Choose agents. The fix's own vendor is known only after the fix, so any of them may turn out to be of it."""
    if config.proof.holdout_agent:
        agent = get_agent_settings(config, config.proof.holdout_agent)
        if agent.vendor == fixing[0].vendor:
            message = f"{agent.name} (proof.holdout_agent) is from the same vendor as the fixer"
            raise UsageError("same-vendor", message, help="name an agent from another vendor")
        if not agent.can_report:
            message = f"{agent.name} (proof.holdout_agent) cannot hand in test cases: it is a command of your own"
            raise UsageError("holdout", message, help="name claude, codex or gemini")
        return (agent,)
    agents = (*fixing, *find_signed_in_agents(installation, config, but={agent.vendor for agent in fixing}))
    return tuple(agent for agent in agents if agent.can_report)


def _record_uncommitted(repository: UserRepository, spec: RunSpec) -> tuple[RunSpec, tuple[str, ...]]:
    unseen = list_uncommitted(repository)
    spec = replace(spec, uncommitted=UncommittedWork(paths=record_names(unseen), count=len(unseen)))
    return spec, tuple(filter(None, [warn_of_uncommitted(spec)]))


def _include_uncommitted(
    installation: Installation, repository: UserRepository, spec: RunSpec
) -> tuple[RunSpec, tuple[str, ...]]:
    from reknit.app.start.uncommitted_work import commit_uncommitted  # late: few runs start like this

    work = commit_uncommitted(installation.gitdir(spec.run_id), repository, spec.run_id)
    secrets = [f"not part of the run, because it looks like a secret: {to_one_line(path)}" for path in work.secrets[:3]]
    if not work.paths:
        return spec, ("nothing is uncommitted, so this repairs the last commit", *secrets)
    files = pluralize(len(work.paths), "uncommitted file")
    note = f"includes {files}; `reknit apply {spec.run_id}` brings the fix into your working tree"
    return replace(spec, uncommitted=replace(spec.uncommitted, on_top_of=spec.base), base=work.commit), (note, *secrets)


_MAY_BE_OURS = (f"{FOLDER}/", ".reknit/", f"{PLANS}/")
"""Folders that git reports as one entry while nothing in them is tracked."""


def list_uncommitted(repository: UserRepository) -> tuple[str, ...]:
    """List uncommitted paths, without `reknit.toml`, which is read as it is, and without our own files."""
    dirty = [path for path in repository.dirty() if path != "reknit.toml" and not _is_ours(path)]
    new = [path for path in dirty if path in _MAY_BE_OURS and all(map(_is_ours, repository.untracked_in(path)))]
    return tuple(path for path in dirty if path not in new)


def _is_ours(path: str) -> bool:
    return is_export(path) or path in PROGRESS_FILES or path.startswith(f"{PLANS}/")


_SOURCE = re.compile(r".+\.(?:py|[cm]?[jt]sx?|go|rs|java|kt)")


def _refuse_missing_files(repository: UserRepository, paths: Sequence[str], *, dirty: bool) -> None:
    """Refuse a file that does not exist, or is not committed, before anything is run. Other names are ids of tests."""
    for path in (path.partition("::")[0] for path in paths):
        if _SOURCE.fullmatch(path) and not Path(repository.root, path).exists():
            near = suggest_similar(path, repository.tracked(), 0.6)
            raise UsageError("no-test-file", f"there is no file {path!r} here", help=near or "check its path")
        if _SOURCE.fullmatch(path) and not dirty and path in repository.untracked():
            message = f"{path!r} is not committed, and the run repairs the last commit"
            raise UsageError("no-test-file", message, help="commit it, or add `--dirty`")


_SEARCHED = 100
"""Number of recent runs that are searched for a fix that waits."""


def find_waiting_fix(installation: Installation, spec: RunSpec) -> RunView | None:
    """Return the run that repaired these tests at this commit, if its branch still waits to be merged."""
    branches = UserRepository(spec.repository).branches("reknit")
    if not branches:
        return None
    from reknit.store.database import open_store  # late: most runs are queued without a look at earlier ones
    from reknit.store.runs.reader import RunReader

    reader = RunReader(open_store(installation.database))
    for run in reader.runs(repository=spec.repository, limit=_SEARCHED):
        if f"refs/heads/reknit/{run.id}" in branches and _is_same_work(run, spec):
            fixed = {str(test) for receipt in reader.receipts(run.id) for test in receipt["tests"]}
            if _covers(run, spec.task_as(FixTests).named_tests, fixed):
                return run
    return None


def _covers(run: RunView, named: Sequence[str], fixed: Collection[str]) -> bool:
    """Return True if the run repaired all that is asked for now. A test that was not red needs a run of its own."""
    earlier = get_task(run).get("named_tests") or ()
    if not earlier:
        return all(test in fixed or "::" not in test for test in named)
    return [*named] == [*earlier] or bool(named and {*named} <= {*fixed})


def _is_same_work(run: RunView, spec: RunSpec) -> bool:
    """Return True if the run repaired this commit by the same test commands."""
    if (run.kind, run.ending, run.base, run.undone_at) != ("fix tests", "FIXED", spec.base, None):
        return False
    commands = [run.spec["tests"], *run.spec.get("other_projects", ())]  # type: ignore[misc]
    return [command["argv"] for command in commands] == [[*project.argv] for project in spec.projects]


def _resolve_from_root(name: str, folder: Path, root: Path) -> str:
    """Return a file or folder relative to the root; return any other name unchanged.

    People name files relative to the current folder.
    """
    file, separator, rest = name.partition("::")
    place = Path(os.path.normpath(folder.resolve() / file))  # not resolved: a link is reported by its own name
    if not place.exists() or not place.is_relative_to(root):
        return name
    return f"{place.relative_to(root)}{separator}{rest}"
