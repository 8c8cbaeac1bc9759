"""A worker: serves the queue under a slot, and makes sure that the runs of dead workers continue."""

import itertools
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from reknit.adapters.process import Child, start_detached
from reknit.app.engine.client import QUEUE
from reknit.app.engine.engine import Engine, exit_worker, run_engine
from reknit.app.engine.exit_signals import Pause, catch_exit_signals
from reknit.app.engine.slots import SlotUnavailableError
from reknit.app.installation import Installation
from reknit.core.runs.slot import LEAST_SERVICE_S

LOOK_S = 1.0
QUIET_LOOKS = int(LEAST_SERVICE_S / LOOK_S)
"""Looks without work after which a worker with `until_idle` ends."""
BURY_EVERY = 30
ADOPT_EVERY = 2
DRAIN_S = 5
LAST_STEPS = ("finish", "end.")
"""Name prefixes of the steps that write a run's ending."""


def serve_runs(
    installation: Installation, concurrency: int, lease_s: float, *, until_idle: bool, say: Callable[[str], None]
) -> int:
    """Serve the shared queue until a signal arrives or, with `until_idle`, until no work is left."""
    active_runs: dict[str, None] = {}

    def trace(run_id: str, step: str, moment: str) -> None:
        if moment == "before":
            active_runs[run_id] = None
            say(f"{time.strftime('%H:%M:%S')} {run_id} {step.partition('.')[0]}")
        elif moment == "failed" or step.startswith(LAST_STEPS):  # after a failure, a run continues with another step
            active_runs.pop(run_id, None)

    def leave(problem: str, continuation: str) -> None:
        exit_worker(problem, continuation, list(active_runs))

    worker_engine = run_engine(installation, "any", queues=(QUEUE,), lease_s=lease_s, trace=trace, leave=leave)
    with catch_exit_signals() as pause, worker_engine as engine:
        engine.drain_s = DRAIN_S
        engine.serve_queue(concurrency)
        say(f"worker on {engine.slot.executor_id}: accepts up to {concurrency} runs at once; ctrl-c stops it")
        _serve(engine, lease_s, pause, until_idle=until_idle)
    return 0


def _serve(engine: Engine, lease_s: float, pause: Pause, *, until_idle: bool) -> None:
    adopters: dict[int, SlotAdopter] = {}
    quiet_looks = 0
    for look in itertools.count():
        engine.check_disks()
        engine.hand_over_queued()
        if look % BURY_EVERY == 0:
            engine.close_abandoned()
        _adopt_orphaned_slots(engine, adopters, lease_s)
        quiet_looks = 0 if not until_idle or engine.has_work() else quiet_looks + 1
        if quiet_looks > QUIET_LOOKS or pause(LOOK_S):
            return


@dataclass
class SlotAdopter:
    """The process that takes over an orphaned slot, and how often the slot was seen dirty."""

    looks: int = 0
    process: Child | None = None


def _adopt_orphaned_slots(engine: Engine, adopters: dict[int, SlotAdopter], lease_s: float) -> None:
    """Start a short-lived process for each slot that is still dirty at the second look. It adopts the slot."""
    dirty = engine.list_dirty_slots()
    for number in [number for number in adopters if number not in dirty]:
        del adopters[number]
    for number in dirty:
        adopter = adopters.setdefault(number, SlotAdopter())
        adopter.looks += 1
        is_at_work = adopter.process is not None and adopter.process.poll() is None
        if adopter.looks % ADOPT_EVERY == 0 and not is_at_work:
            argv = [sys.executable, "-P", "-m", "reknit", "worker", "--adopt", "--lease", str(lease_s)]
            adopter.process = start_detached(argv, env=dict(engine.installation.environment))


def adopt_slot(installation: Installation, lease_s: float) -> int:
    """Requeue a dead worker's runs by launching under its slot, and wait until none is left there."""
    try:
        with run_engine(installation, "dirty", lease_s=lease_s) as engine:
            pause = threading.Event()
            pause.wait(LOOK_S)  # start-up recovery runs in a background thread
            while engine.holds_runs():
                pause.wait(LOOK_S)
    except SlotUnavailableError:
        return 0
    return 0
