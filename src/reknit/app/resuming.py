"""Finds out what became of a run and carries it on in this process, or follows whoever has it."""

from dataclasses import dataclass

from reknit.app import foreground
from reknit.app.engine_client import executor_of, has_engine_tables
from reknit.app.follow import follow
from reknit.app.foreground import Tell, Tick
from reknit.app.installation import Installation
from reknit.app.slots import open_slots
from reknit.core.errors import UsageProblem
from reknit.core.run_view import RunView
from reknit.core.slots import slot_number
from reknit.store.database import open_store
from reknit.store.run_reader import RunReader


@dataclass(frozen=True)
class Found:
    run: RunView
    slot: int | None
    """The dead worker's slot that still holds the run."""
    is_live: bool
    """Somebody else works on it, or it waits in a queue for a worker."""


def find(place: Installation, run_id: str) -> Found:
    database = open_store(place.database)
    run = RunReader(database).run(run_id)
    if run.ending:
        raise UsageProblem("ended", f"{run.id} has ended {run.ending}", help="`reknit fix tests` starts a new run")
    known = executor_of(place, run.id) if has_engine_tables(database) else None
    if known is None or known[0] not in ("PENDING", "ENQUEUED"):
        return Found(run, None, is_live=False)
    if known[0] == "ENQUEUED":
        return Found(run, None, is_live=True)
    number = slot_number(known[1])
    dead = number is not None and number in open_slots(place, database).dirty()
    return Found(run, number if dead else None, is_live=not dead)


def carry_on(place: Installation, found: Found, tell: Tell, tick: Tick) -> RunView:
    if found.is_live:
        return follow(RunReader(open_store(place.database)), found.run.id, tell, tick)
    return foreground.carry_on(place, found.run.id, found.slot, tell, tick)
