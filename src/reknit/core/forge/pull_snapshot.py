"""Snapshot of a pull request at the start of an iteration."""

from dataclasses import dataclass

from reknit.core.forge.permission import FixBlocked


@dataclass(frozen=True)
class PullSnapshot:
    """The pull request at the start of an iteration."""

    head: str
    base: str
    """The merge base: the diff from it to the head is what the pull request itself changes."""
    hop: int
    """Number of consecutive runs on the branch without a person's commit in between, including this one."""
    barred: FixBlocked | None = None
    """Why nothing may be pushed; if not `read_only`, why there is nothing to look at either."""
    required: tuple[str, ...] = ()
    """Names of the checks the base branch requires."""
    expects_ci: bool = False
    is_app: bool = False
    """reknit runs as an App there, so it may create its own check run."""
    head_ref: str = ""
    head_url: str = ""
    base_ref: str = ""
    by_label: bool = False
    """Trusted for this commit only, because a maintainer's label names it."""
