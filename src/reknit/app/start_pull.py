"""Turns `fix pr` into a frozen run: which pull request, on which forge, who fixes, who reviews. It spends nothing."""

import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reknit.adapters.vcs.user_repository import UserRepository
from reknit.app.config import Config, load
from reknit.app.forge_places import forge_places, forge_problem, with_variable
from reknit.app.installation import Installation
from reknit.app.queries import with_the_dead
from reknit.app.start import VENDORS, agent_settings, carried, new_run_id, test_command
from reknit.app.wiring import agent_maker, forge_maker
from reknit.core.agent_call import AgentSettings
from reknit.core.errors import LoginNeeded, ReknitError, UsageProblem
from reknit.core.forge import Actor, ForgePlace, Hindered, Pull
from reknit.core.pull_wording import taken
from reknit.core.run import PullTarget, RunSpec, WorkspaceSettings
from reknit.core.trust import is_member
from reknit.core.wording import one_line
from reknit.ports import Forge
from reknit.store.database import open_store
from reknit.store.run_reader import RunReader

OFF = "off"


@dataclass(frozen=True)
class PullPlan:
    spec: RunSpec
    target: PullTarget
    notes: tuple[str, ...]


def plan_fix_pr(
    place: Installation, folder: Path, number: int | None, flags: Mapping[str, Any], *,
    slug: str = "", attended: bool = False,
) -> PullPlan:  # fmt: skip
    """`slug`: the repository the number is in, where that was said."""
    repository = UserRepository.find(str(folder))
    where, pull = _find(place, repository, load(None, flags, place.environment), number, slug)
    notes = tuple(_notes(repository, pull, named=number is not None))
    config = _rules(place, repository, where, pull, flags)
    if pull.state != "open":
        raise UsageProblem("pr-closed", f"#{pull.number} is {pull.state}", help="reopen it, or name another one")
    target = PullTarget(
        place=where,
        number=pull.number,
        url=pull.url,
        title=one_line(pull.title)[:200],
        reviewer=_reviewer(place, config),
        comment=config.forge.comment,
        limits=config.pull_limits(),
        attended=attended,
    )
    _refuse_taken(place, target)
    carry, _left_out = carried(repository, config)
    spec = RunSpec(
        run_id=new_run_id(),
        kind="fix pr",
        repository=repository.root,
        base=pull.head_sha,
        tests=test_command(repository, config),
        named=(),
        agent=agent_settings(config, config.fixer),
        box=config.box,
        limits=config.limits(),
        workspace=WorkspaceSettings(carry, config.workspace.setup, config.workspace.show),
        created_at=time.time(),
        fallback=tuple(agent_settings(config, name) for name in config.fallback if name != config.fixer),
        pull=target,
    )
    return PullPlan(spec, target, notes)


def _rules(
    place: Installation, repository: UserRepository, where: ForgePlace, pull: Pull, flags: Mapping[str, Any]
) -> Config:
    """A stranger's branch does not bring its own: there the repository's file is that of the base."""
    is_here = repository.branch() == pull.head_ref or repository.head() == pull.head_sha
    if not is_here or is_member(pull, _me(place, where)):
        return load(Path(repository.root), flags, place.environment)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("reknit.toml", "pyproject.toml"):
            text = repository.read(name, rev=pull.base_sha)
            if text is not None:
                Path(folder, name).write_text(text, "utf-8")
        return load(Path(folder), flags, place.environment)


def _me(place: Installation, where: ForgePlace) -> Actor:
    try:
        return forge_maker(place.environment)(where).whoami()
    except Hindered:
        return Actor("")


def _find(
    place: Installation, repository: UserRepository, config: Config, number: int | None, slug: str
) -> tuple[ForgePlace, Pull]:
    """A clone of a fork has the pull request at its upstream, so every remote is asked, the likeliest first."""
    branch = repository.upstream()[1] or repository.branch()
    if of_pull := re.fullmatch(r"refs/pull/(\d+)/head", branch):  # as `gh pr checkout` leaves it
        number = number or int(of_pull[1])
    places = [where for where in forge_places(repository, config) if slug.lower() in ("", where.slug.lower())]
    if not places:
        what = f"no remote of this repository is {slug}"
        raise UsageProblem("no-pr", what, help="run it in a clone of that repository, or add it as a remote")
    own = {where.slug.lower() for where in places}
    problems: dict[ForgePlace, ReknitError] = {}
    for where in places:
        try:
            forge = forge_maker(place.environment)(where)
            found = _numbered(forge, number) if number else _of_branch(forge, branch, own)
        except Hindered as hindered:
            problems[where] = forge_problem(hindered.hindrance, where)
        except LoginNeeded as problem:
            problems[where] = with_variable(problem, where)
        else:
            if found:
                return where, found
    if len(problems) == len(places):
        raise problems[places[0]]
    raise _none(number, branch, [where.slug for where in places if where not in problems], problems)


def _none(
    number: int | None, branch: str, asked: Sequence[str], problems: Mapping[ForgePlace, ReknitError]
) -> UsageProblem:
    """A remote that could not be asked may have it, so it is told."""
    unseen = "".join(f"; {where.slug} was not seen: {problem.what}" for where, problem in problems.items())
    if number:
        return UsageProblem("no-pr", f"there is no pull request #{number} in {', '.join(asked)}{unseen}")
    what = f"No PR for current branch.  {branch!r} has none open in {', '.join(asked)}{unseen}"
    return UsageProblem("no-pr", what, help="`gh pr create` opens one; `reknit fix pr N` names another")


def _numbered(forge: Forge, number: int) -> Pull | None:
    try:
        return forge.pull(number)
    except Hindered as hindered:
        if hindered.hindrance.kind == "missing":
            return None
        raise


def _of_branch(forge: Forge, branch: str, own: set[str]) -> Pull | None:
    """Of several forks with a branch of that name, the one this clone knows."""
    if not branch:
        raise UsageProblem("no-pr", "No PR for current branch.  no branch is checked out", help="`reknit fix pr N`")
    return next((pull for pull in forge.pulls_of(branch) if pull.head_slug.lower() in own), None)


def _notes(repository: UserRepository, pull: Pull, *, named: bool) -> Iterator[str]:
    """Raises where changed files would surely be missed: those of the pull request's own branch."""
    is_there = pull.head_ref in (repository.branch(), repository.upstream()[1])
    if is_there and repository.head() != pull.head_sha:
        yield f"your {pull.head_ref} is at {repository.head()[:7]}; what is pushed, {pull.head_sha[:7]}, is repaired"
    dirty = [path for path in repository.dirty() if path != "reknit.toml"]  # that one is read as it lies there
    if not dirty:
        return
    changed = sorted({*dirty} & {*repository.tracked()})
    if changed and (is_there or not named):
        what = f"Uncommitted changes.  {_some(changed)}; `fix pr` repairs what is pushed"
        raise UsageProblem("dirty-tree", what, help="commit or stash them, then `reknit fix pr`")
    yield f"not committed and not seen: {_some(changed or dirty)}; what is pushed is repaired"


def _some(paths: Sequence[str]) -> str:
    return f"{len(paths)} file(s), e.g. {one_line(paths[0])}"


def _refuse_taken(place: Installation, target: PullTarget) -> None:
    place.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = open_store(place.database)
    reader = RunReader(database)
    holder = reader.holder(target.key)
    runs = with_the_dead(place, reader, [reader.run(holder)]) if holder else []
    database.dispose()
    if runs:
        raise taken(runs[0])


def _reviewer(place: Installation, config: Config) -> AgentSettings | None:
    """Another vendor than the fixer's sees other things; where none is signed in, the fixer itself is asked."""
    chosen = config.checks.review.agent
    if chosen == OFF:
        return None
    if chosen:
        return agent_settings(config, chosen)
    fixer = agent_settings(config, config.fixer)
    for settings in (agent_settings(config, name) for name in VENDORS):
        facts = agent_maker(place.environment, settings).facts() if settings.kind != fixer.kind else None
        if facts and facts.found and facts.login:
            return settings
    return fixer
