"""Follows a run by what it leaves in the database: the same for a run of this process and for one far away."""

import threading
from collections.abc import Callable

from reknit.core.run_view import EventView, RunView
from reknit.store.run_reader import RunReader

POLL_S = 0.15


def follow(
    reader: RunReader, run_id: str, tell: Callable[[EventView], None], tick: Callable[[RunView], None]
) -> RunView:
    """Returns when the run has ended or was parked."""
    seen, pause = 0, threading.Event()
    while True:
        run = reader.run(run_id)  # before the events: an ending never comes ahead of its last event
        for event in reader.events(run_id, after=seen):
            seen = event.number
            tell(event)
        if run.ending or run.state == "interrupted":
            return run
        tick(run)
        pause.wait(POLL_S)
