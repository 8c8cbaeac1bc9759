"""Reads an attempt's work back from the run's private refs, whatever became of it."""

from reknit.adapters.vcs.trusted_git import TrustedGit
from reknit.app.installation import Installation
from reknit.core.errors import UsageProblem
from reknit.core.redact import clean
from reknit.core.run import attempt_ref


def attempt_diff(place: Installation, run_id: str, number: int) -> str:
    repository = TrustedGit.open(str(place.runs / run_id / "trusted.git"))
    before, after = (repository.resolve(attempt_ref(run_id, number, moment)) for moment in ("before", "after"))
    if not after:
        raise UsageProblem("no-attempt", f"attempt {number} of {run_id} left no work on this machine")
    return clean(repository.diff(before, after))
