"""Continues a run in this process, or follows the process that has it until that is done or dead."""

from reknit.app.engine.client import has_engine_tables, whereabouts
from reknit.app.engine.exit_signals import leaving_on_signals
from reknit.app.engine.slots import NoSlot
from reknit.app.installation import Installation
from reknit.app.runs import foreground
from reknit.app.runs.follow import RunListener, follow
from reknit.app.runs.foreground import Tell, Tick
from reknit.core.errors import UsageProblem
from reknit.core.runs.view import RunView, has_pull, pull_of
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from reknit.store.runs.run_queue import RunQueue


def find(place: Installation, run_id: str) -> RunView:
    run = RunReader(open_store(place.database)).run(run_id)
    if run.ending:
        on_pull = f" {pull_of(run)['number']}" if has_pull(run) else ""
        again = f"reknit {run.kind}{on_pull}"
        raise UsageProblem("ended", f"{run.id} has ended {run.ending}", help=f"`{again}` starts a new run")
    return run


def resume(place: Installation, run: RunView, tell: Tell, tick: Tick) -> RunView:
    """Take over the slot that has the run if its holder is dead; otherwise follow the holder, then check again.

    A run in the shared queue belongs to the workers: refuse it rather than wait silently.
    """
    database = open_store(place.database)
    reader = RunReader(database)
    while True:
        is_queued = RunQueue(database).holds(run.id)  # first: a run leaves this queue after the engine has it
        known = whereabouts(place, run.id) if has_engine_tables(database) else None
        if is_queued or known == ("ENQUEUED", None):
            what = f"{run.id} is queued for a worker"
            raise UsageProblem("queued", what, help=f"`reknit worker` takes it, `reknit watch {run.id}` follows it")
        try:
            return foreground.resume(place, run.id, known[1] if known else None, tell, tick)
        except NoSlot:
            pass
        with leaving_on_signals() as pause:
            seen = follow(reader, run.id, RunListener(tell, tick), place=place, pause=pause)
        if seen.state != "left":
            return seen
