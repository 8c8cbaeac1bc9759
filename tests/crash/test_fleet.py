"""A fleet on Postgres: a worker killed with five runs on it, and races for one slot."""

import contextlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from dbos import WorkflowStatus

from reknit.app.engine.client import open_client
from reknit.app.engine.slots import FileSlots, Slots
from reknit.app.installation import Installation, find_installation
from reknit.app.start.queue import queue_run
from reknit.core.runs.slot import POOL
from reknit.store.database import open_store
from reknit.store.runs.coordination import TableSlots
from reknit.store.runs.reader import RunReader
from tests.crash.scene import Scene
from tests.tools.patience import scale

SLOW = '[{"replace": {"shop/pricing.py": ["price - percent", "price * (1 - percent / 100)"]}, "run": ["sleep", "15"]}]'
"""Long enough for two more workers to start on a busy machine."""
LEASE_S = "3"


def until(what: str, holds: Callable[[], bool], seconds: float = 90.0) -> None:
    pause, deadline = threading.Event(), time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"gave up waiting for: {what}"
        pause.wait(0.1)


def worker(environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-m", "reknit", "worker", "--concurrency", "5", "--lease", LEASE_S]
    return subprocess.Popen(argv, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def held_runs(installation: Installation) -> dict[str, int]:
    """None while the first worker is still creating the engine's tables."""
    found: list[WorkflowStatus] = []
    with open_client(installation) as engine, contextlib.suppress(sa.exc.ProgrammingError):
        found = engine.list_workflows(status="PENDING", load_input=False, load_output=False)
    executors = [str(run.executor_id) for run in found]
    return {executor: executors.count(executor) for executor in executors}


@pytest.mark.crash
@pytest.mark.timeout(300)
def test_all_runs_end_when_one_of_three_workers_is_killed_with_five_on_it(
    tmp_path: Path, new_postgres_database: Callable[[], str]
) -> None:
    database = new_postgres_database()
    scenes = []
    for number in range(7):
        folder = tmp_path / f"scene-{number}"
        folder.mkdir()
        scenes.append(Scene(folder, database, SLOW))
    environment = {**scenes[0].environment, "REKNIT_STATE": str(tmp_path / "state")}
    installation = find_installation(environment)
    for scene in scenes[:5]:
        queue_run(installation, scene.spec)
    doomed = worker(environment)
    workers = [doomed]
    try:
        until("five runs on the first worker", lambda: 5 in held_runs(installation).values())
        workers += [worker(environment), worker(environment)]
        for scene in scenes[5:]:
            queue_run(installation, scene.spec)
        until("runs on a second worker", lambda: len(held_runs(installation)) >= 2)
        doomed.send_signal(signal.SIGKILL)
        doomed.wait()
        assert 5 in held_runs(installation).values()
        store = open_store(database)
        reader = RunReader(store)
        until("every run's end", lambda: all(reader.run(scene.spec.run_id).ending for scene in scenes))
        assert [reader.run(scene.spec.run_id).ending for scene in scenes] == ["FIXED"] * 7
        assert [len(scene.left().landed) for scene in scenes] == [1] * 7
        assert [len(reader.attempts(scene.spec.run_id)) for scene in scenes] == [1] * 7
        store.dispose()
        print("\nfleet: 1 of 3 workers killed with 5 runs on it; 7 of 7 runs FIXED")
    finally:
        for each in workers:
            each.terminate()
            each.wait(timeout=scale(240))


@pytest.mark.crash
@pytest.mark.parametrize("kind", ["table", "file"])
def test_two_workers_never_hold_one_slot(kind: str, tmp_path: Path, new_postgres_database: Callable[[], str]) -> None:
    database = open_store(new_postgres_database())

    def slots(race: int) -> Slots:
        if kind == "file":
            return FileSlots(tmp_path / str(race), POOL)
        return TableSlots(database, f"pool-{race}", lease_s=30)

    rivals, twice = 4, 0
    with ThreadPoolExecutor(rivals) as pool:
        for race in range(100):
            ready = threading.Barrier(rivals)

            def claim(race: int = race, ready: threading.Barrier = ready) -> int:
                mine = slots(race)
                ready.wait()
                slot = mine.claim()
                assert slot is not None
                return slot.number

            numbers = list(pool.map(lambda _: claim(), range(rivals)))
            twice += len(numbers) != len(set(numbers))
    print(f"\n{kind} slots: 100 races of {rivals}, a slot given twice: {twice}")
    assert twice == 0
    database.dispose()
