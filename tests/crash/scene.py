"""A repository, a run of three attempts and one wait in it, and what such a run must leave, crash or no crash."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from reknit.app.demo import LEARNER, make_repository
from reknit.app.installation import Installation, installation
from reknit.app.start import plan_fix_tests
from reknit.core.run import RunSpec
from reknit.flows.codec import CODEC
from reknit.store.database import open_store
from reknit.store.run_reader import RunReader
from tests.tools.repository_print import fingerprint

STORY = LEARNER.replace(
    '"replace"', '"outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1, "replace"', 2
).replace('"outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1, ', "", 1)
"""The demo's learner; its third attempt is told `not now` once."""


@dataclass(frozen=True)
class Left:
    """Everything a run leaves that must not depend on crashes."""

    ending: str | None
    landed: tuple[str, ...]
    """Trees of the commits on the run's branch."""
    attempts: tuple[tuple[int, str, str | None, str | None], ...]
    receipts: int
    untouched: bool
    orphans: int
    spent_usd: float = field(compare=False)
    """Compared apart: a call whose answer died with its worker is made, and paid for, again."""
    waits: int = field(compare=False)
    """Not compared: a limit that was told to a worker that died need not be there for the next one."""


class Scene:
    def __init__(self, folder: Path, database: str = "", story: str = STORY, *, slow_tests: bool = False) -> None:
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "REKNIT_STATE": str(folder / "state"),
            "TRACE_FILE": str(folder / "trace"),
        }
        if database:
            self.environment["REKNIT_DATABASE"] = database
        self.place: Installation = installation(self.environment)
        self.repository = make_repository(folder)
        if slow_tests:
            _slow_down(self.repository)
        flags = {"fixer": "scripted", "agents": {"scripted": {"story": story}}}
        plan = plan_fix_tests(self.place, self.repository, (), flags)
        self.spec: RunSpec = plan.spec
        self.before = fingerprint(self.repository)
        (folder / "spec.json").write_text(CODEC.serialize(self.spec))

    def start(self, die_at: int | None = None) -> int:
        return self.begin(die_at).wait(timeout=120)

    def begin(self, die_at: int | None = None) -> "subprocess.Popen[bytes]":
        moment = [] if die_at is None else [str(die_at)]
        return self._worker("start", str(self.folder / "spec.json"), *moment)

    def replace(self, variant: str = "") -> int:
        return self._worker("replace", self.spec.run_id, *([variant] if variant else [])).wait(timeout=120)

    def _worker(self, *arguments: str) -> "subprocess.Popen[bytes]":
        argv = [sys.executable, "-m", "tests.crash.worker", *arguments, str(self.folder)]
        with (self.folder / "worker.log").open("a") as log:
            return subprocess.Popen(argv, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self) -> str:
        return (self.folder / "worker.log").read_text()[-3000:]

    def traces(self) -> list[str]:
        return (self.folder / "trace").read_text().splitlines()

    def left(self) -> Left:
        database = open_store(self.place.database)
        reader = RunReader(database)
        run_id = self.spec.run_id
        attempts = tuple(
            (attempt.number, attempt.strategy, attempt.outcome, str((attempt.proof or {}).get("word")))
            for attempt in reader.attempts(run_id)
        )
        found = Left(
            ending=reader.run(run_id).ending,
            landed=self._landed(),
            attempts=attempts,
            receipts=len(reader.receipts(run_id)),
            waits=sum(seen.event.kind == "waiting" for seen in reader.events(run_id)),
            untouched=fingerprint(self.repository) == self.before,
            orphans=self.orphans(),
            spent_usd=round(reader.run(run_id).spent_usd, 6),
        )
        database.dispose()
        return found

    def _landed(self) -> tuple[str, ...]:
        branch = f"refs/heads/reknit/{self.spec.run_id}"
        argv = [
            "git",
            "-C",
            str(self.repository),
            "rev-list",
            "--format=%T",
            "--no-commit-header",
            f"{self.spec.base}..{branch}",
        ]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        return tuple(done.stdout.split())

    def orphans(self) -> int:
        """Processes of this scene that are still there, after a moment to die."""
        pause, deadline = threading.Event(), time.monotonic() + 3
        while (count := len(self.processes())) and time.monotonic() < deadline:
            pause.wait(0.05)
        return count

    def processes(self) -> list[int]:
        """Workers name the scene's folder in their arguments; what runs in a box has it among its mounts."""
        word, found = str(self.folder).encode(), []
        for entry in Path("/proc").glob("[0-9]*"):
            if int(entry.name) == os.getpid():
                continue
            try:
                known = word in (entry / "cmdline").read_bytes() or word in (entry / "mountinfo").read_bytes()
            except OSError:
                continue
            found += [int(entry.name)] if known else []
        return found


def _slow_down(repository: Path) -> None:
    """Long enough to be killed in the middle of a test run."""
    file = repository / "tests" / "test_pricing.py"
    file.write_text("import time\n\ntime.sleep(1.5)\n" + file.read_text())
    who = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", *who, "commit", "-qam", "slow tests"], cwd=repository, check=True)
