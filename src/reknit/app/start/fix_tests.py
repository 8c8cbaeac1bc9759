"""Turns `fix tests` into a frozen run: repository, base, tests, agent, limits. Spends nothing."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.start.agent_settings import agent_settings, fixers
from reknit.app.start.new_spec import new_spec, with_projects
from reknit.app.start.projects import ProjectSelection, projects_to_test
from reknit.app.start.run_plan import RunPlan, start_notes
from reknit.app.start.workspace import refuse_branch_in_the_way
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.holdout_target import HoldoutTarget
from reknit.core.bug_state import checked_bug_id
from reknit.core.errors import UsageProblem
from reknit.core.hook.exports import FOLDER, is_export
from reknit.core.planning.plan_file.plan import PLANS
from reknit.core.repository.uncommitted import kept_names
from reknit.core.runs.spec import RunSpec, beside
from reknit.core.text.format import counted, one_line


@dataclass(frozen=True)
class TestsPlan(RunPlan):
    not_carried: tuple[str, ...] = ()
    """For display: names come from the repository, so each is reduced to one plain line."""


def plan_fix_tests(
    place: Installation, folder: Path, named: Sequence[str], flags: Mapping[str, Any], *,
    again: bool = False, dirty: bool = False,
) -> TestsPlan:  # fmt: skip
    """`dirty`: repair the working tree as it is, not the last commit."""
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), flags, place.environment)
    refuse_branch_in_the_way(repository)
    wanted = tuple(_from_the_root(name, folder, Path(repository.root)) for name in named)
    wanted = () if "." in wanted else wanted
    selection = ProjectSelection(folder, wanted, repository.dirty() if dirty else ())
    tests = projects_to_test(place, repository, config, selection)
    if named and any(project.evidence == "exit code" for project in tests.tests):
        what = "the test command is judged by its exit code, so single tests cannot be named"
        raise UsageProblem("named-tests", what, help="`reknit fix tests` without names repairs the whole suite")
    spec, left_out = new_spec("fix tests", repository, config, repository.head(), tests.tests, fixers(config))
    spec = with_projects(replace(spec, named=wanted, again=again), repository, tests)
    spec, notes = _with_working_tree(place, repository, spec) if dirty else _without_working_tree(repository, spec)
    not_carried = tuple(map(one_line, left_out))
    hidden = (f"not shown to the box: {', '.join(not_carried[:4])}",) if not_carried else ()
    return TestsPlan(spec, (*start_notes(spec), *tests.notes, *notes, *hidden), not_carried)


def for_bug(plan: TestsPlan, bug: str) -> TestsPlan:
    """The run of a bug that has an id of its own, and one test that shows it."""
    if len(plan.spec.named) != 1:
        what = f"{checked_bug_id(bug)} needs the one test that shows it"
        raise UsageProblem("bug-test", what, help=f"`reknit fix tests PATH --bug {bug}`")
    return replace(plan, spec=replace(plan.spec, bug=checked_bug_id(bug)))


def with_holdout(place: Installation, plan: TestsPlan, flags: Mapping[str, Any], *, asked: bool) -> TestsPlan:
    """With the agents that may write further test cases. `asked`: by a person, for this run."""
    config = load(Path(plan.spec.repository), flags, place.environment)
    if asked and config.proof.holdout == "off":
        help_text = 'set `proof.holdout = "ask"` in your own config file: each hold-out costs one more agent call'
        raise UsageProblem("holdout", "hold-outs are turned off (proof.holdout)", help=help_text)
    if config.proof.holdout == "off" or (config.proof.holdout == "ask" and not asked):
        return plan
    target = HoldoutTarget(_case_writers(place, config, plan.spec.agents), config.proof.holdout_usd)
    return replace(plan, spec=replace(plan.spec, holdout=target))


def _case_writers(place: Installation, config: Config, fixing: Sequence[AgentSettings]) -> tuple[AgentSettings, ...]:
    """Any of them may turn out to be of the fix's own vendor: which agent repairs is known only then."""
    if config.proof.holdout_agent:
        chosen = agent_settings(config, config.proof.holdout_agent)
        if chosen.vendor == fixing[0].vendor:
            what = f"{chosen.name} (proof.holdout_agent) is from the same vendor as the fixer"
            raise UsageProblem("same-vendor", what, help="name an agent from another vendor")
        if not chosen.can_report:
            what = f"{chosen.name} (proof.holdout_agent) cannot hand in test cases: it is a command of your own"
            raise UsageProblem("holdout", what, help="name claude, codex or gemini")
        return (chosen,)
    from reknit.app.start.signed_in_agents import signed_in  # late: few runs start like this

    known = (*fixing, *signed_in(place, config, but={agent.vendor for agent in fixing}))
    return tuple(agent for agent in known if agent.can_report)


def _without_working_tree(repository: UserRepository, spec: RunSpec) -> tuple[RunSpec, tuple[str, ...]]:
    unseen = uncommitted(repository)
    spec = replace(spec, uncommitted=kept_names(unseen), uncommitted_count=len(unseen))
    return spec, tuple(filter(None, [beside(spec)]))


def _with_working_tree(
    place: Installation, repository: UserRepository, spec: RunSpec
) -> tuple[RunSpec, tuple[str, ...]]:
    from reknit.app.start.uncommitted_work import commit_uncommitted  # late: few runs start like this

    work = commit_uncommitted(place.gitdir(spec.run_id), repository, spec.run_id)
    secrets = [f"not part of the run, because it looks like a secret: {one_line(path)}" for path in work.secrets[:3]]
    if not work.paths:
        return spec, ("nothing is uncommitted, so this repairs the last commit", *secrets)
    files = counted(len(work.paths), "uncommitted file")
    note = f"includes {files}; `reknit apply {spec.run_id}` brings the fix into your working tree"
    return replace(spec, base=work.commit, on_top_of=spec.base), (note, *secrets)


_MAY_BE_OURS = (f"{FOLDER}/", ".reknit/", f"{PLANS}/")
"""Folders that nothing of is tracked are one entry."""


def uncommitted(repository: UserRepository) -> tuple[str, ...]:
    """Without `reknit.toml`, which is read as it is, and without our own files."""
    dirty = [path for path in repository.dirty() if path != "reknit.toml" and not _is_ours(path)]
    new = [path for path in dirty if path in _MAY_BE_OURS and all(map(_is_ours, repository.untracked_in(path)))]
    return tuple(path for path in dirty if path not in new)


def _is_ours(path: str) -> bool:
    return is_export(path) or path.startswith(f"{PLANS}/")


def _from_the_root(name: str, folder: Path, root: Path) -> str:
    """A file or folder is named relative to the current folder, as people type it there; anything else is kept."""
    file, found, rest = name.partition("::")
    place = Path(os.path.normpath(folder.resolve() / file))  # not resolved: a link is reported by its own name
    if not place.exists() or not place.is_relative_to(root):
        return name
    return f"{place.relative_to(root)}{found}{rest}"
