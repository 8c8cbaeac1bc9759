"""Leaves runs to workers. Loads neither the engine nor, where the tables are up to date, SQLAlchemy."""

import sys
import time
from secrets import token_hex

from reknit.adapters.process import start_detached
from reknit.app.installation import Installation
from reknit.core.runs.slot import LEAST_SERVICE_S, POOL
from reknit.core.runs.spec import RunSpec
from reknit.store.runs.quick_queue import quick_queue
from reknit.workflows.runtime.codec import CODEC


def new_run_id() -> str:
    """Return a new id, such as `r-1a2b3c4d`."""
    return f"r-{token_hex(4)}"


def queue_run(installation: Installation, spec: RunSpec) -> None:
    """Queue a run. Queueing the same run again does nothing."""
    has_rival = bool(spec.task.claim)  # then the holder of the claim must be looked up
    if has_rival or not quick_queue(installation.database, spec, CODEC.serialize(spec), POOL):
        _queue(installation, spec)


def start_worker(installation: Installation) -> float:
    """Start a worker in the background. It ends when no work is left.

    Return the monotonic time before which it takes every run that is queued, even if it has no work until then.
    """
    until = time.monotonic() + LEAST_SERVICE_S
    # -P: the repository must not choose the modules by lying in the working folder
    start_detached([sys.executable, "-P", "-m", "reknit", "worker", "--until-idle"], env=installation.environment)
    return until


def _queue(installation: Installation, spec: RunSpec) -> None:
    from reknit.app.engine.registration import record_run
    from reknit.store.database import open_store
    from reknit.store.runs.coordination import RunQueue
    from reknit.store.runs.ledger import SqlRunLedger

    installation.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = open_store(installation.database)
    record_run(SqlRunLedger(database), spec)
    RunQueue(database).add(spec.run_id, POOL)
    database.dispose()
