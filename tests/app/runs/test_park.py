"""A run that no process works on yet is parked and continued; with a worker, see tests/app/hook/test_fix_pr.py."""

from pathlib import Path

import pytest

from reknit.app.engine.client import locate_run
from reknit.app.engine.engine import Engine
from reknit.app.installation import Installation
from reknit.app.runs import stop
from reknit.app.runs.stop import cancel_run, park_run, queue_again
from reknit.app.start.queue import queue_run
from reknit.core.runs.ending import Ending
from reknit.core.runs.slot import POOL
from reknit.store.database import open_store
from reknit.store.runs.coordination import RunQueue
from reknit.store.runs.reader import RunReader
from tests.tools.queued_runs import queue_in_engine
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setattr(stop, "NOTICED_S", 0.0)
    return make_place(tmp_path)


def seen(installation: Installation) -> tuple[str, bool, str]:
    """Its state, whether it waits in our queue, and the engine's status."""
    database = open_store(installation.database)
    known = locate_run(installation, "r-1")
    return RunReader(database).run("r-1").state, RunQueue(database).holds("r-1"), known[0] if known else ""


def test_a_run_that_the_engine_does_not_know(installation: Installation) -> None:
    queue_in_engine(installation)
    queue_run(installation, spec("r-1"))
    assert (park_run(installation, "r-1").reason, seen(installation)) == ("by a person", ("interrupted", False, ""))
    queue_again(installation, "r-1")
    assert seen(installation) == ("queued", True, "")
    queue_in_engine(installation)
    assert seen(installation) == ("queued", False, "ENQUEUED")


def test_a_run_that_the_engine_has(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"))
    park_run(installation, "r-1")
    assert (park_run(installation, "r-1").state, seen(installation)) == (
        "interrupted",
        ("interrupted", False, "CANCELLED"),
    )
    queue_again(installation, "r-1")
    queue_again(installation, "r-1")
    assert seen(installation) == ("queued", True, "CANCELLED")
    queue_in_engine(installation)
    assert seen(installation) == ("queued", False, "ENQUEUED")


def test_a_run_parked_while_it_was_handed_over_does_not_start(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"))
    open_ledger(installation).set_interrupted("r-1", "by a person")
    RunQueue(open_store(installation.database)).add("r-1", POOL)
    queue_in_engine(installation)
    assert seen(installation) == ("interrupted", False, "CANCELLED")


def test_a_run_parked_again_while_it_was_continued_does_not_start(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue_in_engine(installation, spec("r-1"))
    park_run(installation, "r-1")
    queue_again(installation, "r-1")
    is_stopped = Engine._is_stopped

    def parks_meanwhile(engine: Engine, run_id: str) -> bool:
        found = is_stopped(engine, run_id)
        park_run(installation, run_id)
        return found

    monkeypatch.setattr(Engine, "_is_stopped", parks_meanwhile)
    queue_in_engine(installation)
    assert seen(installation) == ("interrupted", False, "CANCELLED")


def test_a_run_is_not_called_parked_before_the_engine_has_stopped_it(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue_in_engine(installation, spec("r-1"))
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("reknit.app.engine.client.cancel_workflow", _killed)
        park_run(installation, "r-1")
    assert seen(installation) == ("queued", False, "ENQUEUED")


def test_parking_again_stops_a_run_that_was_only_called_parked(installation: Installation) -> None:
    """Its worker was killed after the engine had got the run, and before it had looked whether it was parked."""
    queue_in_engine(installation, spec("r-1"))
    open_ledger(installation).set_interrupted("r-1", "by a person")
    park_run(installation, "r-1")
    assert seen(installation) == ("interrupted", False, "CANCELLED")


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_its_last_worker_does_not_park_it_again_when_it_ends(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"))
    ledger = open_ledger(installation, "slot-0")
    ledger.set_phase("r-1", "look")
    park_run(installation, "r-1")
    queue_again(installation, "r-1")
    assert ledger.list_active_runs() == []


def test_a_run_cancelled_while_it_was_handed_over_does_not_start(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue_in_engine(installation)
    queue_run(installation, spec("r-1"))

    def handed_over_meanwhile(installation: Installation, run_id: str) -> object:
        monkeypatch.undo()
        found = locate_run(installation, run_id)
        queue_in_engine(installation)
        return found

    monkeypatch.setattr("reknit.app.engine.client.locate_run", handed_over_meanwhile)
    cancel_run(installation, "r-1")
    assert seen(installation) == ("ended", False, "CANCELLED")


def test_what_has_ended_is_left_alone(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"))
    open_ledger(installation).end("r-1", Ending("CANCELLED", "by a person"))
    assert park_run(installation, "r-1").ending == "CANCELLED"
    queue_again(installation, "r-1")
    assert seen(installation) == ("ended", False, "ENQUEUED")
