"""A run whose worker died is `left`; one that waits for nobody's death is not."""

from pathlib import Path

import pytest

from reknit.app.installation import Installation
from reknit.app.runs.liveness import mark_orphaned
from reknit.core.runs.ending import Ending
from reknit.core.runs.slot import POOL
from reknit.store.database import sqlite_path
from reknit.store.runs.reader import RunReader
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    return make_place(tmp_path)


def leave_a_dead_worker(place: Installation, number: int) -> None:
    """Its file has an owner, and nobody holds the lock."""
    database = sqlite_path(place.database)
    folder = database.with_name(f"{database.name}.slots") / POOL
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number}.lock").write_text("owner")


def states(place: Installation) -> dict[str, str]:
    reader = RunReader(open_ledger(place).engine)
    runs = [reader.run(run_id) for run_id in ("r-dead", "r-other", "r-queued", "r-parked", "r-ended")]
    return {run.id: run.state for run in mark_orphaned(place, reader, runs)}


def test_only_open_work_of_a_dead_worker_is_left(place: Installation) -> None:
    dead, other = open_ledger(place, f"{POOL}/slot-0"), open_ledger(place, f"{POOL}/slot-1")
    for run_id in ("r-dead", "r-parked", "r-ended"):
        dead.create(spec(run_id))
        dead.phase(run_id, "attempt")
    dead.waiting("r-dead", "for the limit", 2e9)
    dead.interrupted("r-parked")
    dead.end("r-ended", Ending("FIXED", "all"))
    other.create(spec("r-other"))
    other.phase("r-other", "attempt")
    other.create(spec("r-queued"))
    before = states(place)
    assert "left" not in before.values()
    leave_a_dead_worker(place, 0)
    assert states(place) == {**before, "r-dead": "left"}


def test_for_runs_that_are_over_nobody_looks(place: Installation) -> None:
    ledger = open_ledger(place)
    ledger.create(spec())
    ledger.end("r-1", Ending("FIXED", "all"))
    reader = RunReader(ledger.engine)
    assert [run.state for run in mark_orphaned(place, reader, [reader.run("r-1")])] == ["ended"]
    assert not list(place.state.glob("*.slots"))
