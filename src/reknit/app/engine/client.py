"""Reads the engine's tables and cancels its runs, without being a worker."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from dbos import DBOSClient, Serializer

from reknit.app.installation import Installation
from reknit.core.runs.slot import Slot, parse_executor_id, parse_queue_name
from reknit.store.database import open_engine
from reknit.store.transactions import call_with_retries
from reknit.workflows.runtime.codec import CODEC

APPLICATION = "reknit"
QUEUE = "runs"


class EngineCodec(Serializer):
    """The checkpoint codec as a serializer of the engine."""

    def name(self) -> str:
        return CODEC.name()

    def serialize(self, data: Any) -> str:
        return CODEC.serialize(data)

    def deserialize(self, serialized_data: str) -> Any:
        return CODEC.deserialize(serialized_data)


ENGINE_CODEC = EngineCodec()


@contextlib.contextmanager
def open_client(installation: Installation) -> Iterator[DBOSClient]:
    """Open a client of the engine for this block."""
    engine = open_engine(installation.database)
    try:
        with _open_client_on(engine) as client:
            yield client
    finally:
        engine.dispose()


@contextlib.contextmanager
def _open_client_on(engine: sa.Engine) -> Iterator[DBOSClient]:
    """Open a client that fails at once if the database is unavailable: no lease would limit its wait."""
    client = DBOSClient(
        system_database_engine=engine,
        application_name=APPLICATION,
        serializer=ENGINE_CODEC,
        retry_connection_errors=False,
    )
    try:
        yield client
    finally:
        client.destroy()


def has_engine_tables(database: sa.Engine) -> bool:
    """Return True if the engine's tables exist. The first launch creates them, a client never does."""
    schema = None if database.dialect.name == "sqlite" else "dbos"
    return sa.inspect(database).has_table("workflow_status", schema=schema)


def cancel_workflow(installation: Installation, run_id: str) -> None:
    """Stop the work on a run. The engine keeps the run, so that it can be resumed."""
    with open_client(installation) as engine:
        engine.cancel_workflow(run_id)


def cancel_if_open(installation: Installation, database: sa.Engine, run_id: str) -> bool:
    """Stop the work on a run. Return False if the engine does not know the run or no longer works on it."""
    location = locate_run(installation, run_id) if has_engine_tables(database) else None
    is_open = location is not None and location[0] in ("PENDING", "ENQUEUED")
    if is_open:
        cancel_workflow(installation, run_id)
    return is_open


def locate_run(installation: Installation, run_id: str) -> tuple[str, int | None] | None:
    """Return the engine's status and the slot of a run; None if the engine does not know the run."""
    with open_client(installation) as engine:
        workflows = engine.list_workflows(workflow_ids=[run_id], load_input=False, load_output=False)
    if not workflows:
        return None
    run = workflows[0]
    if run.status == "PENDING":
        return run.status, parse_executor_id(run.executor_id)
    return run.status, parse_queue_name(run.queue_name) if run.status == "ENQUEUED" else None


def list_cancelled(installation: Installation, run_ids: Sequence[str]) -> list[str]:
    """Return the runs among these that the engine has stopped, and continues only after a `resume`."""
    with open_client(installation) as engine:
        workflows = engine.list_workflows(
            workflow_ids=list(run_ids), status="CANCELLED", load_input=False, load_output=False
        )
    return [run.workflow_id for run in workflows]


def holds_work(installation: Installation, slot: Slot) -> bool:
    """Return True if runs were in progress under this slot, or wait in its own queue."""
    database = open_engine(installation.database)
    try:
        return call_with_retries(database, lambda: _holds_work(database, slot))
    finally:
        database.dispose()


def _holds_work(database: sa.Engine, slot: Slot) -> bool:
    if not has_engine_tables(database):
        return False
    with _open_client_on(database) as engine:
        mine = slot.executor_id
        return bool(
            engine.list_workflows(status="PENDING", executor_id=mine, limit=1, load_input=False, load_output=False)
            or engine.list_queued_workflows(queue_name=slot.queue, limit=1, load_input=False)
        )
