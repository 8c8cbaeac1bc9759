"""Passes a forge's webhook event on to the runs it may concern: a reason to poll, never trusted itself."""

from reknit.app.engine.client import client, has_engine_tables
from reknit.app.installation import Installation
from reknit.core.forge.webhook import WebhookEvent
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from reknit.store.runs.run_queue import RunQueue
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.topics import HINT


def pass_on(place: Installation, event: WebhookEvent) -> tuple[str, ...]:
    """The runs that were notified. A repeated delivery is passed on only once."""
    database = open_store(place.database)
    try:
        queue = RunQueue(database)
        concerned = _concerned(RunReader(database), event) if has_engine_tables(database) else ()
        woken = tuple(run_id for run_id in concerned if not queue.holds(run_id))  # one that has not begun will look
    finally:
        database.dispose()
    if woken:
        with client(place) as engine:
            for run_id in woken:
                engine.send(run_id, "look", topic=HINT, idempotency_key=f"{event.delivery}-{run_id}")
    return woken


def _concerned(reader: RunReader, event: WebhookEvent) -> tuple[str, ...]:
    """Runs on that pull request; if the event names only a commit, the runs that work on this commit."""
    open_runs = reader.open_pulls(event.slug)
    if event.number:
        return tuple(run_id for run_id, number in open_runs if number == event.number)
    return tuple(run_id for run_id, _ in open_runs if not event.sha or event.sha == _head(reader, run_id))


def _head(reader: RunReader, run_id: str) -> str:
    """The commit that the run looked at last; empty: it has not looked yet."""
    saved = reader.document(run_id, "sight")
    return str(CODEC.deserialize(saved).head) if saved else ""
