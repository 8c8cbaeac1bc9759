"""`kill -9` while an agent or a test runs: everything in the box dies with the worker, and the run still ends once."""

import signal
import threading
import time
from pathlib import Path

import pytest

from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.scene import Scene
from tests.crash.workers import Launch

SLOW_AGENT = (
    '[{"replace": {"shop/pricing.py": ["price - percent", "price * (1 - percent / 100)"]}, "cost_usd": 0.01,'
    ' "run": ["sh", "-c", "setsid sleep 40 & sleep 4"]}]'
)
QUICK_AGENT = SLOW_AGENT.replace("setsid sleep 40 & sleep 4", "true")


@pytest.mark.crash
@pytest.mark.parametrize(
    ("phase", "story", "slow_tests"),
    [("attempt", SLOW_AGENT, False), ("observe", QUICK_AGENT, True), ("verify", QUICK_AGENT, True)],
)
def test_nothing_outlives_the_worker(
    phase: str, story: str, slow_tests: bool, tmp_path: Path, forked: tuple[Launch, Launch]
) -> None:
    scene = Scene(tmp_path, story=story, slow_tests=slow_tests, launch=forked)
    worker = scene.begin()
    database = open_store(scene.installation.database)
    reader, pause, deadline = RunReader(database), threading.Event(), time.monotonic() + 60

    def is_in_the_middle() -> bool:
        runs = reader.runs()
        inside = [pid for pid in scene.processes() if pid != worker.pid]
        return bool(runs) and runs[0].phase == phase and len(inside) >= 2

    while not is_in_the_middle():
        assert time.monotonic() < deadline, scene.log()
        pause.wait(0.02)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    database.dispose()
    assert scene.orphans() == 0
    assert scene.replace() == 0, scene.log()
    left = scene.left()
    assert (left.ending, len(left.landed), len(left.attempts), left.receipts) == ("FIXED", 1, 1, 1)
    assert left.untouched
    assert left.orphans == 0
