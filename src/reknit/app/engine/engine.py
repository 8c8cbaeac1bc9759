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

from reknit.app.engine.client import APPLICATION, ENGINE_CODEC, QUEUE, cancelled, holds_work
from reknit.app.engine.exit_signals import leave_at_once
from reknit.app.engine.functions import register_workflows, workflow_of
from reknit.app.engine.record import record
from reknit.app.engine.slots import LeaseKeeper, NoSlot, Slots, open_slots
from reknit.app.installation import Installation
from reknit.app.outages import check_disks, environment_problem
from reknit.app.wiring import services, silent
from reknit.core.errors import DiskFull
from reknit.core.runs.attempt_events import given_up
from reknit.core.runs.outage_text import DATABASE_BACK, SPACE_FREED, left_worker
from reknit.core.runs.slot import POOL, Slot
from reknit.core.runs.spec import RunSpec
from reknit.ports.runs import Outage, Tracer
from reknit.store.database import exclusive, is_sqlite, open_store
from reknit.store.problems import shown_name
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.store.runs.run_queue import RunQueue
from reknit.store.runs.slot_leases import Wanted
from reknit.store.transactions import PATIENCE_S, without_patience
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import install

POLL_S = 1.0
FENCED_EXIT_CODE = 75
PARK_S = 10
WORKERS_S = 3 * POLL_S
Leave = Callable[[str, str], None]
"""Ends this process. Arguments: what is wrong, and when the work can continue."""
MOST_HANDED_OVER = 100
GIVEN_UP = ("ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")


class Engine:
    """Created by `running`, and valid only inside that block."""

    def __init__(self, place: Installation, ledger: SqlRunLedger, slot: Slot, slots: Slots, outage: Outage) -> None:
        self.place, self.ledger, self.slot, self._slots, self._outage = place, ledger, slot, slots, outage
        self.drain_s = 0
        """Seconds to wait on exit for work in this process to end."""
        self.reader = RunReader(without_patience(ledger.engine))
        """For callers that follow a run and must react to Ctrl-C meanwhile."""
        self._queued = RunQueue(ledger.engine)

    def start(self, spec: RunSpec) -> None:
        """Start a run in this process, on the slot's own queue. A second start of the same run does nothing."""
        record(self.ledger, spec)
        with SetWorkflowID(spec.run_id):
            self._own_queue().enqueue(workflow_of(spec.kind), spec)

    def resume(self, run_id: str) -> None:
        """Continue a run that was parked, or whose start was cut short before the engine knew it."""
        self.ledger.running(run_id)  # otherwise its followers still see it as parked
        status = DBOS.get_workflow_status(run_id)
        if status is None:
            self.start(self._spec(run_id))
            return
        if status.status in ("CANCELLED", *GIVEN_UP) or self._nobody_takes(run_id):
            DBOS.resume_workflow(run_id, queue_name=self._own_queue().name)

    def _nobody_takes(self, run_id: str) -> bool:
        """A dead worker's run returns to the shared queue; give live workers a moment to take it."""
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
        opened = self.ledger.open_runs()
        for run in DBOS.list_workflows(workflow_ids=opened, status=list(GIVEN_UP)) if opened else ():
            self.ledger.end(run.workflow_id, given_up(str(run.status)))

    def holds_runs(self) -> bool:
        mine = self.slot.executor_id
        return bool(
            DBOS.list_workflows(status="PENDING", executor_id=mine, limit=1, load_input=False, load_output=False)
            or DBOS.list_queued_workflows(queue_name=self.slot.queue, limit=1, load_input=False)
        )

    def check_disks(self) -> None:
        """A full disk ends this process at once: nothing it does could be recorded."""
        try:
            check_disks(self.place)
        except DiskFull as full:
            self._outage(full)

    def has_work(self) -> bool:
        """Something runs under this slot, or waits for any worker."""
        waits = DBOS.list_queued_workflows(queue_name=QUEUE, limit=1, load_input=False)
        return self.holds_runs() or bool(waits or self._queued.oldest(POOL, limit=1))

    def serve_queue(self, concurrency: int) -> None:
        self._shared_queue = DBOS.register_queue(QUEUE, worker_concurrency=concurrency, polling_interval_sec=POLL_S)

    def hand_over_queued(self) -> None:
        """Gives the runs that were queued to the engine, whichever worker takes them then.

        Each leaves our own queue last, so a crash or another worker in between repeats only what changes nothing.
        """
        for run in self._queued.oldest(POOL, MOST_HANDED_OVER):
            if not run.has_ended:
                with SetWorkflowID(run.id):
                    self._shared_queue.enqueue(workflow_of(run.kind), self._spec(run.id))
            if not self._must_stop(run.id) and self._is_stopped(run.id):
                DBOS.resume_workflow(run.id, queue_name=QUEUE)
            if self._must_stop(run.id):  # last: who parks a run now finds it in the engine
                DBOS.cancel_workflow(run.id)
            self._queued.remove(run.id)

    def _must_stop(self, run_id: str) -> bool:
        """A person cancelled or parked it, perhaps while the engine did not know it."""
        return self.reader.run(run_id).state in ("ended", "interrupted")

    def _is_stopped(self, run_id: str) -> bool:
        status = DBOS.get_workflow_status(run_id)
        return status is not None and status.status == "CANCELLED"

    def _spec(self, run_id: str) -> RunSpec:
        spec: RunSpec = CODEC.deserialize(self.ledger.document(run_id, "spec"))
        return spec

    def _own_queue(self) -> Queue:
        return DBOS.register_queue(self.slot.queue, polling_interval_sec=0.1)

    def dirty_slots(self) -> list[int]:
        return self._slots.dirty()


@contextlib.contextmanager
def running(
    place: Installation, wanted: Wanted | int = "clean", *, trace: Tracer | None = None,
    queues: Sequence[str] = (), lease_s: float | None = None, leave: Leave | None = None,
) -> Iterator[Engine]:  # fmt: skip
    """Claim a slot, by its state or its number, and launch under it.

    The engine's start-up recovery restores what the slot's last holder left.
    """
    place.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    patience_s = PATIENCE_S if is_sqlite(place.database) else float("inf")  # until the lease ends
    database = open_store(place.database, patience_s=patience_s, works=True)
    leave = leave or leave_as_worker
    with contextlib.ExitStack() as closing:
        closing.callback(database.dispose)
        check_disks(place)
        slots = open_slots(place, database, lease_s or place.lease_s)
        slot = closing.enter_context(_held(place, slots, wanted, leave))
        ledger = SqlRunLedger(database, slot.executor_id)
        closing.callback(_record_parked, place, ledger)
        outage = _outage(place, leave)
        made = services(place, ledger, trace or silent, outage)
        closing.callback(made.calls.close)
        install(made)
        engine = Engine(place, ledger, slot, slots, outage)
        closing.enter_context(_logging_to_file(place))
        closing.callback(lambda: DBOS.destroy(workflow_completion_timeout_sec=engine.drain_s))
        _launch(place, slot, (slot.queue, *queues), database)
        yield engine


def _record_parked(place: Installation, ledger: SqlRunLedger) -> None:
    """Also covers a previous holder of this slot that was killed while parking a run.

    Only after the engine is closed: no step is left that could write another state.
    """
    unfinished = ledger.at_work()
    for run_id in cancelled(place, unfinished) if unfinished else ():
        ledger.interrupted(run_id)


@contextlib.contextmanager
def _held(place: Installation, slots: Slots, wanted: Wanted | int, leave: Leave) -> Iterator[Slot]:
    """Release the slot as clean only if nothing under it is left to run; otherwise leave it to be taken over."""

    def fence(reason: str) -> None:
        leave(f"the database {shown_name(place.database)} {reason}", DATABASE_BACK)

    asked = time.monotonic()
    slot = slots.claim("clean", number=wanted) if isinstance(wanted, int) else slots.claim(wanted)
    if slot is None:
        raise NoSlot("slot-held", "a live worker holds that run", help="`reknit watch RUN` follows it")
    keeper = None if slots.lease_s == float("inf") else LeaseKeeper(slots, slot, asked, fence)
    try:
        yield slot
    finally:
        try:
            is_left = holds_work(place, slot)
        finally:
            if keeper:  # not earlier: an unavailable database is waited for until the lease ends
                keeper.stop()
        if not is_left:
            slots.release(slot)


def _launch(place: Installation, slot: Slot, queues: Sequence[str], database: sa.Engine) -> None:
    config: dict[str, Any] = {
        "name": APPLICATION,
        "system_database_url": place.database,
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
    with exclusive(place.database):
        DBOS.launch()


@contextlib.contextmanager
def _logging_to_file(place: Installation) -> Iterator[None]:
    """The engine's messages are for maintainers, not for the terminal."""
    loggers = [logging.getLogger(name) for name in ("dbos", "reknit")]
    handler = logging.handlers.RotatingFileHandler(place.log, maxBytes=5_000_000, backupCount=2, delay=True)
    for logger in loggers:
        logger.handlers[:], logger.propagate = [handler], False  # the engine adds its own only if there is none
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
        handler.close()


def leave_as_worker(what: str, when: str, runs: Sequence[str] = ()) -> None:
    """Another worker may take over our runs at any moment: exit at once; the boxes die with this process."""
    leave_at_once(left_worker(what, when, runs), FENCED_EXIT_CODE)


def _outage(place: Installation, leave: Leave) -> Outage:
    def end_on_outage(error: BaseException) -> None:
        if problem := environment_problem(error, place):
            leave(problem.what, SPACE_FREED if isinstance(problem, DiskFull) else DATABASE_BACK)

    return end_on_outage
