"""Puts a commit on a `reknit/` branch of the user's repository, or removes the branch; changes nothing else there."""

from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.local_import import known_bases
from reknit.adapters.git.plumbing.command import LONG_S, Git, last_words
from reknit.adapters.git.plumbing.user_gitdir import common_gitdir
from reknit.core.errors import InternalError, UsageProblem

PREFIX = "reknit/"
_NOTHING = "0" * 40


@dataclass(frozen=True)
class _Branch:
    name: str
    commit: str
    """Empty: there is no such branch."""
    worktree: str
    """Where it is checked out, or empty."""


def land_commit(trusted: Git, repository: str, commit: str, branch: str) -> None:
    """Create or fast-forward the branch; never force. Idempotent."""
    user = Git(str(_gitdir(repository)))
    commit = trusted.known(commit, "commit")
    now = _branch(user, branch)
    if now.commit == commit:
        return
    _refuse_checked_out(now)
    _copy_objects(trusted, user, commit)
    if now.commit and user.run("merge-base", "--is-ancestor", now.commit, commit).exit_code != 0:
        raise _moved(now)
    moved = user.run(
        "update-ref", "--no-deref", "-m", "reknit: land", f"refs/heads/{branch}", commit, now.commit or _NOTHING
    )
    if moved.exit_code == 0:
        return
    later = _branch(user, branch)
    if later.commit == commit:
        return  # another worker landed the same commit
    if later.commit != now.commit:
        raise _moved(later)
    raise UsageProblem("cannot-land", f"branch {branch!r} could not be written: {last_words(moved)}", where=repository)


def remove_branch(repository: str, branch: str, expected: str | None) -> bool:
    """False: there was no such branch. `expected`: the commit it must still point at."""
    user = Git(str(common_gitdir(repository)))
    now = _branch(user, branch)
    if not now.commit:
        return False
    if expected is not None and now.commit != expected:
        raise _moved(now)
    _refuse_checked_out(now)
    removed = user.run("update-ref", "--no-deref", "-d", f"refs/heads/{branch}", now.commit)
    if removed.exit_code != 0:
        what = f"branch {branch!r} could not be removed: {last_words(removed)}"
        raise UsageProblem("cannot-remove", what, where=repository)
    return True


def _gitdir(repository: str) -> Path:
    try:
        return common_gitdir(repository)
    except OSError as refused:
        raise UsageProblem("no-repository", f"{repository!r} cannot be read: {refused.strerror}") from refused


def _branch(user: Git, branch: str) -> _Branch:
    ref = f"refs/heads/{branch}"
    if not branch.startswith(PREFIX) or user.run("check-ref-format", ref).exit_code != 0:
        raise InternalError("not-our-branch", f"{branch!r} is not a branch that reknit may write")
    listing = user.run("for-each-ref", "--format=%(refname)%00%(objectname)%00%(worktreepath)", ref)
    if listing.exit_code != 0:
        raise UsageProblem("cannot-land", f"the branches of {user.gitdir!r} cannot be read: {last_words(listing)}")
    for line in listing.stdout.decode().splitlines():
        name, commit, worktree = line.split("\0")
        if name == ref:
            return _Branch(branch, commit, worktree)
    return _Branch(branch, "", "")


def _refuse_checked_out(now: _Branch) -> None:
    if now.worktree:
        raise UsageProblem(
            "branch-checked-out",
            f"branch {now.name!r} is checked out in {now.worktree!r}",
            help="switch to another branch there, then try again",
        )


def _moved(now: _Branch) -> UsageProblem:
    return UsageProblem(
        "branch-moved",
        f"branch {now.name!r} is at {now.commit[:12] or 'nothing'}, where reknit did not put it",
        help="rename or delete the branch, then try again",
    )


def _copy_objects(trusted: Git, user: Git, commit: str) -> None:
    there = next((base for base in known_bases(trusted, below=commit) if _is_complete(user, base)), "")
    wanted = f"{commit}\n" + (f"^{there}\n" if there else "")
    pack = trusted.out(
        "pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset", stdin=wanted.encode(), timeout_s=LONG_S
    )
    unpacked = user.run("unpack-objects", "-q", stdin=pack, timeout_s=LONG_S)
    if unpacked.exit_code != 0:
        what = f"commit {commit[:12]} could not be copied into {user.gitdir!r}: {last_words(unpacked)}"
        raise UsageProblem("cannot-land", what)


def _is_complete(user: Git, commit: str) -> bool:
    """The commit may exist although a prune removed objects it needs."""
    walked = user.run("rev-list", "--objects", "--quiet", commit, "--not", "--all", timeout_s=LONG_S)
    return walked.exit_code == 0
