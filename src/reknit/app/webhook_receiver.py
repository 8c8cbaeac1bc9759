"""Handles webhooks: verifies each delivery once, wakes the runs that it concerns, and records merged issues."""

import threading
import time
from collections.abc import Callable, Mapping

from reknit.adapters.github.webhook import read_delivery
from reknit.app.engine.client import has_engine_tables, open_client
from reknit.app.installation import Installation
from reknit.app.issues.merges import MergeLookup, follow_merge, look_for_merge
from reknit.app.makers import make_forge_maker
from reknit.app.outages import RaiseOutages
from reknit.core.forge.values import WebhookEvent
from reknit.store.database import open_store
from reknit.store.runs.coordination import RunQueue
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.codec import CODEC, HINT


def wake_runs(installation: Installation, event: WebhookEvent) -> tuple[str, ...]:
    """Notify the runs that the event may concern, and return them.

    An event is only a reason to poll, and never trusted itself. A repeated delivery is passed on only once.
    """
    database = open_store(installation.database)
    try:
        queue = RunQueue(database)
        concerned_runs = _find_concerned(RunReader(database), event) if has_engine_tables(database) else ()
        woken = tuple(
            run_id for run_id in concerned_runs if not queue.holds(run_id)
        )  # one that has not begun will look
    finally:
        database.dispose()
    if woken:
        with open_client(installation) as engine:
            for run_id in woken:
                engine.send(run_id, "look", topic=HINT, idempotency_key=f"{event.delivery}-{run_id}")
    return woken


def _find_concerned(reader: RunReader, event: WebhookEvent) -> tuple[str, ...]:
    """Return the runs on that pull request; if the event names only a commit, the runs that work on this commit."""
    open_runs = reader.open_pulls(event.slug)
    if event.number:
        return tuple(run_id for run_id, number in open_runs if number == event.number)
    return tuple(run_id for run_id, _ in open_runs if not event.sha or event.sha == _read_last_head(reader, run_id))


def _read_last_head(reader: RunReader, run_id: str) -> str:
    """Return the commit that the run looked at last; empty if it has not looked yet."""
    saved = reader.document(run_id, "sight")
    return str(CODEC.deserialize(saved).head) if saved else ""


class WebhookReceiver:
    """Receives deliveries in many threads. Only one at a time wakes runs, and only one looks for merges."""

    def __init__(self, installation: Installation, secret: str, say: Callable[[str], None]) -> None:
        self._place, self._secret, self._say = installation, secret, say
        self._forges = make_forge_maker(installation.environment)
        self._waking, self._looking = threading.Lock(), threading.Lock()

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookEvent | None:
        return read_delivery(headers, body, self._secret)

    def wake(self, event: WebhookEvent) -> tuple[str, ...]:
        if not event.slug:
            return ()
        with self._waking, RaiseOutages(self._place):
            return wake_runs(self._place, event)

    def follow(self, event: WebhookEvent) -> None:
        follow_merge(event, self._look, self._say, time.sleep)

    def _look(self, event: WebhookEvent) -> MergeLookup:
        with self._looking, RaiseOutages(self._place):
            return look_for_merge(self._place, event, self._forges, at=time.time())
