"""A run on its stage: workers come, are killed and are replaced, and nothing of them may stay."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import cycle
from pathlib import Path

import sqlalchemy as sa

from reknit.app.installation import Installation, find_installation
from reknit.core.runs.spec import RunSpec
from reknit.store.database import is_sqlite, open_store
from reknit.store.tables import slots
from reknit.workflows.runtime.codec import CODEC
from tests.crash.workers import Launch, Worker

WORKER_S = 120
EVERY_NTH = int(os.environ.get("REKNIT_EVERY_NTH", "1"))
"""Of the scenes; 1 plays them all."""
SCENES_AT_ONCE = 3
"""Of one test; two tests run at a time. More than there are cores: they wait as long as they work."""


class Stage:
    """One folder, one run. `launch` says how its workers are started; they take turns."""

    def __init__(self, folder: Path, environment: Mapping[str, str], launch: Sequence[Launch]) -> None:
        self.folder, self.environment, self._launches = folder, environment, cycle(launch)
        self.installation: Installation = find_installation(environment)
        self._log, self._plan = folder / "worker.log", folder / "spec.json"

    def plan(self, spec: RunSpec) -> None:
        self._plan.write_text(CODEC.serialize(spec))

    @cached_property
    def spec(self) -> RunSpec:
        """From the file: its first worker may have planned it."""
        spec = CODEC.deserialize(self._plan.read_text())
        assert isinstance(spec, RunSpec)
        return spec

    def start(self, die_at: int | None = None) -> int:
        return self.begin(die_at).wait(timeout=WORKER_S)

    def begin(self, die_at: int | None = None) -> Worker:
        moment = [] if die_at is None else [str(die_at)]
        return self._worker("start", str(self._plan), *moment)

    def replace(self, variant: str = "") -> int:
        self._outlive_the_lease()
        return self._worker("replace", self.spec.run_id, *([variant] if variant else [])).wait(timeout=WORKER_S)

    def _worker(self, *arguments: str) -> Worker:
        return next(self._launches)([*arguments, str(self.folder)], self.environment, self._log)

    def _outlive_the_lease(self) -> None:
        """The dead worker's lease is over at once; `test_fleet.py` waits for a real one."""
        if is_sqlite(self.installation.database):
            return
        database = open_store(self.installation.database)
        with database.begin() as db:
            db.execute(sa.update(slots).values(expires_at=0.0))
        database.dispose()

    def close(self) -> None:
        """For stages that have more than files and processes."""

    def log(self) -> str:
        return self._log.read_text()[-3000:]

    def traces(self) -> list[str]:
        return Path(self.environment["TRACE_FILE"]).read_text().splitlines()

    def orphans(self) -> int:
        """Processes of this run that are still there, after a moment to die."""
        pause, deadline = threading.Event(), time.monotonic() + 3
        while (count := len(self.processes())) and time.monotonic() < deadline:
            pause.wait(0.05)
        return count

    def processes(self) -> list[int]:
        """Workers name the folder in their arguments; what runs in a box has it among its mounts."""
        others = [entry for entry in Path("/proc").glob("[0-9]*") if int(entry.name) != os.getpid()]
        return [int(entry.name) for entry in others if any(str(self.folder) in mark for mark in _marks(entry))]


def stage_environment(folder: Path, database: str = "") -> dict[str, str]:
    """`database`: a URL; nothing: SQLite in the state folder."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "REKNIT_STATE": str(folder / "state"),
        "TRACE_FILE": str(folder / "trace"),
    }
    return environment | ({"REKNIT_DATABASE": database} if database else {})


def _marks(process: Path) -> Iterator[str]:
    """The arguments of a fork are its server's; but like every worker it speaks to the log in the folder."""
    with contextlib.suppress(OSError):
        yield os.fsdecode((process / "cmdline").read_bytes())
    with contextlib.suppress(OSError):
        yield os.readlink(process / "fd" / "2")
    with contextlib.suppress(OSError):
        yield os.fsdecode((process / "mountinfo").read_bytes())
