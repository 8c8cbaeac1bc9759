"""A worker: serves the queue under a slot, and sees to it that no dead worker's runs are forgotten."""

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from reknit.adapters.process import start_detached
from reknit.app.engine import Engine, running
from reknit.app.installation import Installation
from reknit.app.slots import NoSlot

LOOK_S = 1.0
DRAIN_S = 5


def work(place: Installation, concurrency: int, lease_s: float, *, until_idle: bool, say: Callable[[str], None]) -> int:
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)

    def told(run_id: str, step: str, moment: str) -> None:
        if moment == "before":
            say(f"{time.strftime('%H:%M:%S')} {run_id} {step.partition('.')[0]}")

    with running(place, "any", queues=True, lease_s=lease_s, trace=told, drain_s=DRAIN_S) as engine:
        engine.serve_queue(concurrency)
        say(f"worker on {engine.slot.executor_id}: takes up to {concurrency} runs at once; ctrl-c ends it")
        _serve(engine, lease_s, stopping, until_idle=until_idle)
    return 0


def _serve(engine: Engine, lease_s: float, stopping: threading.Event, *, until_idle: bool) -> None:
    adopters: dict[int, int] = {}
    quiet = 0
    while not stopping.wait(LOOK_S):
        engine.bury()
        _see_to_the_dead(engine, adopters, lease_s)
        quiet = 0 if engine.has_work() else quiet + 1
        if until_idle and quiet >= 3:
            return


def _see_to_the_dead(engine: Engine, adopters: dict[int, int], lease_s: float) -> None:
    """A slot that stays dirty for two looks has no replacement coming: a short-lived process adopts it."""
    dirty = engine.dirty_slots()
    for number in [number for number in adopters if number not in dirty]:
        del adopters[number]
    for number in dirty:
        adopters[number] = adopters.get(number, 0) + 1
        if adopters[number] == 2:
            argv = [sys.executable, "-m", "reknit", "worker", "--adopt", "--lease", str(lease_s)]
            start_detached(argv, env=dict(engine.place.environment))


def adopt_one(place: Installation, lease_s: float) -> int:
    """Launching under the dead worker's slot puts its runs back on their queues; wait until none is left under it."""
    try:
        with running(place, "dirty", lease_s=lease_s) as engine:
            pause = threading.Event()
            pause.wait(LOOK_S)  # start-up recovery works in a background thread
            while engine.holds_runs():
                pause.wait(LOOK_S)
    except NoSlot:
        return 0
    return 0
