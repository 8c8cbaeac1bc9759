"""Explains that something reknit depends on is unavailable, and names the command that continues."""

from collections.abc import Sequence

from reknit.core.errors import UsageError

DATABASE_BACK = "when the database is back"
SPACE_FREED = "when there is space again"
MAX_NAMED_RUNS = 20


def explain_left_run(what: str, when: str, run_id: str) -> str:
    """Return the message of a run whose process must exit."""
    return f"{what}\n{run_id} is safe where it is: `reknit resume {run_id}` continues it {when}"


def explain_left_worker(what: str, when: str, runs: Sequence[str]) -> str:
    """Return the message of a worker that must exit."""
    names = ", ".join(runs[:MAX_NAMED_RUNS]) + (", …" if len(runs) > MAX_NAMED_RUNS else "")
    state = f"its runs ({names}) are safe" if runs else "it had no run"
    return f"{what}\nthis worker exits; {state}: `reknit worker` or `reknit resume RUN` continues {when}"


def explain_unlanded_fix(problem: UsageError, patch: str, branch: str) -> str:
    """Return the message of a proven fix that cannot be committed now."""
    offer = f"the proven fix is kept in {patch}: `git apply {patch}` applies it as it is"
    return f"{problem.message}; {offer}, and resuming the run lands it on {branch} once that is possible"


def explain_missing_repository(repository: str) -> str:
    """Return the message of a run whose repository is gone."""
    return f"the repository {repository!r} no longer exists: restore it, then resume the run"
