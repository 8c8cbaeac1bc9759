"""Runs `/fix-pr`: the run starts or continues in the background, and reports to the window that asked."""

from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.hook import PullWatches
from reknit.app.hook.window_pulls import follow_in_window
from reknit.app.installation import Installation
from reknit.app.runs.stop import park_run, queue_again
from reknit.app.start.agents import check_agents, check_box
from reknit.app.start.fix_pr import plan_fix_pr
from reknit.app.start.new_spec import RunPlan
from reknit.app.start.queue import queue_run, start_worker
from reknit.core.errors import UsageError
from reknit.core.hook.prompt import PullRequestPrompt
from reknit.core.runs.view import TakenByRunError
from reknit.core.text.format import join_few
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader


def start_or_park(installation: Installation, folder: Path, session: str, request: PullRequestPrompt) -> str:
    """Start, continue or park the run. Return a report for the person and the model."""
    repository = UserRepository.find(str(folder)).root
    if request.stop:
        return _park(installation, repository, session)
    notes: tuple[str, ...] = ()
    try:
        plan = _queue(installation, folder, request)
        run_id, notes = plan.spec.run_id, plan.notes
    except TakenByRunError as taken:
        run_id = taken.run.id
        if request.max_iterations:
            message = f"{run_id} works on it already, and the limit of a run cannot be changed"
            raise UsageError("limit", message, help="`/fix-pr` without --max-iterations continues it") from None
        queue_again(installation, run_id)
    progress = follow_in_window(installation, repository, session, run_id)
    start_worker(
        installation
    )  # it also continues what a dead worker left, and ends by itself if there is nothing to do
    return "\n".join([progress, *(f"note: {note}" for note in notes)])


def _queue(installation: Installation, folder: Path, request: PullRequestPrompt) -> RunPlan:
    flags = {"loop": {"max_iterations": request.max_iterations}} if request.max_iterations else {}
    plan = plan_fix_pr(installation, folder, request.number, flags)
    check_agents(installation, plan.spec)
    check_box(plan.spec)
    queue_run(installation, plan.spec)
    return plan


def _park(installation: Installation, repository: str, session: str) -> str:
    run = park_run(installation, _find_run_of_window(installation, repository, session))
    if run.ending:
        return f"{run.id} has already ended {run.ending}"
    ends = f"`reknit stop {run.id} --for-good` ends it"
    return f"{run.id} is stopped. `/fix-pr` or `reknit resume {run.id}` continues it, {ends}"


def _find_run_of_window(installation: Installation, repository: str, session: str) -> str:
    """Return the run of this window.

    Otherwise return the only open run of another window, which may be closed.
    """
    watches = PullWatches(installation.hooks).find_all(repository)
    if own := watches.get(session):
        return own.run_id
    started = sorted({watch.run_id for watch in watches.values()})
    open_runs = [*filter(RunReader(open_store(installation.database)).is_open, started)] if started else []
    if not open_runs:
        message = "no window of this repository started `/fix-pr`, or its run has ended"
        raise UsageError("no-run", message, help="`reknit runs` lists runs")
    if len(open_runs) > 1:
        message = f"other windows started {len(open_runs)} runs: {join_few(open_runs)}"
        raise UsageError("several-runs", message, help="`reknit stop RUN` stops one of them")
    return open_runs[0]
