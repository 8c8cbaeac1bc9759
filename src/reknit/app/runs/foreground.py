"""Runs a repair in this process and follows it, or follows the process that has it. Ctrl-C parks the run."""

import itertools
from collections.abc import Callable

from reknit.app.engine.client import has_engine_tables, locate_run
from reknit.app.engine.engine import Engine, run_engine
from reknit.app.engine.exit_signals import catch_exit_signals, exit_now
from reknit.app.engine.slots import SlotUnavailableError
from reknit.app.installation import Installation
from reknit.app.runs.follow import RunListener, follow
from reknit.core.errors import UsageError
from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE
from reknit.core.runs.outage_text import explain_left_run
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import EventView, RunView, get_pull, has_pull
from reknit.store.database import open_store
from reknit.store.runs.coordination import RunQueue, Wanted
from reknit.store.runs.reader import RunReader

Tell = Callable[[EventView], None]
Tick = Callable[[RunView], None]


def start_here(installation: Installation, spec: RunSpec, tell: Tell, tick: Tick) -> RunView:
    """Start a new run in this process, and follow it."""
    return _run_and_follow(installation, None, lambda engine: engine.start(spec), spec.run_id, tell, tick)


def resume_here(installation: Installation, run_id: str, slot_number: int | None, tell: Tell, tick: Tick) -> RunView:
    """Continue a run in this process, and follow it.

    `slot_number`: the slot of the dead worker that had the run; launching under it recovers the run.
    """
    return _run_and_follow(installation, slot_number, lambda engine: engine.resume(run_id), run_id, tell, tick)


def _run_and_follow(
    installation: Installation,
    slot_number: int | None,
    begin: Callable[[Engine], None],
    run_id: str,
    tell: Tell,
    tick: Tick,
) -> RunView:
    def leave(problem: str, continuation: str) -> None:
        exit_now(explain_left_run(problem, continuation, run_id), INTERRUPTED_EXIT_CODE)

    slot_choice: Wanted | int = "clean" if slot_number is None else slot_number
    parked = False
    try:
        with catch_exit_signals() as pause, run_engine(installation, slot_choice, leave=leave) as engine:
            try:
                begin(engine)
                listener = RunListener(tell, _close_abandoned_regularly(engine, tick))
                follow(engine.reader, run_id, listener, pause=pause, waits=True)
                engine.wait_until_recorded(run_id)
            except KeyboardInterrupt:
                engine.suspend(run_id)
                parked = True
    except KeyboardInterrupt:  # a second one, while the work is being stopped
        if not parked:
            raise
    database = open_store(installation.database, patience_s=installation.lease_s, waits=True)
    run = RunReader(database).run(run_id)
    database.dispose()
    return run


def _close_abandoned_regularly(engine: Engine, tick: Tick) -> Tick:
    """Periodically check whether the engine stopped retrying the run, so that a dead run is not waited for."""
    ticks = itertools.count(1)

    def close_and_tick(run: RunView) -> None:
        if next(ticks) % 20 == 0:
            engine.check_disks()
            engine.close_abandoned()
        tick(run)

    return close_and_tick


def find_open_run(installation: Installation, run_id: str) -> RunView:
    """Return the run. Raise if it has ended."""
    run = RunReader(open_store(installation.database)).run(run_id)
    if run.ending:
        on_pull = f" {get_pull(run)['number']}" if has_pull(run) else ""
        again = f"reknit {run.kind}{on_pull}"
        raise UsageError("ended", f"{run.id} has ended {run.ending}", help=f"`{again}` starts a new run")
    return run


def resume(installation: Installation, run: RunView, tell: Tell, tick: Tick) -> RunView:
    """Take over the slot that has the run if its holder is dead; otherwise follow the holder, then check again.

    A run in the shared queue belongs to the workers: refuse it rather than wait silently.
    """
    database = open_store(installation.database)
    reader = RunReader(database)
    while True:
        is_queued = RunQueue(database).holds(run.id)  # first: a run leaves this queue after the engine has it
        location = locate_run(installation, run.id) if has_engine_tables(database) else None
        if is_queued or location == ("ENQUEUED", None):
            message = f"{run.id} is queued for a worker"
            raise UsageError("queued", message, help=f"`reknit worker` takes it, `reknit watch {run.id}` follows it")
        try:
            return resume_here(installation, run.id, location[1] if location else None, tell, tick)
        except SlotUnavailableError:
            pass
        with catch_exit_signals() as pause:
            last_view = follow(reader, run.id, RunListener(tell, tick), installation=installation, pause=pause)
        if last_view.state != "left":
            return last_view
