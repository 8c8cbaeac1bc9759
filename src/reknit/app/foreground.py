"""Runs a repair in this process and follows it; leaving with Ctrl-C parks the run so that `resume` goes on."""

import contextlib
import itertools
import signal
from collections.abc import Callable, Iterator
from types import FrameType

from reknit.app.engine import Engine, running
from reknit.app.follow import follow
from reknit.app.installation import Installation
from reknit.core.run import RunSpec
from reknit.core.run_view import EventView, RunView
from reknit.store.run_reader import RunReader

Tell = Callable[[EventView], None]
Tick = Callable[[RunView], None]


def start(place: Installation, spec: RunSpec, tell: Tell, tick: Tick) -> RunView:
    with running(place) as engine:
        engine.start(spec)
        return _followed(engine, spec.run_id, tell, tick)


def carry_on(place: Installation, run_id: str, slot_number: int | None, tell: Tell, tick: Tick) -> RunView:
    """`slot_number`: the slot of the dead worker that had the run; launching under it brings the run back."""
    with running(place, number=slot_number) as engine:
        engine.carry_on(run_id)
        return _followed(engine, run_id, tell, tick)


def _followed(engine: Engine, run_id: str, tell: Tell, tick: Tick) -> RunView:
    reader = RunReader(engine.ledger.engine)
    try:
        with _leaving_on_signals():
            run = follow(reader, run_id, tell, _burying(engine, tick))
            engine.settle(run_id)
            return run
    except KeyboardInterrupt:
        engine.park(run_id)
        engine.settle(run_id)
        return reader.run(run_id)


def _burying(engine: Engine, tick: Tick) -> Tick:
    """Once in a while, see whether the engine gave the run up: nobody waits for a dead run."""
    ticks = itertools.count(1)

    def both(run: RunView) -> None:
        if next(ticks) % 20 == 0:
            engine.bury()
        tick(run)

    return both


@contextlib.contextmanager
def _leaving_on_signals() -> Iterator[None]:
    """A closed terminal or a service manager's TERM leaves the run as Ctrl-C does."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
