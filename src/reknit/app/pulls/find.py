"""Finds the pull request that a person means, and the rules that apply to it: never those of a stranger's branch."""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import RULES, Config
from reknit.app.installation import Installation
from reknit.app.makers import make_forge_maker
from reknit.app.pulls.remotes import forge_problem, list_forge_places, name_token_variable
from reknit.core.errors import LoginNeededError, ReknitError, UsageError
from reknit.core.forge.permission import is_member
from reknit.core.forge.values import Actor, ForgeError, ForgePlace, Pull
from reknit.core.text.format import to_one_line
from reknit.ports.forge import Forge


def find_pull(
    installation: Installation, repository: UserRepository, config: Config, number: int | None, slug: str, command: str
) -> tuple[ForgePlace, Pull]:
    """Find the pull request that a person means.

    The pull request of a fork is in its upstream repository, so this asks every remote, the likeliest first.
    `command`: the command that the person typed, for the hint on how to name another pull request.
    """
    branch = repository.upstream()[1] or repository.branch()
    if of_pull := re.fullmatch(r"refs/pull/(\d+)/head", branch):  # `gh pr checkout` sets this upstream
        number = number or int(of_pull[1])
    places = [
        forge_place
        for forge_place in _list_forge_places(repository, config, number)
        if slug.lower() in ("", forge_place.slug.lower())
    ]
    if not places:
        message = f"no remote of this repository points to {slug}"
        raise UsageError("no-pr", message, help="run it in a clone of that repository, or add it as a remote")
    own = {forge_place.slug.lower() for forge_place in places}
    problems: dict[ForgePlace, ReknitError] = {}
    for forge_place in places:
        try:
            forge = make_forge_maker(installation.environment)(forge_place)
            pull = _read_pull(forge, number) if number else _find_pull_of_branch(forge, branch, own, command)
        except ForgeError as error:
            problems[forge_place] = forge_problem(error.failure, forge_place)
        except LoginNeededError as problem:
            problems[forge_place] = name_token_variable(problem, forge_place)
        else:
            if pull:
                return forge_place, pull
    if len(problems) == len(places):
        raise problems[places[0]]
    raise _no_pull_problem(
        number, branch, [forge_place.slug for forge_place in places if forge_place not in problems], problems, command
    )


def _list_forge_places(repository: UserRepository, config: Config, number: int | None) -> list[ForgePlace]:
    try:
        return list_forge_places(repository, config)
    except UsageError as problem:
        message = f"#{number} cannot be looked up: {problem.message}" if number else _no_pull_message(problem.message)
        raise UsageError("no-pr", message, help=problem.help) from None


def _no_pull_message(why: str) -> str:
    return f"No PR for current branch. {why[:1].upper()}{why[1:]}"


def refuse_closed(pull: Pull) -> None:
    """Raise if the pull request is merged or closed."""
    if pull.state != "open":
        raise UsageError("pr-closed", f"#{pull.number} is {pull.state}", help="reopen it, or name another one")


@contextlib.contextmanager
def checkout_rules(
    installation: Installation,
    repository: UserRepository,
    forge_place: ForgePlace,
    pull: Pull,
    files: Sequence[str] = (),
) -> Iterator[Path]:
    """Yield the folder whose rules apply to tests and fixers.

    It is the working tree, or a copy of the base if the working tree is a stranger's branch. `files`: files that
    count as rules besides the configuration.
    """
    # A parent: CI checks out the merge of the branch into its base (`refs/pull/N/merge`).
    commits = (repository.head(), *repository.parents())
    is_here = repository.branch() == pull.head_ref or pull.head_sha in commits
    if not is_here or is_trusted(installation, forge_place, pull):
        yield Path(repository.root)
        return
    with checkout_rules_at(repository, pull.base_sha, files) as folder:
        yield folder


@contextlib.contextmanager
def checkout_rules_at(
    repository: UserRepository, rev: str, files: Sequence[str] = (), folders: Sequence[str] = ()
) -> Iterator[Path]:
    """Write the configuration, these files and those in these folders to a folder, as they are in that commit.

    An empty `rev` has none.
    """
    with temporary_folder("reknit-rules-") as folder:
        paths = (name for rules in folders for name in repository.files_in(rules, rev=rev))
        for name in (*RULES, *files, *paths) if rev else ():  # git would read the index
            text = repository.read(name, rev=rev)
            if text is not None:
                Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, name).write_text(text, "utf-8")
        yield Path(folder)


def is_trusted(installation: Installation, forge_place: ForgePlace, pull: Pull) -> bool:
    """Return True if the author of the pull request is a member of the repository, or the user of this login."""
    try:
        me = make_forge_maker(installation.environment)(forge_place).whoami()
    except ForgeError:
        me = Actor("")
    return is_member(pull, me)


def note_differing_head(repository: UserRepository, pull: Pull, action: str) -> Iterator[str]:
    """Yield a note if the checked-out branch differs from the pushed commit.

    `action`: past participle that says how the run treats the pushed commit, such as `repaired`.
    """
    if is_checked_out(repository, pull) and repository.head() != pull.head_sha:
        here, there = repository.head()[:7], pull.head_sha[:7]
        yield f"your {pull.head_ref} is at {here}; the pushed commit {there} is {action}"


def is_checked_out(repository: UserRepository, pull: Pull) -> bool:
    """Return True if the branch of the pull request is checked out here."""
    return pull.head_ref in (repository.branch(), repository.upstream()[1])


def format_file_count(paths: Sequence[str]) -> str:
    """Return the number of files and an example."""
    return f"{len(paths)} file(s), e.g. {to_one_line(paths[0])}"


def _no_pull_problem(
    number: int | None, branch: str, slugs: Sequence[str], problems: Mapping[ForgePlace, ReknitError], command: str
) -> UsageError:
    """Return the problem, with every remote that could not be asked: one of them may have the pull request."""
    unseen = "".join(
        f"; {forge_place.slug} could not be checked: {problem.message}" for forge_place, problem in problems.items()
    )
    if number:
        return UsageError("no-pr", f"there is no pull request #{number} in {', '.join(slugs)}{unseen}")
    message = _no_pull_message(f"{branch!r} has none open in {', '.join(slugs)}{unseen}")
    return UsageError("no-pr", message, help=f"`gh pr create` opens one; `{command} N` names another")


def _read_pull(forge: Forge, number: int) -> Pull | None:
    try:
        return forge.pull(number)
    except ForgeError as hindered:
        if hindered.failure.kind == "missing":
            return None
        raise


def _find_pull_of_branch(forge: Forge, branch: str, own: set[str], command: str) -> Pull | None:
    """Return the open pull request of this branch. Forks may use the same branch name, so its repository counts."""
    if not branch:
        raise UsageError("no-pr", _no_pull_message("no branch is checked out"), help=f"`{command} N`")
    return next((pull for pull in forge.pulls_of(branch) if pull.head_slug.lower() in own), None)
