"""What a process says when something it cannot work without is away: the trouble, and the command that continues."""

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
    return f"{what}\nthis worker ends; {theirs}: `reknit worker` or `reknit resume RUN` continues {when}"


def not_landed(problem: UsageProblem, patch: str, branch: str) -> str:
    offered = f"the proven fix is kept in {patch}: `git apply {patch}` takes it as it is"
    return f"{problem.what}; {offered}, and resuming the run puts it on {branch} once that is possible"


def repository_gone(repository: str) -> str:
    return f"the repository {repository!r} is not there any more: put it back, then resume the run"
