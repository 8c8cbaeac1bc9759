"""Leaves a run to a worker. Loads neither the engine nor, where the tables are up to date, SQLAlchemy."""

import sys

from reknit.adapters.process import start_detached
from reknit.app.installation import Installation
from reknit.core.runs.slot import POOL
from reknit.core.runs.spec import RunSpec
from reknit.store.runs.quick_queue import quick_queue
from reknit.workflows.runtime.codec import CODEC


def queue_run(place: Installation, spec: RunSpec) -> None:
    """Queueing the same run again does nothing."""
    has_rival = bool(spec.claims)  # then it must be found out who works on it
    if has_rival or not quick_queue(place.database, spec, CODEC.serialize(spec), POOL):
        _queue(place, spec)


def start_worker(place: Installation) -> None:
    """In the background, until nothing is left to do."""
    # -P: the repository must not choose the modules by lying in the working folder
    start_detached([sys.executable, "-P", "-m", "reknit", "worker", "--until-idle"], env=place.environment)


def _queue(place: Installation, spec: RunSpec) -> None:
    from reknit.app.engine.record import record
    from reknit.store.database import open_store
    from reknit.store.runs.ledger import SqlRunLedger
    from reknit.store.runs.run_queue import RunQueue

    place.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = open_store(place.database)
    record(SqlRunLedger(database), spec)
    RunQueue(database).add(spec.run_id, POOL)
    database.dispose()
