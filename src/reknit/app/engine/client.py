"""Inspects the engine, enqueues and cancels runs, without being a worker."""

import contextlib
from collections.abc import Iterator, Sequence

import sqlalchemy as sa
from dbos import DBOSClient, Serializer

from reknit.app.installation import Installation
from reknit.core.runs.slot import Slot, number_of_queue, slot_number
from reknit.store.database import open_engine
from reknit.store.transactions import patiently
from reknit.workflows.runtime.codec import TAGS, TaggedJson

APPLICATION = "reknit"
QUEUE = "runs"


class EngineCodec(TaggedJson, Serializer):
    """The checkpoint codec, as the engine wants it."""


ENGINE_CODEC = EngineCodec(TAGS)


@contextlib.contextmanager
def client(place: Installation) -> Iterator[DBOSClient]:
    engine = open_engine(place.database)
    try:
        with _client_on(engine) as made:
            yield made
    finally:
        engine.dispose()


@contextlib.contextmanager
def _client_on(engine: sa.Engine) -> Iterator[DBOSClient]:
    """Fails at once if the database is unavailable: a client has no lease that would limit its wait."""
    made = DBOSClient(
        system_database_engine=engine,
        application_name=APPLICATION,
        serializer=ENGINE_CODEC,
        retry_connection_errors=False,
    )
    try:
        yield made
    finally:
        made.destroy()


def has_engine_tables(database: sa.Engine) -> bool:
    """A client never creates them; the first launch does."""
    schema = None if database.dialect.name == "sqlite" else "dbos"
    return sa.inspect(database).has_table("workflow_status", schema=schema)


def stop(place: Installation, run_id: str) -> None:
    with client(place) as engine:
        engine.cancel_workflow(run_id)


def stop_if_open(place: Installation, database: sa.Engine, run_id: str) -> bool:
    """False: the engine does not know it, or no longer works on it."""
    known = whereabouts(place, run_id) if has_engine_tables(database) else None
    is_open = known is not None and known[0] in ("PENDING", "ENQUEUED")
    if is_open:
        stop(place, run_id)
    return is_open


def whereabouts(place: Installation, run_id: str) -> tuple[str, int | None] | None:
    """(the engine's status, the slot that has the run); None if the engine does not know the run."""
    with client(place) as engine:
        found = engine.list_workflows(workflow_ids=[run_id], load_input=False, load_output=False)
    if not found:
        return None
    run = found[0]
    if run.status == "PENDING":
        return run.status, slot_number(run.executor_id)
    return run.status, number_of_queue(run.queue_name) if run.status == "ENQUEUED" else None


def cancelled(place: Installation, run_ids: Sequence[str]) -> list[str]:
    """The runs among these that the engine has stopped, and will not continue without a `resume`."""
    with client(place) as engine:
        found = engine.list_workflows(
            workflow_ids=list(run_ids), status="CANCELLED", load_input=False, load_output=False
        )
    return [run.workflow_id for run in found]


def holds_work(place: Installation, slot: Slot) -> bool:
    """Whether runs were in progress under this slot, or wait in its own queue."""
    database = open_engine(place.database)
    try:
        return patiently(database, lambda: _holds_work(database, slot))
    finally:
        database.dispose()


def _holds_work(database: sa.Engine, slot: Slot) -> bool:
    if not has_engine_tables(database):
        return False
    with _client_on(database) as engine:
        mine = slot.executor_id
        return bool(
            engine.list_workflows(status="PENDING", executor_id=mine, limit=1, load_input=False, load_output=False)
            or engine.list_queued_workflows(queue_name=slot.queue, limit=1, load_input=False)
        )
