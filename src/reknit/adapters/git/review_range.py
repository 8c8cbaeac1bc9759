"""Where the user's work left the branch it will be merged into: what a review compares, and what set-ups share."""

import itertools
from dataclasses import dataclass

from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.errors import UsageProblem

_TARGETS = ("origin/HEAD", "upstream/HEAD", "origin/main", "origin/master", "main", "master")

_REMOTE_DEFAULTS = tuple(
    tuple(f"refs/remotes/{remote}/{name}" for name in ("HEAD", "main", "master")) for remote in ("origin", "upstream")
)
_LOCAL_DEFAULTS = ("refs/heads/main", "refs/heads/master")


@dataclass(frozen=True)
class ReviewRange:
    since: str
    """The merge base."""
    name: str
    """The branch it was compared with, as a person types it."""


def range_of_branch(repository: UserRepository, named: str = "") -> ReviewRange:
    """`named`: the branch or commit to compare with, if the user gave one."""
    head = repository.head()
    if named:
        if base := _merge_base(repository, named, head):
            return ReviewRange(base, named)
        raise UsageProblem("no-such-base", f"{named!r} is no commit that HEAD has a common ancestor with")
    candidates = ("@{upstream}", *_TARGETS) if _is_a_target(repository) else (*_TARGETS, "@{upstream}")
    for name in candidates:
        base = _merge_base(repository, name, head)
        if base and base != head:
            return ReviewRange(base, _readable(repository, name))
    raise UsageProblem(
        "nothing-to-review",
        "HEAD has no commit that main, master or its upstream branch lacks",
        help="make a branch for your commits, stage a change and use --staged, or name a commit with --base",
    )


def fork_point(repository: UserRepository, commit: str) -> str:
    """The newest commit of the default branch in this one's history; empty if there is none, or it is not known here.

    A remote's `main` and `master` count only if it does not say which branch is its default: anybody who can push may
    have made the other one. Local branches count only if no remote has one: anybody's work may be merged there for a
    try. Full names: a local branch may be called `origin/main`.
    """
    names = (*itertools.chain(*_REMOTE_DEFAULTS), *_LOCAL_DEFAULTS)
    answer = git_as_user(repository.root, "for-each-ref", "--format=%(refname)", *names)
    refs = answer.stdout.decode("utf-8", "replace").splitlines()
    defaults = [
        ref for head, *others in _REMOTE_DEFAULTS for ref in ([head] if head in refs else others) if ref in refs
    ]
    known = defaults or [ref for ref in _LOCAL_DEFAULTS if ref in refs]
    return _merge_base(repository, commit, *known) if known else ""


def _is_a_target(repository: UserRepository) -> bool:
    return repository.branch() in ("main", "master")


def _merge_base(repository: UserRepository, one: str, *others: str) -> str:
    """Of the first one, with whatever the others have together."""
    found = git_as_user(repository.root, "merge-base", "--end-of-options", one, *others)
    return found.stdout.decode("ascii", "replace").strip() if found.exit_code == 0 else ""


def _readable(repository: UserRepository, name: str) -> str:
    if name != "@{upstream}":
        return name
    found = git_as_user(repository.root, "rev-parse", "--abbrev-ref", "--symbolic-full-name", name)
    return found.stdout.decode("utf-8", "replace").strip() or name
