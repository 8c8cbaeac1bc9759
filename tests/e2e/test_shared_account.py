"""Fifty runs on one provider account that says `not now` for a minute: all wait, none fails, nobody knocks too soon."""

import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.app.demo import make_repository
from reknit.app.engine.engine import run_engine
from reknit.app.installation import Installation, find_installation
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.app.start.queue import queue_run
from reknit.core.runs.view import RunView
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.tools.patience import scale
from tests.tools.scripted_model import Request, ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(420)]

RUNS, WORKERS, LIMIT_S = 50, 2, 60.0
AGENT = """
import os, pathlib, urllib.request
body = b'{"model": "claude-haiku-5-5", "max_tokens": 1000, "messages": [{"role": "user", "content": "fix it"}]}'
headers = {"x-api-key": os.environ["TOKEN"], "content-type": "application/json"}
urllib.request.urlopen(urllib.request.Request(os.environ["MODEL"] + "/v1/messages", body, headers)).read()
source = pathlib.Path("shop/pricing.py")
source.write_text(source.read_text().replace("price - percent", "price * (1 - percent / 100)"))
"""
"""One request to its model, then the fix: an agent without a CLI's weight, behind the same gateway."""


class Provider:
    """Answers 429 with its reset time for a minute from the first request on."""

    def __init__(self) -> None:
        self.reset: float | None = None
        self.told: float | None = None
        self.limited = 0

    def __call__(self, request: Request) -> Turn | None:
        self.reset = self.reset or time.time() + LIMIT_S
        left = self.reset - time.time()
        if left <= 0:
            return None
        self.limited += 1
        self.told = self.told or time.time()
        return {"status": 429, "headers": {"retry-after": str(math.ceil(left))}}


@pytest.fixture
def installation(tmp_path: Path, postgres_url: str) -> Installation:
    return find_installation(
        {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "REKNIT_STATE": str(tmp_path / "state"),
            "REKNIT_DATABASE": postgres_url,
            "MODEL_KEY": "sk-one-account",
        }
    )


@pytest.fixture
def workers(installation: Installation) -> Iterator[None]:
    with run_engine(installation):
        """Not on the first day: the engine's tables are there."""
    argv = [sys.executable, "-m", "reknit", "worker", "--concurrency", str(RUNS // WORKERS)]
    with (Path(installation.state).parent / "workers.log").open("wb") as log:
        started = [subprocess.Popen(argv, env=dict(installation.environment), stderr=log) for _ in range(WORKERS)]
        yield
        for worker in started:
            worker.terminate()
            worker.wait(timeout=scale(240))


def ended(installation: Installation, ids: list[str]) -> list[RunView]:
    store = open_store(installation.database)
    reader, pause, deadline = RunReader(store), threading.Event(), time.monotonic() + 300
    while not all(reader.run(run_id).ending for run_id in ids) and time.monotonic() < deadline:
        pause.wait(1.0)
    found = [reader.run(run_id) for run_id in ids]
    assert all(len(reader.attempts(run_id)) == 1 for run_id in ids), "an attempt was lost to the limit"
    store.dispose()
    return found


def queue(installation: Installation, repository: Path, upstream: str) -> list[str]:
    agent = {
        "command": [sys.executable, "-c", AGENT],
        "upstream": upstream,
        "key_env": "MODEL_KEY",
        "env": {"MODEL": "{gateway}", "TOKEN": "{token}"},
    }
    flags = {"fixer": "tiny", "agents": {"tiny": agent}}
    specs = [plan_fix_tests(installation, repository, (), flags).spec for _ in range(RUNS)]
    for spec in specs:
        queue_run(installation, spec)
    return [spec.run_id for spec in specs]


def test_fifty_runs_wait_for_one_account(installation: Installation, tmp_path: Path, workers: None) -> None:
    provider, repository = Provider(), make_repository(tmp_path)
    with ScriptedModel(decide=provider) as model:
        runs = ended(installation, queue(installation, repository, model.url))
    assert [run.ending for run in runs] == ["FIXED"] * RUNS
    assert provider.reset is not None
    assert provider.told is not None
    early = [request.at - provider.told for request in model.log if request.at < provider.reset]
    served = [request for request in model.log if request.at >= provider.reset]
    print(f"\n{RUNS} runs, {len(early)} request(s) told `not now`, the last {max(early):.2f} s after the first answer")
    assert len(served) == RUNS, "each run is answered once, and only after the reset"
    assert max(early) < 1.0, "once the limit was told, the provider was left alone until its reset"
