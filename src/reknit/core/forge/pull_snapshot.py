"""A pull request as it stood when an iteration began."""

from dataclasses import dataclass

from reknit.core.forge.permission import FixBlocked


@dataclass(frozen=True)
class PullSnapshot:
    """The pull request as it stood when an iteration began."""

    head: str
    base: str
    """The merge base: what the pull request itself changed is the difference to it."""
    hop: int
    """How many runs in a row have worked on the branch without a person's commit in between, with this one."""
    barred: FixBlocked | None = None
    """Why nothing may be pushed; when it is not even `read_only`, why there is nothing to look at."""
    required: tuple[str, ...] = ()
    """Names of the checks the base branch demands."""
    expects_ci: bool = False
    is_app: bool = False
    """reknit is an App there, so it may have a check run of its own."""
    head_ref: str = ""
    head_url: str = ""
    base_ref: str = ""
    by_label: bool = False
    """Trusted for this one commit alone, because a maintainer named it."""
