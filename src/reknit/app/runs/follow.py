"""Follows a run through the database, in this process and in a remote one alike."""

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
    """Callbacks for a run that is followed."""

    tell: Callable[[EventView], None]
    """Receives every event once."""
    tick: Callable[[RunView], None]
    """Receives the current state of the run, several times per second."""


def follow(
    reader: RunReader,
    run_id: str,
    listener: RunListener,
    *,
    installation: Installation | None = None,
    pause: Pause = UNINTERRUPTED,
    waits: bool = False,
) -> RunView:
    """Follow a run until it has ended or was parked; with `installation`, also until its worker died (`left`).

    Raise KeyboardInterrupt when `pause` reports a request to leave. `waits`: wait for an unavailable database here,
    where such a request is noticed.
    """
    last_event, turn = 0, 0
    while True:
        try:
            run = reader.run(run_id)  # before the events, so that an ending never comes before the last event
            events = reader.events(run_id, after=last_event)
        except SQLAlchemyError as error:
            if not waits or not is_passing(error):
                raise
            if pause(RETRY_S):
                raise KeyboardInterrupt from None
            continue
        for event in events:
            last_event = event.number
            listener.tell(event)
        if installation and turn % LOOK_EVERY == 0:
            (run,) = mark_orphaned(installation, reader, [run])
        if run.ending or run.state in ("interrupted", "left"):
            return run
        listener.tick(run)
        turn += 1
        if pause(POLL_S):
            raise KeyboardInterrupt
