"""A worker that kills itself with SIGKILL at one exact moment of a run, or carries on what such a worker left.

    python -m tests.crash.worker start SPEC [MOMENT]     starts the run; dies at the MOMENT-th trace, if one is given
    python -m tests.crash.worker replace RUN [VARIANT]   takes the dead worker's slot and waits for the run's end
    python -m tests.crash.worker one_step RUN            the same, but dies when the step it comes to is done
    python -m tests.crash.worker prepare                 leaves a database as one that was used before

One more argument, the last, names the scene, so that its processes can be told from others.
Traces are written to $TRACE_FILE, one `step moment` a line.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Literal

from tests.crash import releases

LEASE_S = 20.0
"""Many workers share few cores: none may be fenced because it had to wait for its turn."""


BEFORE_THE_NEXT_STEP = 2
"""The third trace of a worker that takes over: its first step is done and on disk."""


class Tracer:
    def __init__(self, die_at: int | None) -> None:
        self._die_at, self._count = die_at, 0
        self._file = Path(os.environ["TRACE_FILE"])

    def __call__(self, _run: str, step: str, moment: Literal["before", "after", "failed"]) -> None:
        with self._file.open("a") as file:
            file.write(f"{step} {moment}\n")
        if self._count == self._die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self._count += 1


def start(spec_file: str, die_at: int | None) -> None:
    from reknit.app.engine.engine import run_engine
    from reknit.app.installation import find_installation
    from reknit.app.runs.follow import RunListener, follow
    from reknit.store.runs.reader import RunReader
    from reknit.workflows.runtime.codec import CODEC

    spec = CODEC.deserialize(Path(spec_file).read_text())
    with run_engine(find_installation(os.environ), "any", trace=Tracer(die_at), lease_s=LEASE_S) as engine:
        engine.start(spec)
        follow(RunReader(engine.ledger.engine), spec.run_id, RunListener(lambda _: None, lambda _: None))
        engine.wait_until_recorded(spec.run_id)


def replace(run_id: str, die_at: int | None = None) -> None:
    """Waits for the dead worker's slot: a lease has to run out first, a lock file is free at once."""
    from reknit.app.engine.engine import run_engine
    from reknit.app.engine.slots import SlotUnavailableError
    from reknit.app.installation import find_installation
    from reknit.app.runs.follow import RunListener, follow
    from reknit.store.runs.reader import RunReader

    pause = threading.Event()
    for _ in range(200):
        try:
            with run_engine(find_installation(os.environ), "dirty", trace=Tracer(die_at), lease_s=LEASE_S) as engine:
                engine.resume(run_id)
                follow(RunReader(engine.ledger.engine), run_id, RunListener(lambda _: None, lambda _: None))
                engine.wait_until_recorded(run_id)
                return
        except SlotUnavailableError:
            pause.wait(0.1)
    raise SystemExit("no dead worker's slot was found")


def prepare() -> None:
    from dbos import DBOS

    from reknit.app.engine.engine import run_engine
    from reknit.app.installation import find_installation

    with run_engine(find_installation(os.environ), "any", lease_s=LEASE_S) as engine:
        # the first run under a slot does so, and it takes the engine a second to see it
        DBOS.register_queue(engine.slot.queue, polling_interval_sec=0.1)


def main(what: str, subject: str = "", more: str = "") -> None:
    if what == "prepare":
        prepare()
    elif what == "start":
        start(subject, int(more) if more else None)
    elif what == "one_step":
        replace(subject, BEFORE_THE_NEXT_STEP)
    else:
        if more:
            releases.become(more)
        replace(subject)


if __name__ == "__main__":
    main(*sys.argv[1:-1])
