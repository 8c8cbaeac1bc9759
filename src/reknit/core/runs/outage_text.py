"""Messages for when something reknit depends on is unavailable: the problem, and the command that continues."""

from collections.abc import Sequence

from reknit.core.errors import UsageProblem

DATABASE_BACK = "when the database is back"
SPACE_FREED = "when there is space again"
MOST_NAMED = 20


def left_run(what: str, when: str, run_id: str) -> str:
    return f"{what}\n{run_id} is safe where it is: `reknit resume {run_id}` continues it {when}"


def left_worker(what: str, when: str, runs: Sequence[str]) -> str:
    named = ", ".join(runs[:MOST_NAMED]) + (", …" if len(runs) > MOST_NAMED else "")
    theirs = f"its runs ({named}) are safe" if runs else "it had no run"
    return f"{what}\nthis worker exits; {theirs}: `reknit worker` or `reknit resume RUN` continues {when}"


def not_landed(problem: UsageProblem, patch: str, branch: str) -> str:
    offered = f"the proven fix is kept in {patch}: `git apply {patch}` applies it as it is"
    return f"{problem.what}; {offered}, and resuming the run lands it on {branch} once that is possible"


def repository_gone(repository: str) -> str:
    return f"the repository {repository!r} no longer exists: restore it, then resume the run"
