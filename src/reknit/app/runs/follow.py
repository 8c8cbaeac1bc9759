"""Follows a run by what it leaves in the database: the same for a run of this process and for one far away."""

import threading
from collections.abc import Callable

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
NOBODY_LEAVES: Pause = threading.Event().wait


def follow(
    reader: RunReader,
    run_id: str,
    tell: Callable[[EventView], None],
    tick: Callable[[RunView], None],
    *,
    place: Installation | None = None,
    pause: Pause = NOBODY_LEAVES,
    waits: bool = False,
) -> RunView:
    """Returns when the run has ended or was parked; with `place`, also when whoever works on it died (`left`).

    Raises KeyboardInterrupt when `pause` says that somebody asked to leave. `waits`: for a database that is away, here
    where that is heard.
    """
    seen, turn = 0, 0
    while True:
        try:
            run = reader.run(run_id)  # before the events: an ending never comes ahead of its last event
            events = reader.events(run_id, after=seen)
        except SQLAlchemyError as error:
            if not waits or not is_passing(error):
                raise
            if pause(RETRY_S):
                raise KeyboardInterrupt from None
            continue
        for event in events:
            seen = event.number
            tell(event)
        if place and turn % LOOK_EVERY == 0:
            (run,) = mark_orphaned(place, reader, [run])
        if run.ending or run.state in ("interrupted", "left"):
            return run
        tick(run)
        turn += 1
        if pause(POLL_S):
            raise KeyboardInterrupt
