"""Shows runs as people should see them: the state in the database, and whether their worker is alive."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.engine.slots import open_slots
from reknit.app.installation import Installation
from reknit.core.capabilities import UNLISTED_KINDS
from reknit.core.capability import StoredRun
from reknit.core.errors import UsageError
from reknit.core.runs.slot import parse_executor_id
from reknit.core.runs.spec import RunState
from reknit.core.runs.view import RunView, TakenByRunError
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader


def mark_orphaned(installation: Installation, reader: RunReader, runs: Sequence[RunView]) -> list[RunView]:
    """Mark runs as `left` whose worker died. They continue with `resume`, or when another worker takes them."""
    if all(run.ending for run in runs):
        return list(runs)
    dead = open_slots(installation, reader.engine).list_dirty()
    return [replace(run, state="left") if _is_orphaned(run, dead) else run for run in runs]


def read_stored_run(installation: Installation, run_name: str) -> StoredRun:
    """Return the run of this id, or prefix of one, as people should see it."""
    reader = RunReader(open_store(installation.database))
    (run,) = mark_orphaned(installation, reader, [reader.run(run_name)])
    return reader.stored(run)


def _is_orphaned(run: RunView, dead: Sequence[int]) -> bool:
    return run.state in ("running", "waiting") and parse_executor_id(run.worker) in dead


def refuse_claimed(installation: Installation, key: str) -> None:
    """Raise `TakenByRun` if another run has already claimed this target."""
    installation.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = open_store(installation.database)
    reader = RunReader(database)
    holder = reader.holder(key)
    runs = mark_orphaned(installation, reader, [reader.run(holder)]) if holder else []
    database.dispose()
    if runs:
        raise TakenByRunError(runs[0])


SEARCHED = 100


def find_last_run(installation: Installation, folder: Path, states: Collection[RunState] = ()) -> str:
    """Return the id of the last run in this repository. `states`: only such runs; empty: any."""
    repository = UserRepository.find(str(folder)).root
    reader = RunReader(open_store(installation.database))
    runs = mark_orphaned(
        installation, reader, reader.runs(repository=repository, limit=SEARCHED, but_kinds=UNLISTED_KINDS)
    )
    run = next((run for run in runs if not states or run.state in states), None)
    if run is None:
        message = (
            f"no run in this repository is {' or '.join(states)}" if states else "there is no run in this repository"
        )
        raise UsageError("no-run", message, help="`reknit runs` lists the runs")
    return run.id
