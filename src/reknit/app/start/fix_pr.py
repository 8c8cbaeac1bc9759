"""Turns `fix pr` into a frozen run: which pull request, on which forge, who fixes, who reviews. Spends nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.pulls.find import (
    differing_head,
    file_count_text,
    find_pull,
    is_checked_out,
    is_trusted,
    refuse_closed,
    rules_of,
)
from reknit.app.runs.claims import refuse_taken
from reknit.app.start.agent_settings import agent_settings, fixers, pull_reader
from reknit.app.start.fix_tests import uncommitted
from reknit.app.start.instructions.judges import judges_of
from reknit.app.start.instructions.reviewer_files import reviewers
from reknit.app.start.new_spec import new_spec, with_projects
from reknit.app.start.projects import own_files, projects_to_test
from reknit.app.start.run_plan import RunPlan, start_notes
from reknit.app.start.signed_in_agents import signed_in
from reknit.core.agents.call import AgentSettings
from reknit.core.agents.reviewer import Reviewer
from reknit.core.agents.reviewer_choice import named
from reknit.core.errors import UsageProblem
from reknit.core.forge.values import Pull
from reknit.core.repository.uncommitted import kept_names, not_looked_at
from reknit.core.runs.spec import PullTarget, pull_key
from reknit.core.text.format import one_line

OFF = "off"


def plan_fix_pr(
    place: Installation, folder: Path, number: int | None, flags: Mapping[str, Any], *,
    slug: str = "", attended: bool = False,
) -> RunPlan:  # fmt: skip
    """`slug`: the repository the number belongs to, if given."""
    repository = UserRepository.find(str(folder))
    mine = load(None, flags, place.environment)
    where, pull = find_pull(place, repository, mine, number, slug, "reknit fix pr")
    refuse_taken(place, pull_key(where, pull.number))
    dirty = uncommitted(repository)
    notes = tuple(_notes(repository, pull, dirty, named=number is not None))
    with judges_of(place, repository, flags, pull_base=pull.base_sha) as judges:
        guides = _guides(judges.rules, judges.config, place)
    with rules_of(place, repository, where, pull, own_files(repository)) as root:
        config = load(root, flags, place.environment)
        tests = projects_to_test(place, repository, config, rules=root)
    refuse_closed(pull)
    target = PullTarget(
        place=where,
        number=pull.number,
        url=pull.url,
        title=one_line(pull.title)[:200],
        reviewer=_reviewer(place, judges.config),
        comment=config.forge.comment,
        limits=config.pull_limits(),
        attended=attended,
        guides=guides,
    )
    spec, _left_out = new_spec("fix pr", repository, config, pull.head_sha, tests.tests, fixers(config))
    spec = replace(
        spec,
        pull=target,
        uncommitted=kept_names(dirty),
        uncommitted_count=len(dirty),
        # a stranger's pull request does not choose what is installed
        setup_base="" if is_trusted(place, where, pull) else pull.base_sha,
    )
    spec = with_projects(spec, repository, tests)
    return RunPlan(spec, (*start_notes(spec), *tests.notes, *notes))


def _notes(repository: UserRepository, pull: Pull, dirty: Sequence[str], *, named: bool) -> Iterator[str]:
    """Raises if changed files would certainly be missed: those on the pull request's own branch."""
    yield from differing_head(repository, pull, "repaired")
    if not dirty:
        return
    changed = sorted({*dirty} & {*repository.tracked()})
    if changed and (is_checked_out(repository, pull) or not named):
        what = f"Uncommitted changes.  {file_count_text(changed)}; `fix pr` repairs what is pushed"
        raise UsageProblem("dirty-tree", what, help="commit or stash them, then `reknit fix pr`")
    yield not_looked_at(dirty, len(dirty), on_forge=True)


def _guides(root: Path, config: Config, place: Installation) -> tuple[Reviewer, ...]:
    """Reviewer files are read only if some are asked for: one that is wrong does not stop a run that needs none."""
    names = config.checks.review.reviewers
    return named(reviewers(root, place.environment), names, "checks.review.reviewers") if names else ()


def _reviewer(place: Installation, config: Config) -> AgentSettings | None:
    """Another vendor notices other things than the fixer; if none is signed in, the fixer itself reviews."""
    chosen = config.checks.review.agent
    if chosen == OFF:
        return None
    if chosen:
        return pull_reader(agent_settings(config, chosen))
    fixer = agent_settings(config, config.fixer)
    return pull_reader(next(signed_in(place, config, but=(fixer.vendor,)), fixer))
