"""A worker: serves the queue under a slot, and makes sure that no dead worker's runs are forgotten."""

import itertools
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from reknit.adapters.process import Detached, start_detached
from reknit.app.engine.client import QUEUE
from reknit.app.engine.engine import Engine, leave_as_worker, running
from reknit.app.engine.exit_signals import Pause, leaving_on_signals
from reknit.app.engine.slots import NoSlot
from reknit.app.installation import Installation

LOOK_S = 1.0
BURY_EVERY = 30
ADOPT_EVERY = 2
DRAIN_S = 5
LAST_STEPS = ("finish", "end.")
"""Name prefixes of the steps that write a run's ending."""


def work(place: Installation, concurrency: int, lease_s: float, *, until_idle: bool, say: Callable[[str], None]) -> int:
    at_work: dict[str, None] = {}

    def told(run_id: str, step: str, moment: str) -> None:
        if moment == "before":
            at_work[run_id] = None
            say(f"{time.strftime('%H:%M:%S')} {run_id} {step.partition('.')[0]}")
        elif moment == "failed" or step.startswith(LAST_STEPS):  # after a failure, a run continues with another step
            at_work.pop(run_id, None)

    def leave(what: str, when: str) -> None:
        leave_as_worker(what, when, list(at_work))

    serving = running(place, "any", queues=(QUEUE,), lease_s=lease_s, trace=told, leave=leave)
    with leaving_on_signals() as pause, serving as engine:
        engine.drain_s = DRAIN_S
        engine.serve_queue(concurrency)
        say(f"worker on {engine.slot.executor_id}: accepts up to {concurrency} runs at once; ctrl-c stops it")
        _serve(engine, lease_s, pause, until_idle=until_idle)
    return 0


def _serve(engine: Engine, lease_s: float, pause: Pause, *, until_idle: bool) -> None:
    adopters: dict[int, SlotAdopter] = {}
    quiet = 0
    for look in itertools.count():
        if pause(LOOK_S):
            return
        engine.check_disks()
        engine.hand_over_queued()
        if look % BURY_EVERY == 0:
            engine.close_abandoned()
        _adopt_orphaned_slots(engine, adopters, lease_s)
        quiet = 0 if not until_idle or engine.has_work() else quiet + 1
        if quiet >= 3:
            return


@dataclass
class SlotAdopter:
    looks: int = 0
    process: Detached | None = None


def _adopt_orphaned_slots(engine: Engine, adopters: dict[int, SlotAdopter], lease_s: float) -> None:
    """A slot that is still dirty at the second look gets no replacement: a short-lived process adopts it."""
    dirty = engine.dirty_slots()
    for number in [number for number in adopters if number not in dirty]:
        del adopters[number]
    for number in dirty:
        adopter = adopters.setdefault(number, SlotAdopter())
        adopter.looks += 1
        is_at_work = adopter.process is not None and adopter.process.poll() is None
        if adopter.looks % ADOPT_EVERY == 0 and not is_at_work:
            argv = [sys.executable, "-P", "-m", "reknit", "worker", "--adopt", "--lease", str(lease_s)]
            adopter.process = start_detached(argv, env=dict(engine.place.environment))


def adopt_one(place: Installation, lease_s: float) -> int:
    """Launching under the dead worker's slot requeues its runs; wait until none is left under it."""
    try:
        with running(place, "dirty", lease_s=lease_s) as engine:
            pause = threading.Event()
            pause.wait(LOOK_S)  # start-up recovery runs in a background thread
            while engine.holds_runs():
                pause.wait(LOOK_S)
    except NoSlot:
        return 0
    return 0
