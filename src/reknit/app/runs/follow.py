"""Follows a run through the database: the same way for a run in this process and for a remote one."""

import threading
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from reknit.app.engine.exit_signals import Pause
from reknit.app.installation import Installation
from reknit.app.runs.liveness import mark_orphaned
from reknit.core.runs.view import EventView, RunView
from reknit.store.runs.reader import RunReader
from reknit.store.transactions import is_passing

POLL_S = 0.15
RETRY_S = 0.5
LOOK_EVERY = 20
UNINTERRUPTED: Pause = threading.Event().wait


class RunListener(NamedTuple):
    tell: Callable[[EventView], None]
    """Gets every event once."""
    tick: Callable[[RunView], None]
    """Gets the run as it is, several times per second."""


def follow(
    reader: RunReader,
    run_id: str,
    listener: RunListener,
    *,
    place: Installation | None = None,
    pause: Pause = UNINTERRUPTED,
    waits: bool = False,
) -> RunView:
    """Returns when the run has ended or was parked; with `place`, also when its worker died (`left`).

    Raises KeyboardInterrupt when `pause` reports a request to leave. `waits`: wait for an unavailable database here,
    where such a request is noticed.
    """
    seen, turn = 0, 0
    while True:
        try:
            run = reader.run(run_id)  # before the events: an ending is never seen before the last event
            events = reader.events(run_id, after=seen)
        except SQLAlchemyError as error:
            if not waits or not is_passing(error):
                raise
            if pause(RETRY_S):
                raise KeyboardInterrupt from None
            continue
        for event in events:
            seen = event.number
            listener.tell(event)
        if place and turn % LOOK_EVERY == 0:
            (run,) = mark_orphaned(place, reader, [run])
        if run.ending or run.state in ("interrupted", "left"):
            return run
        listener.tick(run)
        turn += 1
        if pause(POLL_S):
            raise KeyboardInterrupt
