"""Queued runs reach the engine once, however often a worker is interrupted while it hands them over."""

from pathlib import Path

import pytest

from reknit.app.engine.client import QUEUE, locate_run, open_client
from reknit.app.engine.engine import run_engine
from reknit.app.installation import Installation
from reknit.app.runs.stop import cancel_run
from reknit.app.start.queue import queue_run
from reknit.core.runs.ending import Ending
from reknit.core.runs.slot import POOL
from reknit.store.database import open_store
from reknit.store.runs.coordination import RunQueue
from tests.tools.queued_runs import queue_in_engine
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return make_place(tmp_path)


def in_engine(installation: Installation) -> list[str]:
    with open_client(installation) as engine:
        return [run.workflow_id for run in engine.list_queued_workflows(queue_name=QUEUE)]


def test_a_run_leaves_the_queue_when_the_engine_has_it(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"), spec("r-2"))
    assert sorted(in_engine(installation)) == ["r-1", "r-2"]
    assert RunQueue(open_store(installation.database)).oldest(POOL, 10) == []


def test_handing_over_again_changes_nothing(installation: Installation) -> None:
    """As after a crash between the two writes."""
    queue_in_engine(installation, spec("r-1"))
    RunQueue(open_store(installation.database)).add("r-1", POOL)
    queue_in_engine(installation)
    assert in_engine(installation) == ["r-1"]
    assert not RunQueue(open_store(installation.database)).holds("r-1")


def test_a_run_cancelled_in_the_queue_never_starts(installation: Installation) -> None:
    queue_run(installation, spec("r-1"))
    cancel_run(installation, "r-1")
    queue_in_engine(installation)
    assert (in_engine(installation), locate_run(installation, "r-1")) == ([], None)
    assert not RunQueue(open_store(installation.database)).holds("r-1")


def test_a_run_cancelled_while_it_was_handed_over_never_starts(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"))
    RunQueue(open_store(installation.database)).add("r-1", POOL)
    open_ledger(installation).end("r-1", Ending("CANCELLED", "by a person"))
    queue_in_engine(installation)
    assert locate_run(installation, "r-1") == ("CANCELLED", None)


def test_a_worker_has_work_while_a_run_is_queued(installation: Installation) -> None:
    with run_engine(installation) as engine:
        assert not engine.has_work()
        queue_run(installation, spec("r-1"))
        assert engine.has_work()
