"""Turns `fix pr` into a frozen run: which pull request, on which forge, who fixes, who reviews. Spends nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.pulls.find import (
    checkout_rules,
    find_pull,
    format_file_count,
    is_checked_out,
    is_trusted,
    note_differing_head,
    refuse_closed,
)
from reknit.app.runs.liveness import refuse_claimed
from reknit.app.start.agents import find_signed_in_agents, get_agent_settings, list_fixers, set_pull_thinking
from reknit.app.start.fix_tests import list_uncommitted
from reknit.app.start.instructions.judges import checkout_judges, read_reviewers
from reknit.app.start.new_spec import RunPlan, add_projects, make_spec, make_start_notes
from reknit.app.start.projects import list_own_files, projects_to_test
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.reviewer import Reviewer, select_by_name
from reknit.core.errors import UsageError
from reknit.core.fix_pr.task import FixPullRequest, make_pull_key
from reknit.core.forge.values import Pull
from reknit.core.repository.uncommitted import record_names, warn_uncommitted
from reknit.core.runs.spec import ProjectSetups, UncommittedWork
from reknit.core.text.format import to_one_line

OFF = "off"


def plan_fix_pr(
    installation: Installation, folder: Path, number: int | None, flags: Mapping[str, Any], *,
    slug: str = "", attended: bool = False,
) -> RunPlan:  # fmt: skip
    """Plan a run on a pull request. `slug`: the repository the number belongs to, if given."""
    repository = UserRepository.find(str(folder))
    mine = load(None, flags, installation.environment)
    forge_place, pull = find_pull(installation, repository, mine, number, slug, "reknit fix pr")
    refuse_claimed(installation, make_pull_key(forge_place, pull.number))
    dirty = list_uncommitted(repository)
    notes = tuple(_make_notes(repository, pull, dirty, has_number=number is not None))
    with checkout_judges(installation, repository, flags, pull_base=pull.base_sha) as judges:
        guides = _read_guides(judges.rules, judges.config, installation)
    with checkout_rules(installation, repository, forge_place, pull, list_own_files(repository)) as root:
        config = load(root, flags, installation.environment)
        tests = projects_to_test(installation, repository, config, rules=root)
    refuse_closed(pull)
    target = FixPullRequest(
        place=forge_place,
        number=pull.number,
        url=pull.url,
        title=to_one_line(pull.title)[:200],
        reviewer=_choose_reviewer(installation, judges.config),
        comment=config.forge.comment,
        limits=config.pull_limits(),
        attended=attended,
        guides=guides,
    )
    spec, _left_out = make_spec(target, repository, config, pull.head_sha, tests.tests, list_fixers(config))
    spec = replace(
        spec,
        # a stranger's pull request does not choose what is installed
        setups=ProjectSetups(base="" if is_trusted(installation, forge_place, pull) else pull.base_sha),
        uncommitted=UncommittedWork(paths=record_names(dirty), count=len(dirty)),
    )
    spec = add_projects(spec, repository, tests)
    return RunPlan(spec, (*make_start_notes(spec), *tests.notes, *notes))


def _make_notes(repository: UserRepository, pull: Pull, dirty: Sequence[str], *, has_number: bool) -> Iterator[str]:
    """Yield notes. Raise if the run would certainly miss changed files: those on the pull request's own branch."""
    yield from note_differing_head(repository, pull, "repaired")
    if not dirty:
        return
    changed = sorted({*dirty} & {*repository.tracked()})
    if changed and (is_checked_out(repository, pull) or not has_number):
        message = f"Uncommitted changes.  {format_file_count(changed)}; `fix pr` repairs what is pushed"
        raise UsageError("dirty-tree", message, help="commit or stash them, then `reknit fix pr`")
    yield warn_uncommitted(dirty, len(dirty), on_forge=True)


def _read_guides(root: Path, config: Config, installation: Installation) -> tuple[Reviewer, ...]:
    """Read reviewer files only if some are requested: a wrong one must not stop a run that needs none."""
    names = config.checks.review.reviewers
    return (
        select_by_name(read_reviewers(root, installation.environment), names, "checks.review.reviewers")
        if names
        else ()
    )


def _choose_reviewer(installation: Installation, config: Config) -> AgentSettings | None:
    """Choose another vendor, which notices other things than the fixer; if none is signed in, the fixer itself."""
    agent_name = config.checks.review.agent
    if agent_name == OFF:
        return None
    if agent_name:
        return set_pull_thinking(get_agent_settings(config, agent_name))
    fixer = get_agent_settings(config, config.fixer)
    return set_pull_thinking(next(find_signed_in_agents(installation, config, but=(fixer.vendor,)), fixer))
