"""Brings the fix of a run into the user's working tree."""

from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.apply_patch import apply_patch
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.core.capabilities import capability_of
from reknit.core.errors import UsageProblem
from reknit.core.runs.view import RunView
from reknit.core.text.format import one_line
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader

SEARCHED = 100
"""Last runs of the repository among which the last fix is looked for."""


@dataclass(frozen=True)
class Applied:
    run: str
    files: tuple[str, ...]


def apply_run(place: Installation, folder: Path, run_id: str | None) -> Applied:
    """Without an id: the last run of this repository that landed a fix."""
    repository = UserRepository.find(str(folder))
    reader = RunReader(open_store(place.database))
    run = reader.run(run_id) if run_id else _last_landed(reader, repository)
    if run.commit is None or run.undone_at or capability_of(run.kind).lands != "branch":
        raise UsageProblem("nothing-landed", f"{run.id} has no fix to apply", help=f"`reknit show {run.id}`")
    if run.repository != repository.root:
        raise UsageProblem("another-repository", f"{run.id} repaired {run.repository}", help="go there first")
    gitdir = place.runs / run.id / "trusted.git"
    if not gitdir.exists():
        raise UsageProblem("elsewhere", f"the work of {run.id} is not on this machine")
    trusted = TrustedGit(str(gitdir))
    apply_patch(repository, trusted.patch(run.base, run.commit))
    return Applied(run.id, tuple(map(one_line, trusted.change(run.base, run.commit).paths)))


def _last_landed(reader: RunReader, repository: UserRepository) -> RunView:
    runs = reader.runs(repository=repository.root, limit=SEARCHED)
    found = [run for run in runs if run.commit and not run.undone_at and capability_of(run.kind).lands == "branch"]
    if not found:
        what = "no run has landed a fix in this repository"
        raise UsageProblem("nothing-landed", what, help="`reknit runs` lists the runs")
    return found[0]
