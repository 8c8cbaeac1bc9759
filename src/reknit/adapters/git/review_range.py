"""Finds the commits that a branch adds to its target, and reads history and files for a plan."""

import itertools
import os
from dataclasses import dataclass

from reknit.adapters.git.plumbing.command import last_words
from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.errors import UsageError

_TARGETS = ("origin/HEAD", "upstream/HEAD", "origin/main", "origin/master", "main", "master")

_REMOTE_DEFAULTS = tuple(
    tuple(f"refs/remotes/{remote}/{name}" for name in ("HEAD", "main", "master")) for remote in ("origin", "upstream")
)
_LOCAL_DEFAULTS = ("refs/heads/main", "refs/heads/master")


@dataclass(frozen=True)
class ReviewRange:
    """The commits of a branch: everything in HEAD since the merge base."""

    since: str
    """The merge base."""
    name: str
    """Branch or commit that HEAD is compared with, as a person types it."""


def range_of_branch(repository: UserRepository, base_name: str = "") -> ReviewRange:
    """Return the range to review. `base_name`: the branch or commit to compare with, if the user gave one."""
    head = repository.head()
    if base_name:
        if base := _find_merge_base(repository, base_name, head):
            return ReviewRange(base, base_name)
        raise UsageError("no-such-base", f"{base_name!r} is no commit that HEAD has a common ancestor with")
    candidates = ("@{upstream}", *_TARGETS) if _is_a_target(repository) else (*_TARGETS, "@{upstream}")
    for name in candidates:
        base = _find_merge_base(repository, name, head)
        if base and base != head:
            return ReviewRange(base, _to_readable_name(repository, name))
    raise UsageError(
        "nothing-to-review",
        "HEAD has no commit that main, master or its upstream branch lacks",
        help="make a branch for your commits, stage a change and use --staged, or name a commit with --base",
    )


def find_tip(repository: UserRepository, branch: str) -> str:
    """Return the commit of a branch; empty if there is none."""
    done = git_as_user(repository.root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
    return done.stdout.decode("ascii", "replace").strip() if done.exit_code == 0 else ""


def fork_point(repository: UserRepository, commit: str) -> str:
    """Return the newest commit of the default branch in this one's history; empty if none is known here.

    A remote's `main` and `master` count only if its default branch is unknown: anyone who can push could have made
    them. Local branches count only if no remote has one: people merge other work there to try it. All names are full,
    because a local branch may be called `origin/main`.
    """
    names = (*itertools.chain(*_REMOTE_DEFAULTS), *_LOCAL_DEFAULTS)
    answer = git_as_user(repository.root, "for-each-ref", "--format=%(refname)", *names)
    refs = answer.stdout.decode("utf-8", "replace").splitlines()
    defaults = [
        ref for head, *others in _REMOTE_DEFAULTS for ref in ([head] if head in refs else others) if ref in refs
    ]
    targets = defaults or [ref for ref in _LOCAL_DEFAULTS if ref in refs]
    return _find_merge_base(repository, commit, *targets) if targets else ""


def _is_a_target(repository: UserRepository) -> bool:
    return repository.branch() in ("main", "master")


def _find_merge_base(repository: UserRepository, one: str, *others: str) -> str:
    """Return the merge base of the first commit with the union of the others."""
    completed = git_as_user(repository.root, "merge-base", "--end-of-options", one, *others)
    return completed.stdout.decode("ascii", "replace").strip() if completed.exit_code == 0 else ""


def _to_readable_name(repository: UserRepository, name: str) -> str:
    if name != "@{upstream}":
        return name
    completed = git_as_user(repository.root, "rev-parse", "--abbrev-ref", "--symbolic-full-name", name)
    return completed.stdout.decode("utf-8", "replace").strip() or name


MAX_COMMITS = 50
_REMOTE = "refs/remotes/origin"


def last_commits(root: str) -> bytes:
    """Return id, author, time in seconds and subject of commits, each ended by NUL; newest first."""
    form = "--format=tformat:%H%x00%an%x00%at%x00%s%x00"
    # To show a signature, git would run a program from the configuration.
    return _run_git(root, "log", f"-{MAX_COMMITS}", "--no-show-signature", "--no-color", "--encoding=UTF-8", form)


def default_branch(root: str) -> tuple[str, str]:
    """Return the default branch of origin, or the reason why it is not known."""
    completed = git_as_user(root, "symbolic-ref", "--quiet", f"{_REMOTE}/HEAD")
    name = completed.stdout.decode("utf-8", "replace").strip().removeprefix(f"{_REMOTE}/")
    if completed.exit_code == 0 and name:
        return name, ""
    if git_as_user(root, "config", "--get", "remote.origin.url").exit_code != 0:
        return "", "there is no remote called origin"
    return "", "origin/HEAD is not set; `git remote set-head origin --auto` sets it"


def branch_changes(root: str, branch: str) -> bytes:
    """Return `git diff --numstat` since the merge base with that branch of origin; empty if it is not here."""
    ref = f"{_REMOTE}/{branch}"
    if not branch or git_as_user(root, "show-ref", "--verify", "--quiet", ref).exit_code != 0:
        return b""
    quiet = ("--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all", "--no-color")
    return _run_git(
        root, "diff", "--numstat", "-z", "--diff-algorithm=myers", *quiet, "--merge-base", ref, "HEAD", "--"
    )


def tracked_files(root: str) -> bytes:
    """Return every path in the index, each ended by NUL, sorted by bytes."""
    return _run_git(root, "ls-files", "-z", "--deduplicate", prints_much=True)


def _run_git(root: str, *arguments: str, prints_much: bool = False) -> bytes:
    completed = git_as_user(root, *arguments, prints_much=prints_much)
    if completed.exit_code != 0:
        raise UsageError("repository-unreadable", f"git {arguments[0]} failed: {last_words(completed)}")
    return completed.stdout


def short_name(ref: str) -> str:
    """Return the branch name that people use. A local and a remote-tracking branch may have the same one."""
    return ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")


def repository_around(folder: str) -> str:
    """Return the top of the repository that git finds around this folder; empty if git says that there is none."""
    completed = git_as_user(folder, "rev-parse", "--show-toplevel")
    if completed.exit_code == 0:
        return os.fsdecode(completed.stdout.removesuffix(b"\n"))
    return "" if b"not a git repository" in completed.stderr else folder
