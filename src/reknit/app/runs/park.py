"""Stops the work on a run of another process, and gives it back to the workers, who continue at the same step."""

import threading

from reknit.app.engine.client import stop_if_open
from reknit.app.installation import Installation
from reknit.app.pull_exports import PullExports
from reknit.core.runs.slot import POOL
from reknit.core.runs.view import RunView
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.store.runs.run_queue import RunQueue

NOTICED_S = 2.0
"""The worker looks once a second whether its run was stopped, and nobody is told when it has seen it."""


def park_run(place: Installation, run_id: str) -> RunView:
    """A run that has ended is only returned."""
    database = open_store(place.database)
    reader = RunReader(database)
    run = reader.run(run_id)
    if run.ending:
        return run
    # First: if this process is killed, a run that is called parked must not go on.
    was_open = stop_if_open(place, database, run.id)
    SqlRunLedger(database).interrupted(run.id, "by a person")
    RunQueue(database).remove(run.id)
    # Again: a worker may have given it to the engine before it could see that the run is parked.
    if stop_if_open(place, database, run.id) or was_open:
        threading.Event().wait(NOTICED_S)
    PullExports(place.hooks, reader).publish(run.repository, run.id)
    return reader.run(run.id)


def queue_again(place: Installation, run_id: str) -> None:
    """A parked run goes back to the queue; nothing happens to any other."""
    database = open_store(place.database)
    SqlRunLedger(database).queued_again(run_id)
    if RunReader(database).run(run_id).state == "queued":
        RunQueue(database).add(run_id, POOL)  # last: a worker stops what it finds there as parked
