"""Reads the work that a run left: brings its fix into the user's working tree, and shows an attempt's changes."""

from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.landing import apply_patch
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.core.capabilities import find_capability
from reknit.core.capability import StoredRun
from reknit.core.errors import UsageError
from reknit.core.runs.spec import name_attempt_ref
from reknit.core.runs.view import RunView
from reknit.core.text.format import to_one_line
from reknit.core.text.redact import escape_hidden
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader

SEARCHED = 100
"""Number of recent runs that are searched for the last fix."""


@dataclass(frozen=True)
class AppliedFix:
    """A fix that was brought into the working tree."""

    run: str
    files: tuple[str, ...]


def apply_run(installation: Installation, folder: Path, run_id: str | None) -> AppliedFix:
    """Apply the fix of this run; without an id, of the last run of this repository that landed a fix."""
    repository = UserRepository.find(str(folder))
    reader = RunReader(open_store(installation.database))
    run = reader.run(run_id) if run_id else find_last_landed(reader, repository)
    if run.commit is None or run.undone_at or find_capability(run.kind).lands != "branch":
        raise UsageError("nothing-landed", f"{run.id} has no fix to apply", help=f"`reknit show {run.id}`")
    if run.repository != repository.root:
        raise UsageError("another-repository", f"{run.id} repaired {run.repository}", help="go there first")
    gitdir = installation.runs / run.id / "trusted.git"
    if not gitdir.exists():
        raise UsageError("elsewhere", f"the work of {run.id} is not on this machine")
    trusted = TrustedGit(str(gitdir))
    apply_patch(repository, trusted.patch(run.base, run.commit))
    return AppliedFix(run.id, tuple(map(to_one_line, trusted.change(run.base, run.commit).paths)))


def find_last_landed(reader: RunReader, repository: UserRepository) -> RunView:
    """Return the last run of this repository with a fix on a branch of its own."""
    runs = reader.runs(repository=repository.root, limit=SEARCHED)
    landed_runs = [
        run for run in runs if run.commit and not run.undone_at and find_capability(run.kind).lands == "branch"
    ]
    if not landed_runs:
        message = "no run has landed a fix in this repository"
        raise UsageError("nothing-landed", message, help="`reknit runs` lists the runs")
    return landed_runs[0]


def read_landed_diff(installation: Installation, stored: StoredRun) -> str:
    """Read what the run landed; empty if it landed nothing, or if its work is not on this machine."""
    run, gitdir = stored.run, installation.runs / stored.run.id / "trusted.git"
    if not gitdir.exists():
        return ""
    repository = TrustedGit(str(gitdir))
    on_branch = run.commit and find_capability(run.kind).lands == "branch"
    pairs = [(run.base, run.commit)] if on_branch else [(fix["base"], fix["commit"]) for fix in stored.receipts]
    present_pairs = [(base, commit) for base, commit in pairs if repository.resolve(str(commit))]
    return "\n".join(escape_hidden(repository.diff(str(base), str(commit))) for base, commit in present_pairs)


def read_attempt_diff(installation: Installation, run_id: str, number: int) -> str:
    """Read an attempt's changes from the run's private refs, also those of a rejected attempt."""
    gitdir = installation.runs / run_id / "trusted.git"
    if not gitdir.exists():
        raise UsageError("no-attempt", f"the work of {run_id} is not on this machine")
    repository = TrustedGit(str(gitdir))
    before, after = (repository.resolve(name_attempt_ref(run_id, number, moment)) for moment in ("before", "after"))
    if not after:
        raise UsageError("no-attempt", f"attempt {number} of {run_id} left no work on this machine")
    return escape_hidden(repository.diff(before, after))
