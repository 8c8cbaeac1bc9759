"""A run whose worker died is `left`; one that waits for nobody's death is not."""

from pathlib import Path

import pytest

from reknit.app.installation import Installation, find_installation
from reknit.app.runs.liveness import find_last_run, mark_orphaned, refuse_claimed
from reknit.core.errors import UsageError
from reknit.core.runs.ending import Ending
from reknit.core.runs.slot import POOL
from reknit.store.database import sqlite_path
from reknit.store.runs.reader import RunReader
from tests.tools.command_line import CommandLine
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return make_place(tmp_path)


def leave_a_dead_worker(installation: Installation, number: int) -> None:
    """Its file has an owner, and nobody holds the lock."""
    database = sqlite_path(installation.database)
    folder = database.with_name(f"{database.name}.slots") / POOL
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number}.lock").write_text("owner")


def states(installation: Installation) -> dict[str, str]:
    reader = RunReader(open_ledger(installation).engine)
    runs = [reader.run(run_id) for run_id in ("r-dead", "r-other", "r-queued", "r-parked", "r-ended")]
    return {run.id: run.state for run in mark_orphaned(installation, reader, runs)}


def test_only_open_work_of_a_dead_worker_is_left(installation: Installation) -> None:
    dead, other = open_ledger(installation, f"{POOL}/slot-0"), open_ledger(installation, f"{POOL}/slot-1")
    for run_id in ("r-dead", "r-parked", "r-ended"):
        dead.create(spec(run_id))
        dead.set_phase(run_id, "attempt")
    dead.set_waiting("r-dead", "for the limit", 2e9)
    dead.set_interrupted("r-parked")
    dead.end("r-ended", Ending("FIXED", "all"))
    other.create(spec("r-other"))
    other.set_phase("r-other", "attempt")
    other.create(spec("r-queued"))
    before = states(installation)
    assert "left" not in before.values()
    leave_a_dead_worker(installation, 0)
    assert states(installation) == {**before, "r-dead": "left"}


def test_for_runs_that_are_over_nobody_looks(installation: Installation) -> None:
    ledger = open_ledger(installation)
    ledger.create(spec())
    ledger.end("r-1", Ending("FIXED", "all"))
    reader = RunReader(ledger.engine)
    assert [run.state for run in mark_orphaned(installation, reader, [reader.run("r-1")])] == ["ended"]
    assert not list(installation.state.glob("*.slots"))


def test_what_nobody_has_is_free_and_what_a_run_has_is_not(tmp_path: Path) -> None:
    installation = make_place(tmp_path)
    refuse_claimed(installation, TARGET.claim)
    ledger = open_ledger(installation)
    ledger.create(spec("r-1", TARGET))
    ledger.claim(TARGET.claim, "r-1")
    with pytest.raises(UsageError, match=r"^r-1 is open on #412 \(queued\)$") as caught:
        refuse_claimed(installation, TARGET.claim)
    assert caught.value.name == "taken"
    refuse_claimed(installation, "acme/shop#413")
    ledger.end("r-1", Ending("CLEAN", "all pass"))
    refuse_claimed(installation, TARGET.claim)


def test_a_place_that_was_never_used_has_no_claims(tmp_path: Path) -> None:
    installation = make_place(tmp_path)
    installation.state.rmdir()
    refuse_claimed(installation, TARGET.claim)
    assert installation.state.stat().st_mode & 0o777 == 0o700


def test_the_last_run_of_the_repository_is_meant(reknit: CommandLine, shop: Path) -> None:
    installation = find_installation(reknit.environment)
    with pytest.raises(UsageError, match="there is no run in this repository"):
        find_last_run(installation, shop)
    reknit.tell_story({})
    first, second = (
        reknit.run("fix", "tests", "--again", "--format", "json", cwd=shop).ending["run"] for _ in range(2)
    )
    assert first != second
    assert find_last_run(installation, shop / "tests") == second
    with pytest.raises(UsageError, match="no run in this repository is interrupted or left"):
        find_last_run(installation, shop, ("interrupted", "left"))
