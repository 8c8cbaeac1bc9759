"""What a review of the user's branch compares: its merge base with the branch it will be merged into."""

from dataclasses import dataclass

from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.errors import UsageProblem

_TARGETS = ("origin/HEAD", "upstream/HEAD", "origin/main", "origin/master", "main", "master")


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


def _is_a_target(repository: UserRepository) -> bool:
    return repository.branch() in ("main", "master")


def _merge_base(repository: UserRepository, name: str, head: str) -> str:
    found = git_as_user(repository.root, "merge-base", "--end-of-options", name, head)
    return found.stdout.decode("ascii", "replace").strip() if found.exit_code == 0 else ""


def _readable(repository: UserRepository, name: str) -> str:
    if name != "@{upstream}":
        return name
    found = git_as_user(repository.root, "rev-parse", "--abbrev-ref", "--symbolic-full-name", name)
    return found.stdout.decode("utf-8", "replace").strip() or name
