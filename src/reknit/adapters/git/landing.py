"""Writes to the user's repository: a `reknit/` branch, a patch in the working tree, or the demo's first commit."""

from dataclasses import dataclass
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.git.local_import import common_gitdir, known_bases
from reknit.adapters.git.plumbing.command import LONG_S, Git, last_words
from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.errors import InternalError, UsageError
from reknit.core.text.format import to_one_line

PREFIX = "reknit/"
_NO_COMMIT = "0" * 40


@dataclass(frozen=True)
class _Branch:
    name: str
    commit: str
    """Empty if there is no such branch."""
    worktree: str
    """Path where the branch is checked out, or empty."""


def land_commit(trusted: Git, repository: str, commit: str, branch: str) -> None:
    """Create or fast-forward the branch; never force. Idempotent."""
    user = Git(str(_find_gitdir(repository)))
    commit = trusted.resolve_id(commit, "commit")
    current = _read_branch(user, branch)
    if current.commit == commit:
        return
    _refuse_checked_out(current)
    _copy_objects(trusted, user, commit)
    if current.commit and user.run("merge-base", "--is-ancestor", current.commit, commit).exit_code != 0:
        raise _moved_error(current)
    moved = user.run(
        "update-ref", "--no-deref", "-m", "reknit: land", f"refs/heads/{branch}", commit, current.commit or _NO_COMMIT
    )
    if moved.exit_code == 0:
        return
    later = _read_branch(user, branch)
    if later.commit == commit:
        return  # another worker landed the same commit
    if later.commit != current.commit:
        raise _moved_error(later)
    raise UsageError("cannot-land", f"branch {branch!r} could not be written: {last_words(moved)}", where=repository)


def remove_branch(repository: str, branch: str, expected: str | None) -> bool:
    """Remove the branch. Return False if there was none. `expected`: the commit it must still point at."""
    user = Git(str(common_gitdir(repository)))
    current = _read_branch(user, branch)
    if not current.commit:
        return False
    if expected is not None and current.commit != expected:
        raise _moved_error(current)
    _refuse_checked_out(current)
    removed = user.run("update-ref", "--no-deref", "-d", f"refs/heads/{branch}", current.commit)
    if removed.exit_code != 0:
        message = f"branch {branch!r} could not be removed: {last_words(removed)}"
        raise UsageError("cannot-remove", message, where=repository)
    return True


def _find_gitdir(repository: str) -> Path:
    try:
        return common_gitdir(repository)
    except OSError as refused:
        raise UsageError("no-repository", f"{repository!r} cannot be read: {refused.strerror}") from refused


def _read_branch(user: Git, branch: str) -> _Branch:
    ref = f"refs/heads/{branch}"
    if not branch.startswith(PREFIX) or user.run("check-ref-format", ref).exit_code != 0:
        raise InternalError("not-our-branch", f"{branch!r} is not a branch that reknit may write")
    listing = user.run("for-each-ref", "--format=%(refname)%00%(objectname)%00%(worktreepath)", ref)
    if listing.exit_code != 0:
        raise UsageError("cannot-land", f"the branches of {user.gitdir!r} cannot be read: {last_words(listing)}")
    for line in listing.stdout.decode().splitlines():
        name, commit, worktree = line.split("\0")
        if name == ref:
            return _Branch(branch, commit, worktree)
    return _Branch(branch, "", "")


def _refuse_checked_out(branch: _Branch) -> None:
    if branch.worktree:
        raise UsageError(
            "branch-checked-out",
            f"branch {branch.name!r} is checked out in {branch.worktree!r}",
            help="switch to another branch there, then try again",
        )


def _moved_error(branch: _Branch) -> UsageError:
    return UsageError(
        "branch-moved",
        f"branch {branch.name!r} is at {branch.commit[:12] or 'nothing'}, where reknit did not put it",
        help="rename or delete the branch, then try again",
    )


def _copy_objects(trusted: Git, user: Git, commit: str) -> None:
    known_base = next((base for base in known_bases(trusted, below=commit) if _is_complete(user, base)), "")
    revisions = f"{commit}\n" + (f"^{known_base}\n" if known_base else "")
    pack = trusted.out(
        "pack-objects",
        "--revs",
        "--stdout",
        "--quiet",
        "--delta-base-offset",
        stdin=revisions.encode(),
        timeout_s=LONG_S,
    )
    unpacked = user.run("unpack-objects", "-q", stdin=pack, timeout_s=LONG_S)
    if unpacked.exit_code != 0:
        message = f"commit {commit[:12]} could not be copied into {user.gitdir!r}: {last_words(unpacked)}"
        raise UsageError("cannot-land", message)


def _is_complete(user: Git, commit: str) -> bool:
    """Return True if the repository has all objects of the commit: a prune may have removed some."""
    walked = user.run("rev-list", "--objects", "--quiet", commit, "--not", "--all", timeout_s=LONG_S)
    return walked.exit_code == 0


def commit_all(folder: str, message: str) -> str:
    """Create a repository with one commit of all files, for the demo."""
    git = Git(str(Path(folder, ".git")))
    git.out("init", "--quiet", "--template=", "--initial-branch=main", env={"GIT_WORK_TREE": folder})
    git.out("add", "--all", ".", env={"GIT_WORK_TREE": folder})
    git.out("commit", "--quiet", "--message", message, env={"GIT_WORK_TREE": folder})
    return git.out("rev-parse", "HEAD").decode().strip()


def apply_patch(repository: UserRepository, patch: bytes) -> None:
    """Apply the patch to the working tree, completely or not at all. Index and history do not change."""
    if (result := _git_apply(repository, patch, "--check")).exit_code == 0:
        result = _git_apply(repository, patch)
    elif _git_apply(repository, patch, "--check", "--reverse").exit_code == 0:
        raise UsageError("already-applied", "the fix is in your working tree already")
    if result.exit_code != 0:
        message = f"the fix cannot be applied to your working tree: {to_one_line(last_words(result))}"
        help_ = (
            "these files have changed since the run: undo that, or run `reknit fix tests --dirty` on what is there now"
        )
        raise UsageError("cannot-apply", message, help=help_)


def _git_apply(repository: UserRepository, patch: bytes, *options: str) -> process.Completed:
    words = ("apply", "--whitespace=nowarn", *options, "-")
    return git_as_user(repository.root, *words, stdin=patch, env=repository.without_filters())
