"""Reads an attempt's changes from the run's private refs, whatever became of it."""

from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.app.installation import Installation
from reknit.core.errors import UsageProblem
from reknit.core.runs.spec import attempt_ref
from reknit.core.text.redact import visible


def attempt_diff(place: Installation, run_id: str, number: int) -> str:
    gitdir = place.runs / run_id / "trusted.git"
    if not gitdir.exists():
        raise UsageProblem("no-attempt", f"the work of {run_id} is not on this machine")
    repository = TrustedGit(str(gitdir))
    before, after = (repository.resolve(attempt_ref(run_id, number, moment)) for moment in ("before", "after"))
    if not after:
        raise UsageProblem("no-attempt", f"attempt {number} of {run_id} left no work on this machine")
    return visible(repository.diff(before, after))
