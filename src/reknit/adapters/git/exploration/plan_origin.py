"""Whether a plan in the working tree is the person's own: a branch that someone else wrote may have brought it."""

import itertools
import unicodedata

from reknit.adapters.git.exploration.history import default_branch
from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.planning.plan_file.results import without_results

_MADE = ("commit:", "commit (initial):", "commit (merge):")
"""How the reflog begins for a commit whose content the person chose."""
_AMENDED = "commit (amend):"
_BEING_BROUGHT = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")
"""Commits of which a person has not finished to take over the files."""


def why_not_own(repository: UserRepository, path: str, text: str) -> str:
    """Why it does not count; empty: it does. `path`: from the top of the repository."""
    for rev in _BEING_BROUGHT:
        brought = repository.read(path, rev=rev)
        if brought is not None and _written(brought) == _written(text):
            return f"{rev} has it exactly as it is here: finish or abort that first"
    committed = repository.read(path)
    if committed is None:
        return _why_foreign(repository, path)
    if _is_edited(repository, path, committed, text):
        return ""
    branch, _why = default_branch(repository.root)
    if branch and repository.read(path, rev=f"refs/remotes/origin/{branch}") == committed:
        return ""
    last = _line(repository, "rev-list", "-1", "HEAD", "--", path)
    if last and last in _committed_here(repository, path):
        return ""
    where = f"not on origin's default branch {branch}" if branch else "origin does not say what its default branch is"
    return (
        f"it is committed exactly as it is here, the last commit that changed it was not made here, and it is {where}"
    )


def _why_foreign(repository: UserRepository, path: str) -> str:
    """Of a file that is not committed under this name: a commit may have brought it in another way."""
    names = {_folded(each) for each in itertools.accumulate(path.split("/"), lambda folder, name: f"{folder}/{name}")}
    found = next((each for each in repository.tracked() if _folded(each) in names), "")
    if not found:
        return ""
    if _folded(found) != _folded(path):
        return f"{found} is a submodule or a link, so it belongs to another repository"
    return f"{found} is committed, and on some systems that is the same file"


def _folded(path: str) -> str:
    """The same for names that a file system may take for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", path).casefold())


def _is_edited(repository: UserRepository, path: str, committed: str, text: str) -> bool:
    """As git sees it: what attributes make of the file is no edit, nor is what a run wrote."""
    if path not in repository.dirty():
        return False
    checked_out = git_as_user(
        repository.root, "cat-file", "--filters", f"HEAD:{path}", env=repository.without_filters()
    )
    brought = (committed, checked_out.stdout.decode("utf-8", "replace"))
    return all(_written(each) != _written(text) for each in brought)


def _written(text: str) -> str:
    """What somebody wrote: without the results of a run, and with the same line ends everywhere."""
    return without_results(text.replace("\r\n", "\n"))


def _committed_here(repository: UserRepository, path: str) -> frozenset[str]:
    """Commits that this clone made itself; what came by a pull, a checkout, a rebase or a cherry-pick is not.

    To amend the commit of someone else makes a plan in it one's own only if the plan was changed.
    """
    asked = git_as_user(repository.root, "reflog", "show", "--no-show-signature", "--format=%H %gs", "HEAD")
    lines = asked.stdout.decode("utf-8", "replace").splitlines() if asked.exit_code == 0 else []
    made: set[str] = set()
    before = ""
    for line in reversed(lines):
        commit, _, subject = line.partition(" ")
        is_amended = subject.startswith(_AMENDED)
        if subject.startswith(_MADE) or (is_amended and (before in made or _differs(repository, path, before, commit))):
            made.add(commit)
        before = commit
    return frozenset(made)


def _differs(repository: UserRepository, path: str, before: str, commit: str) -> bool:
    return bool(before) and repository.read(path, rev=before) != repository.read(path, rev=commit)


def _line(repository: UserRepository, *arguments: str) -> str:
    asked = git_as_user(repository.root, *arguments)
    return asked.stdout.decode("utf-8", "replace").strip() if asked.exit_code == 0 else ""
