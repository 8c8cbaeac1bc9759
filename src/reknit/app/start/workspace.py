"""What a new run needs in its workspace: an id, a free branch and the files to carry over."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from secrets import token_hex

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.core.errors import UsageProblem
from reknit.core.repository.carried_files import what_to_carry


def new_run_id() -> str:
    return f"r-{token_hex(4)}"


def carried(repository: UserRepository, config: Config) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Also returns those that are not carried although tests may need them: secrets and links, but not caches."""
    wanted = config.workspace.carry
    if wanted == "auto":
        chosen = what_to_carry(repository.ignored())
        linked = tuple(entry for entry in chosen.carried if _has_link(repository, entry))
        return tuple(entry for entry in chosen.carried if entry not in linked), (*chosen.secrets, *linked)
    entries, tracked = tuple(str(PurePosixPath(entry)) for entry in wanted), repository.tracked()
    for entry in entries:
        what = _why_not_carried(entry, repository, tracked)
        if what:
            fix = "remove it; tracked files are in the box anyway, secrets and symlinks never are"
            raise UsageProblem("config", f"workspace.carry: {entry!r} {what}", help=fix)
    return entries, ()


def _why_not_carried(entry: str, repository: UserRepository, tracked: Sequence[str]) -> str:
    """Empty: it may be carried. The list, and everything in the repository, may come from a stranger."""
    if entry in ("", ".") or entry.startswith("/") or {"..", ".git"} & set(PurePosixPath(entry).parts):
        return "is not an entry of the working tree"
    if what_to_carry([entry]).secrets:
        return "looks like a secret, and an agent could read it"
    if any(path == entry or path.startswith(f"{entry}/") for path in tracked):
        return "is tracked by git"
    if any(entry.startswith(f"{path}/") for path in tracked):
        return "is in a submodule"
    return "is a symlink, or is reached through one" if _has_link(repository, entry) else ""


def _has_link(repository: UserRepository, entry: str) -> bool:
    here = PurePosixPath(entry)
    return any(Path(repository.root, step).is_symlink() for step in (here, *here.parents[:-1]))


def refuse_branch_in_the_way(repository: UserRepository) -> None:
    """Otherwise it would fail only when a fix lands, after the whole run was paid for."""
    if repository.has_branch("reknit"):
        what = "a branch named 'reknit' prevents creating branches named 'reknit/RUN'"
        raise UsageProblem("branch-in-the-way", what, help="git branch -m reknit another-name")
