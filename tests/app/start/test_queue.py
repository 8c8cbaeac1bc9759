"""Queueing a run: quickly where the tables are up to date, and in every case as the same rows."""

import subprocess
import sys
from pathlib import Path

import pytest

from reknit.app.installation import Installation
from reknit.app.start.queue import queue_run
from reknit.core.errors import UsageError
from reknit.core.runs.slot import POOL
from reknit.store.database import open_store
from reknit.store.runs.coordination import QueuedRun, RunQueue
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.codec import CODEC
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import make_place, spec


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return make_place(tmp_path)


def test_the_first_run_creates_the_tables(installation: Installation) -> None:
    queue_run(installation, spec("r-1"))
    queue_run(installation, spec("r-2"))
    database = open_store(installation.database)
    waiting = RunQueue(database).oldest(POOL, 10)
    assert sorted(waiting, key=lambda run: run.id) == [
        QueuedRun(f"r-{n}", "fix tests", has_ended=False) for n in (1, 2)
    ]
    first, second = (RunReader(database).run(run_id) for run_id in ("r-1", "r-2"))
    assert (first.state, first.worker) == (second.state, second.worker) == ("queued", "")
    for wanted in (spec("r-1"), spec("r-2")):
        assert CODEC.deserialize(SqlRunLedger(database).document(wanted.run_id, "spec")) == wanted


def test_the_same_run_again_changes_nothing(installation: Installation) -> None:
    for _ in range(3):
        queue_run(installation, spec("r-1"))
    assert [run.id for run in RunQueue(open_store(installation.database)).oldest(POOL, 10)] == ["r-1"]


def test_of_two_runs_on_one_pull_request_the_second_is_refused(installation: Installation) -> None:
    queue_run(installation, spec("r-1", task=TARGET))
    with pytest.raises(UsageError, match="r-1 is open"):
        queue_run(installation, spec("r-2", task=TARGET))
    assert [run.id for run in RunQueue(open_store(installation.database)).oldest(POOL, 10)] == ["r-1"]


def test_neither_the_engine_nor_sqlalchemy_is_loaded(installation: Installation) -> None:
    queue_run(installation, spec("r-1"))
    code = f"""
import sys
from reknit.app.start.queue import queue_run
from reknit.app.installation import find_installation
from reknit.core.agents.call import AgentSettings
from reknit.core.fix_tests.task import FixTests
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
tests, agent = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")
spec = RunSpec("r-2", "/shop", "b" * 40, FixTests(), tests, (agent,))
queue_run(find_installation({{"REKNIT_STATE": {str(installation.state)!r}}}), spec)
print(*({{"dbos", "sqlalchemy", "alembic", "psycopg"}} & set(sys.modules)), file=sys.stderr)
"""
    asked = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert asked.stderr.strip() == ""
    assert RunQueue(open_store(installation.database)).holds("r-2")
