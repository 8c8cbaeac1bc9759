"""The durable engine in this process: claims one slot, launches once, and starts, resumes or dequeues runs."""

import contextlib
import logging
import logging.handlers
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, Queue, SetWorkflowID
from dbos import error as dbos_error
from sqlalchemy.exc import SQLAlchemyError

from reknit.app.config.load import load
from reknit.app.engine.client import APPLICATION, ENGINE_CODEC, QUEUE, holds_work, list_cancelled
from reknit.app.engine.exit_signals import exit_now
from reknit.app.engine.registration import load_workflow, record_run, register_workflows
from reknit.app.engine.slots import LeaseKeeper, Slots, SlotUnavailableError, open_slots
from reknit.app.installation import Installation
from reknit.app.outages import check_disks, find_outage
from reknit.app.telemetry import JsonFormatter
from reknit.app.wiring import make_services, trace_nothing
from reknit.core.errors import DiskFullError
from reknit.core.runs.attempt_events import end_given_up_run
from reknit.core.runs.outage_text import DATABASE_BACK, SPACE_FREED, explain_left_worker
from reknit.core.runs.slot import POOL, Slot
from reknit.core.runs.spec import RunSpec
from reknit.ports.runs import Outage, Tracer
from reknit.store.database import is_sqlite, lock_schema, open_store
from reknit.store.problems import display_name
from reknit.store.runs.coordination import RunQueue, Wanted
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.store.transactions import PATIENCE_S, disable_retries
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import install

POLL_S, LOCAL_POLL_S = 1.0, 0.2
"""Seconds between two looks for queued runs: many workers share a server, and a person waits for a local one."""
FENCED_EXIT_CODE = 75
PARK_S = 10
WORKERS_S = 3 * POLL_S
Leave = Callable[[str, str], None]
"""Ends this process. Arguments: what is wrong, and when the work can continue."""
MAX_HANDED_OVER_RUNS = 100
GIVEN_UP = ("ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")


class Engine:
    """The launched engine. `run_engine` creates it, and it is valid only inside that block."""

    def __init__(
        self, installation: Installation, ledger: SqlRunLedger, slot: Slot, slots: Slots, outage: Outage
    ) -> None:
        self.installation, self.ledger, self.slot, self._slots, self._outage = installation, ledger, slot, slots, outage
        self.drain_s = 0
        """Seconds that the exit waits for work in this process to end."""
        self.reader = RunReader(disable_retries(ledger.engine))
        """For callers that follow a run and must react to Ctrl-C meanwhile."""
        self._queued = RunQueue(ledger.engine)

    def start(self, spec: RunSpec) -> None:
        """Start a run in this process, on the slot's own queue. A second start of the same run does nothing."""
        record_run(self.ledger, spec)
        with SetWorkflowID(spec.run_id):
            self._register_own_queue().enqueue(load_workflow(spec.kind), spec)

    def resume(self, run_id: str) -> None:
        """Continue a run that was parked, or whose start was cut short before the engine knew it."""
        self.ledger.set_running(run_id)  # otherwise its followers still see it as parked
        status = DBOS.get_workflow_status(run_id)
        if status is None:
            self.start(self._read_spec(run_id))
            return
        if status.status in ("CANCELLED", *GIVEN_UP) or self._is_unclaimed(run_id):
            DBOS.resume_workflow(run_id, queue_name=self._register_own_queue().name)

    def _is_unclaimed(self, run_id: str) -> bool:
        """Return True if no live worker takes a dead worker's run from the shared queue in a moment."""
        pause, deadline = threading.Event(), time.monotonic() + WORKERS_S
        while (status := DBOS.get_workflow_status(run_id)) and status.queue_name == QUEUE:
            is_mine = status.status == "PENDING" and status.executor_id == self.slot.executor_id  # not requeued yet
            if status.status != "ENQUEUED" and not is_mine:
                return False
            if time.monotonic() > deadline and not is_mine:
                return True
            pause.wait(0.1)
        return False

    def wait_until_recorded(self, run_id: str) -> None:
        """Wait until the engine itself has recorded the run's end, so that its slot is released clean."""
        with contextlib.suppress(dbos_error.DBOSException):  # the result of a parked run is its cancellation
            DBOS.retrieve_workflow(run_id).get_result(polling_interval_sec=0.05)

    def suspend(self, run_id: str) -> None:
        """Stop the work on a run in this process, including its agent, so that `resume` continues at the same step."""
        try:
            state = self.reader.run(run_id).state
        except SQLAlchemyError as error:
            self._outage(error)
            raise
        self.drain_s = 0 if state == "waiting" else PARK_S
        DBOS.cancel_workflow(run_id)

    def close_abandoned(self) -> None:
        """Record an ending for runs the engine stopped retrying because they repeatedly killed their worker."""
        opened = self.ledger.list_open_runs()
        for run in DBOS.list_workflows(workflow_ids=opened, status=list(GIVEN_UP)) if opened else ():
            self.ledger.end(run.workflow_id, end_given_up_run(str(run.status)))

    def holds_runs(self) -> bool:
        mine = self.slot.executor_id
        return bool(
            DBOS.list_workflows(status="PENDING", executor_id=mine, limit=1, load_input=False, load_output=False)
            or DBOS.list_queued_workflows(queue_name=self.slot.queue, limit=1, load_input=False)
        )

    def check_disks(self) -> None:
        """End this process at once if a disk is full: nothing it does could be recorded."""
        try:
            check_disks(self.installation)
        except DiskFullError as full:
            self._outage(full)

    def has_work(self) -> bool:
        """Return True if something runs under this slot, or waits for any worker."""
        waits = DBOS.list_queued_workflows(queue_name=QUEUE, limit=1, load_input=False)
        return self.holds_runs() or bool(waits or self._queued.oldest(POOL, limit=1))

    def serve_queue(self, concurrency: int) -> None:
        poll_s = LOCAL_POLL_S if is_sqlite(self.installation.database) else POLL_S
        self._shared_queue = DBOS.register_queue(QUEUE, worker_concurrency=concurrency, polling_interval_sec=poll_s)

    def hand_over_queued(self) -> None:
        """Give the queued runs to the engine, so that any worker can take them.

        Each run leaves our own queue last: after a crash, or beside another worker, repeating it changes nothing.
        """
        for run in self._queued.oldest(POOL, MAX_HANDED_OVER_RUNS):
            if not run.has_ended:
                with SetWorkflowID(run.id):
                    self._shared_queue.enqueue(load_workflow(run.kind), self._read_spec(run.id))
            if not self._must_stop(run.id) and self._is_stopped(run.id):
                DBOS.resume_workflow(run.id, queue_name=QUEUE)
            if self._must_stop(run.id):  # last: a person who parks the run from now on finds it in the engine
                DBOS.cancel_workflow(run.id)
            self._queued.remove(run.id)

    def _must_stop(self, run_id: str) -> bool:
        """Return True if a person cancelled or parked the run, perhaps while the engine did not know it."""
        return self.reader.run(run_id).state in ("ended", "interrupted")

    def _is_stopped(self, run_id: str) -> bool:
        status = DBOS.get_workflow_status(run_id)
        return status is not None and status.status == "CANCELLED"

    def _read_spec(self, run_id: str) -> RunSpec:
        spec: RunSpec = CODEC.deserialize(self.ledger.document(run_id, "spec"))
        return spec

    def _register_own_queue(self) -> Queue:
        return DBOS.register_queue(self.slot.queue, polling_interval_sec=0.1)

    def list_dirty_slots(self) -> list[int]:
        return self._slots.list_dirty()


@contextlib.contextmanager
def run_engine(
    installation: Installation, slot_choice: Wanted | int = "clean", *, trace: Tracer | None = None,
    queues: Sequence[str] = (), lease_s: float | None = None, leave: Leave | None = None,
) -> Iterator[Engine]:  # fmt: skip
    """Claim a slot, by its state or its number, and launch the engine under it.

    The engine's start-up recovery restores the runs of the slot's last holder.
    """
    installation.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    patience_s = PATIENCE_S if is_sqlite(installation.database) else float("inf")  # until the lease ends
    database = open_store(installation.database, patience_s=patience_s, works=True)
    leave = leave or exit_worker
    with contextlib.ExitStack() as closing:
        closing.callback(database.dispose)
        check_disks(installation)
        slots = open_slots(installation, database, lease_s or installation.lease_s)
        slot = closing.enter_context(_hold_slot(installation, slots, slot_choice, leave))
        ledger = SqlRunLedger(database, slot.executor_id)
        closing.callback(_record_parked, installation, ledger)
        outage = _make_outage_handler(installation, leave)
        process_services = make_services(installation, ledger, trace or trace_nothing, outage)
        closing.callback(process_services.calls.close)
        install(process_services)
        engine = Engine(installation, ledger, slot, slots, outage)
        closing.enter_context(_log_to_file(installation))
        closing.callback(lambda: DBOS.destroy(workflow_completion_timeout_sec=engine.drain_s))
        _launch(installation, slot, (slot.queue, *queues), database)
        yield engine


def _record_parked(installation: Installation, ledger: SqlRunLedger) -> None:
    """Record the runs that were parked, also by a holder of this slot that was killed while it parked them.

    Call only after the engine is closed: then no step is left that could write another state.
    """
    unfinished = ledger.list_active_runs()
    for run_id in list_cancelled(installation, unfinished) if unfinished else ():
        ledger.set_interrupted(run_id)


@contextlib.contextmanager
def _hold_slot(installation: Installation, slots: Slots, slot_choice: Wanted | int, leave: Leave) -> Iterator[Slot]:
    """Hold a slot. Release it as clean only if no work is left under it; otherwise another worker takes it over."""

    def fence(reason: str) -> None:
        leave(f"the database {display_name(installation.database)} {reason}", DATABASE_BACK)

    claimed_at = time.monotonic()
    slot = slots.claim("clean", number=slot_choice) if isinstance(slot_choice, int) else slots.claim(slot_choice)
    if slot is None:
        raise SlotUnavailableError("slot-held", "a live worker holds that run", help="`reknit watch RUN` follows it")
    keeper = None if slots.lease_s == float("inf") else LeaseKeeper(slots, slot, claimed_at, fence)
    try:
        yield slot
    finally:
        try:
            has_work = holds_work(installation, slot)
        finally:
            if keeper:  # not earlier: an unavailable database is waited for until the lease ends
                keeper.stop()
        if not has_work:
            slots.release(slot)


def _launch(installation: Installation, slot: Slot, queues: Sequence[str], database: sa.Engine) -> None:
    config: dict[str, Any] = {
        "name": APPLICATION,
        "system_database_url": installation.database,
        "system_database_engine": database,  # one pool for the engine and reknit
        "executor_id": slot.executor_id,
        "application_version": POOL,
        "log_level": "ERROR",
        "serializer": ENGINE_CODEC,
        "notification_listener_polling_interval_sec": 0.1,  # also how long shutdown takes
    }
    register_workflows()
    DBOS(config=config)  # type: ignore[arg-type]
    DBOS.listen_queues(queues)
    with lock_schema(installation.database):
        DBOS.launch()


@contextlib.contextmanager
def _log_to_file(installation: Installation) -> Iterator[None]:
    """Write the engine's messages to the log file: they are for maintainers, not for the terminal."""
    loggers = [logging.getLogger(name) for name in ("dbos", "reknit")]
    handler = logging.handlers.RotatingFileHandler(installation.log, maxBytes=5_000_000, backupCount=2, delay=True)
    if load(None, {}, installation.environment).telemetry.log_format == "json":
        handler.setFormatter(JsonFormatter())
    for logger in loggers:
        logger.handlers[:], logger.propagate = [handler], False  # the engine adds its own only if there is none
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
        handler.close()


def exit_worker(problem: str, continuation: str, runs: Sequence[str] = ()) -> None:
    """Exit at once, because another worker may take over our runs at any moment; the boxes end with this process."""
    exit_now(explain_left_worker(problem, continuation, runs), FENCED_EXIT_CODE)


def _make_outage_handler(installation: Installation, leave: Leave) -> Outage:
    def end_on_outage(error: BaseException) -> None:
        if problem := find_outage(error, installation):
            leave(problem.message, SPACE_FREED if isinstance(problem, DiskFullError) else DATABASE_BACK)

    return end_on_outage
