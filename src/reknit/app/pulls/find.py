"""Finds the pull request that a person means, and the rules that apply to it: never those of a stranger's branch."""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.config.waivers import RULES
from reknit.app.installation import Installation
from reknit.app.makers import forge_maker
from reknit.app.pulls.remotes import forge_places, forge_problem, with_variable
from reknit.core.errors import LoginNeeded, ReknitError, UsageProblem
from reknit.core.forge.permission import is_member
from reknit.core.forge.values import Actor, ForgeError, ForgePlace, Pull
from reknit.core.text.format import one_line
from reknit.ports.forge import Forge


def find_pull(
    place: Installation, repository: UserRepository, config: Config, number: int | None, slug: str, command: str
) -> tuple[ForgePlace, Pull]:
    """The pull request of a fork is in its upstream repository, so every remote is asked, the likeliest first.

    `command`: what the person typed, for the hint on how to name another one.
    """
    branch = repository.upstream()[1] or repository.branch()
    if of_pull := re.fullmatch(r"refs/pull/(\d+)/head", branch):  # as `gh pr checkout` leaves it
        number = number or int(of_pull[1])
    places = [where for where in _places(repository, config, number) if slug.lower() in ("", where.slug.lower())]
    if not places:
        what = f"no remote of this repository points to {slug}"
        raise UsageProblem("no-pr", what, help="run it in a clone of that repository, or add it as a remote")
    own = {where.slug.lower() for where in places}
    problems: dict[ForgePlace, ReknitError] = {}
    for where in places:
        try:
            forge = forge_maker(place.environment)(where)
            found = _numbered(forge, number) if number else _of_branch(forge, branch, own, command)
        except ForgeError as hindered:
            problems[where] = forge_problem(hindered.failure, where)
        except LoginNeeded as problem:
            problems[where] = with_variable(problem, where)
        else:
            if found:
                return where, found
    if len(problems) == len(places):
        raise problems[places[0]]
    raise _none(number, branch, [where.slug for where in places if where not in problems], problems, command)


def _places(repository: UserRepository, config: Config, number: int | None) -> list[ForgePlace]:
    try:
        return forge_places(repository, config)
    except UsageProblem as problem:
        what = f"#{number} cannot be looked up: {problem.what}" if number else _no_pull(problem.what)
        raise UsageProblem("no-pr", what, help=problem.help) from None


def _no_pull(why: str) -> str:
    return f"No PR for current branch. {why[:1].upper()}{why[1:]}"


def refuse_closed(pull: Pull) -> None:
    if pull.state != "open":
        raise UsageProblem("pr-closed", f"#{pull.number} is {pull.state}", help="reopen it, or name another one")


@contextlib.contextmanager
def rules_of(
    place: Installation, repository: UserRepository, where: ForgePlace, pull: Pull, files: Sequence[str] = ()
) -> Iterator[Path]:
    """The folder whose rules apply to tests and fixers: the working tree, or the base if that is a stranger's branch.

    `files`: further files that count as rules, besides the configuration.
    """
    # A parent: CI checks out the merge of the branch into its base (`refs/pull/N/merge`).
    commits = (repository.head(), *repository.parents())
    is_here = repository.branch() == pull.head_ref or pull.head_sha in commits
    if not is_here or is_trusted(place, where, pull):
        yield Path(repository.root)
        return
    with rules_at(repository, pull.base_sha, files) as folder:
        yield folder


@contextlib.contextmanager
def rules_at(
    repository: UserRepository, rev: str, files: Sequence[str] = (), folders: Sequence[str] = ()
) -> Iterator[Path]:
    """Write the configuration, these files and those in these folders to a folder, as they are in that commit.

    An empty `rev` has none.
    """
    with temporary_folder("reknit-rules-") as folder:
        there = (name for rules in folders for name in repository.files_in(rules, rev=rev))
        for name in (*RULES, *files, *there) if rev else ():  # git would read the index
            text = repository.read(name, rev=rev)
            if text is not None:
                Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, name).write_text(text, "utf-8")
        yield Path(folder)


def is_trusted(place: Installation, where: ForgePlace, pull: Pull) -> bool:
    try:
        me = forge_maker(place.environment)(where).whoami()
    except ForgeError:
        me = Actor("")
    return is_member(pull, me)


def differing_head(repository: UserRepository, pull: Pull, done: str) -> Iterator[str]:
    """`done`: what is done with the pushed commit."""
    if is_checked_out(repository, pull) and repository.head() != pull.head_sha:
        here, there = repository.head()[:7], pull.head_sha[:7]
        yield f"your {pull.head_ref} is at {here}; the pushed commit {there} is {done}"


def is_checked_out(repository: UserRepository, pull: Pull) -> bool:
    return pull.head_ref in (repository.branch(), repository.upstream()[1])


def file_count_text(paths: Sequence[str]) -> str:
    return f"{len(paths)} file(s), e.g. {one_line(paths[0])}"


def _none(
    number: int | None, branch: str, asked: Sequence[str], problems: Mapping[ForgePlace, ReknitError], command: str
) -> UsageProblem:
    """A remote that could not be asked may have it, so it is mentioned."""
    unseen = "".join(f"; {where.slug} could not be checked: {problem.what}" for where, problem in problems.items())
    if number:
        return UsageProblem("no-pr", f"there is no pull request #{number} in {', '.join(asked)}{unseen}")
    what = _no_pull(f"{branch!r} has none open in {', '.join(asked)}{unseen}")
    return UsageProblem("no-pr", what, help=f"`gh pr create` opens one; `{command} N` names another")


def _numbered(forge: Forge, number: int) -> Pull | None:
    try:
        return forge.pull(number)
    except ForgeError as hindered:
        if hindered.failure.kind == "missing":
            return None
        raise


def _of_branch(forge: Forge, branch: str, own: set[str], command: str) -> Pull | None:
    """If several forks have a branch of that name, the one this clone knows."""
    if not branch:
        raise UsageProblem("no-pr", _no_pull("no branch is checked out"), help=f"`{command} N`")
    return next((pull for pull in forge.pulls_of(branch) if pull.head_slug.lower() in own), None)
