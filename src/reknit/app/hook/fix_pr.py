"""`/fix-pr` typed into a window: the run starts or continues in the background, and this window is told about it."""

from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.hook.pull_watches import PullWatches
from reknit.app.hook.window_pulls import follow_in_window
from reknit.app.installation import Installation
from reknit.app.runs.park import park_run, queue_again
from reknit.app.start import readiness
from reknit.app.start.fix_pr import plan_fix_pr
from reknit.app.start.queue import queue_run, start_worker
from reknit.app.start.run_plan import RunPlan
from reknit.core.errors import UsageProblem
from reknit.core.hook.prompt import PullRequestAsked
from reknit.core.runs.claim_text import TakenByRun
from reknit.core.text.format import first_few
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader


def fix_pr(place: Installation, folder: Path, session: str, asked: PullRequestAsked) -> str:
    """Returns what happened, for the person and the model."""
    repository = UserRepository.find(str(folder)).root
    if asked.stop:
        return _park(place, repository, session)
    notes: tuple[str, ...] = ()
    try:
        plan = _queue(place, folder, asked)
        run_id, notes = plan.spec.run_id, plan.notes
    except TakenByRun as taken:
        run_id = taken.run.id
        queue_again(place, run_id)
    told = follow_in_window(place, repository, session, run_id)
    start_worker(place)  # it also continues what a dead worker left, and ends by itself if there is nothing to do
    return "\n".join([told, *(f"note: {note}" for note in notes)])


def _queue(place: Installation, folder: Path, asked: PullRequestAsked) -> RunPlan:
    flags = {"loop": {"max_iterations": asked.max_iterations}} if asked.max_iterations else {}
    plan = plan_fix_pr(place, folder, asked.number, flags)
    readiness.check_agents(place, plan.spec)
    readiness.check_box(plan.spec)
    queue_run(place, plan.spec)
    return plan


def _park(place: Installation, repository: str, session: str) -> str:
    run = park_run(place, _run_of_window(place, repository, session))
    if run.ending:
        return f"{run.id} has already ended {run.ending}"
    return f"{run.id} is parked. `/fix-pr` or `reknit resume {run.id}` continues it, `reknit cancel {run.id}` ends it"


def _run_of_window(place: Installation, repository: str, session: str) -> str:
    """Otherwise that of another window, which may be closed: the only one that has not ended."""
    known = PullWatches(place.hooks).of(repository)
    if own := known.get(session):
        return own.run_id
    started = sorted({watch.run_id for watch in known.values()})
    found = [*filter(RunReader(open_store(place.database)).is_open, started)] if started else []
    if not found:
        what = "no window of this repository started `/fix-pr`, or its run has ended"
        raise UsageProblem("no-run", what, help="`reknit runs` lists runs")
    if len(found) > 1:
        what = f"other windows started {len(found)} runs: {first_few(found)}"
        raise UsageProblem("several-runs", what, help="`reknit park RUN` parks one of them")
    return found[0]
