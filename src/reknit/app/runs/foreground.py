"""Runs a repair in this process and follows it; Ctrl-C parks the run so that `resume` can continue it."""

import itertools
from collections.abc import Callable

from reknit.app.engine.engine import Engine, running
from reknit.app.engine.exit_signals import leave_at_once, leaving_on_signals
from reknit.app.installation import Installation
from reknit.app.runs.follow import RunListener, follow
from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE
from reknit.core.runs.outage_text import left_run
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import EventView, RunView
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from reknit.store.runs.slot_leases import Wanted

Tell = Callable[[EventView], None]
Tick = Callable[[RunView], None]


def start(place: Installation, spec: RunSpec, tell: Tell, tick: Tick) -> RunView:
    return _followed(place, None, lambda engine: engine.start(spec), spec.run_id, tell, tick)


def resume(place: Installation, run_id: str, slot_number: int | None, tell: Tell, tick: Tick) -> RunView:
    """`slot_number`: the slot of the dead worker that had the run; launching under it recovers the run."""
    return _followed(place, slot_number, lambda engine: engine.resume(run_id), run_id, tell, tick)


def _followed(
    place: Installation, slot_number: int | None, begin: Callable[[Engine], None], run_id: str, tell: Tell, tick: Tick
) -> RunView:
    def leave(what: str, when: str) -> None:
        leave_at_once(left_run(what, when, run_id), INTERRUPTED_EXIT_CODE)

    wanted: Wanted | int = "clean" if slot_number is None else slot_number
    parked = False
    try:
        with leaving_on_signals() as pause, running(place, wanted, leave=leave) as engine:
            try:
                begin(engine)
                listener = RunListener(tell, _closing_abandoned(engine, tick))
                follow(engine.reader, run_id, listener, pause=pause, waits=True)
                engine.wait_until_recorded(run_id)
            except KeyboardInterrupt:
                engine.suspend(run_id)
                parked = True
    except KeyboardInterrupt:  # a second one, while the work is being stopped
        if not parked:
            raise
    database = open_store(place.database, patience_s=place.lease_s, waits=True)
    run = RunReader(database).run(run_id)
    database.dispose()
    return run


def _closing_abandoned(engine: Engine, tick: Tick) -> Tick:
    """Periodically check whether the engine stopped retrying the run, so that a dead run is not waited for."""
    ticks = itertools.count(1)

    def both(run: RunView) -> None:
        if next(ticks) % 20 == 0:
            engine.check_disks()
            engine.close_abandoned()
        tick(run)

    return both
