"""Whether a plan in the working tree is the person's own: a branch that someone else wrote may have brought it."""

from reknit.adapters.git.exploration.history import default_branch
from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.planning.plan_file.results import without_results


def why_not_own(repository: UserRepository, path: str, text: str) -> str:
    """Why it does not count; empty: it does. `path`: from the top of the repository."""
    committed = repository.read(path)
    if committed is None or _is_edited(repository, path, committed, text):
        return ""
    branch, _why = default_branch(repository.root)
    if branch and repository.read(path, rev=f"refs/remotes/origin/{branch}") == committed:
        return ""
    last = _line(repository, "rev-list", "-1", "HEAD", "--", path)
    if last and last in _committed_here(repository):
        return ""
    where = f"not on origin's default branch {branch}" if branch else "origin does not say what its default branch is"
    return (
        f"it is committed exactly as it is here, the last commit that changed it was not made here, and it is {where}"
    )


def _is_edited(repository: UserRepository, path: str, committed: str, text: str) -> bool:
    """As git sees it: line ends or an encoding that attributes ask for are no edit, nor is what a run wrote."""
    return path in repository.dirty() and without_results(_plain(committed)) != without_results(_plain(text))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _committed_here(repository: UserRepository) -> frozenset[str]:
    """Commits that this clone made itself; what came by a pull, a checkout, a rebase or a cherry-pick is not."""
    asked = git_as_user(repository.root, "reflog", "show", "--format=%H %gs", "HEAD")
    lines = asked.stdout.decode("utf-8", "replace").splitlines() if asked.exit_code == 0 else []
    entries = (line.partition(" ") for line in lines)
    return frozenset(commit for commit, _, subject in entries if subject.startswith(("commit:", "commit (")))


def _line(repository: UserRepository, *arguments: str) -> str:
    asked = git_as_user(repository.root, *arguments)
    return asked.stdout.decode("utf-8", "replace").strip() if asked.exit_code == 0 else ""
