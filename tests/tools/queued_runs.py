"""Queued runs that the engine knows, although no worker serves them."""

from reknit.app.engine.engine import run_engine
from reknit.app.installation import Installation
from reknit.app.start.queue import queue_run
from reknit.core.runs.spec import RunSpec


def queue_in_engine(installation: Installation, *specs: RunSpec) -> None:
    for spec in specs:
        queue_run(installation, spec)
    with run_engine(installation) as engine:
        engine.serve_queue(1)
        engine.hand_over_queued()
