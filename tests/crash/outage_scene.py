"""A run that meets an outage: started by a person in a terminal or taken from the queue by a worker."""

import re
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reknit.app.demo import make_repository
from reknit.app.installation import find_installation
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.app.start.queue import queue_run
from reknit.core.runs.view import RunView
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.scene import write_quick_tests
from tests.tools.command_line import CommandLine

LEASE_S = 15
PATIENCE_S = 240.0


def until(what: str, holds: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    pause, deadline = threading.Event(), time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"gave up waiting for: {what}"
        pause.wait(0.05)


@dataclass
class Outcome:
    """What one run left, and how the process that met the outage ended."""

    exit_code: int
    err: str
    run: RunView
    starts: list[int]
    """How often each attempt was started."""
    commits: int
    receipts: int


_WAIT = """\
import os, pathlib, time

while "1 - percent" in pathlib.Path("shop/pricing.py").read_text() and not os.path.exists({gate!r}):
    time.sleep(0.05)

"""
"""The tests of a repaired tree wait."""


class OutageScene:
    """`holds`: where the run waits until `let_go`: in the agent's work or in the tests of its fix."""

    def __init__(
        self,
        folder: Path,
        database: str = "",
        *,
        holds: Literal["attempt", "verify", ""] = "",
        state: Path | None = None,
    ) -> None:
        (folder / "shown").mkdir(parents=True)
        self.folder, self.database, self.holds = folder, database, holds
        self.repository = make_repository(folder)
        self._gate = folder / "shown" / "go"
        write_quick_tests(self.repository, _WAIT.format(gate=str(self._gate)) if holds == "verify" else "")
        more = {"REKNIT_DATABASE": database, "REKNIT_LEASE_S": str(LEASE_S)} if database else {}
        more |= {"REKNIT_STATE": str(state)} if state else {}
        self.reknit = CommandLine(folder, more)
        waits = ["sh", "-c", f"while [ ! -e {self._gate} ]; do sleep 0.05; done"]
        move = {"replace": {"shop/pricing.py": ["price - percent", "price * (1 - percent / 100)"]}, "cost_usd": 0.01}
        shown = {"show": [str(self._gate.parent)]}
        self.reknit.tell_story({**move, "run": waits} if holds == "attempt" else move, workspace=shown)
        self.url = database or f"sqlite:///{folder}/state/reknit.sqlite"

    def let_go(self) -> None:
        self._gate.touch()

    def in_terminal(self) -> "subprocess.Popen[str]":
        return self.reknit.start("fix", "tests", cwd=self.repository)

    def queue(self) -> str:
        child = self.reknit.start("fix", "tests", "--queue", cwd=self.repository)
        out, err = child.communicate(timeout=PATIENCE_S)
        assert child.returncode == 0, err
        return out.split()[0]

    def queue_quickly(self) -> None:
        """In this process, on a database that was used before: a command takes a second only to start."""
        installation = find_installation(self.reknit.environment)
        queue_run(installation, plan_fix_tests(installation, self.repository, (), {}).spec)

    def worker(self, *options: str) -> "subprocess.Popen[str]":
        return self.reknit.start("worker", *(options or ("--until-idle",)), cwd=self.folder)

    def resume(self, run_id: str) -> Outcome:
        return self.outcome(self.reknit.start("resume", run_id, cwd=self.folder))

    def run_ids(self) -> list[str]:
        return [run.id for run in self._runs()]

    def endings(self) -> list[str | None]:
        return [run.ending for run in self._runs()]

    def until_held(self) -> None:
        until(f"a run in {self.holds}", self._is_held)

    def _is_held(self) -> bool:
        engine = open_store(self.url)
        try:
            reader = RunReader(engine)
            runs = reader.runs(repository=str(self.repository))
            # A step begins before its attempt is counted.
            return any(run.phase == self.holds and reader.attempts(run.id) for run in runs)
        finally:
            engine.dispose()

    def _runs(self) -> list[RunView]:
        engine = open_store(self.url)
        try:
            return list(RunReader(engine).runs(repository=str(self.repository)))
        finally:
            engine.dispose()

    def outcome(self, child: "subprocess.Popen[str]") -> Outcome:
        _out, err = child.communicate(timeout=PATIENCE_S)
        return self.left_by(child.returncode, err)

    def left_by(self, exit_code: int, err: str) -> Outcome:
        engine = open_store(self.url)
        reader = RunReader(engine)
        (run,) = reader.runs(repository=str(self.repository))
        starts, receipts = [attempt.starts for attempt in reader.attempts(run.id)], len(reader.receipts(run.id))
        engine.dispose()
        return Outcome(exit_code, err, run, starts, self._commits(run), receipts)

    def _commits(self, run: RunView) -> int:
        argv = ["git", "-C", str(self.repository), "rev-list", "--count", f"{run.base}..refs/heads/reknit/{run.id}"]
        counted = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
        return int(counted) if re.fullmatch(r"\d+\n", counted) else 0
