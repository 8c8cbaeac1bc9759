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
def place(tmp_path: Path) -> Installation:
    return make_place(tmp_path)


def in_engine(place: Installation) -> list[str]:
    with open_client(place) as engine:
        return [run.workflow_id for run in engine.list_queued_workflows(queue_name=QUEUE)]


def test_a_run_leaves_the_queue_when_the_engine_has_it(place: Installation) -> None:
    queue_in_engine(place, spec("r-1"), spec("r-2"))
    assert sorted(in_engine(place)) == ["r-1", "r-2"]
    assert RunQueue(open_store(place.database)).oldest(POOL, 10) == []


def test_handing_over_again_changes_nothing(place: Installation) -> None:
    """As after a crash between the two writes."""
    queue_in_engine(place, spec("r-1"))
    RunQueue(open_store(place.database)).add("r-1", POOL)
    queue_in_engine(place)
    assert in_engine(place) == ["r-1"]
    assert not RunQueue(open_store(place.database)).holds("r-1")


def test_a_run_cancelled_in_the_queue_never_starts(place: Installation) -> None:
    queue_run(place, spec("r-1"))
    cancel_run(place, "r-1")
    queue_in_engine(place)
    assert (in_engine(place), locate_run(place, "r-1")) == ([], None)
    assert not RunQueue(open_store(place.database)).holds("r-1")


def test_a_run_cancelled_while_it_was_handed_over_never_starts(place: Installation) -> None:
    queue_in_engine(place, spec("r-1"))
    RunQueue(open_store(place.database)).add("r-1", POOL)
    open_ledger(place).end("r-1", Ending("CANCELLED", "by a person"))
    queue_in_engine(place)
    assert locate_run(place, "r-1") == ("CANCELLED", None)


def test_a_worker_has_work_while_a_run_is_queued(place: Installation) -> None:
    with run_engine(place) as engine:
        assert not engine.has_work()
        queue_run(place, spec("r-1"))
        assert engine.has_work()
