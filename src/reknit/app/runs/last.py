"""The run a person means who names none: the last one in this repository."""

from collections.abc import Collection
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.app.runs.liveness import mark_orphaned
from reknit.core.errors import UsageProblem
from reknit.core.runs.spec import RunState
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader

SEARCHED = 100


def last_run(place: Installation, folder: Path, states: Collection[RunState] = ()) -> str:
    """`states`: only such runs; empty: any."""
    repository = UserRepository.find(str(folder)).root
    reader = RunReader(open_store(place.database))
    runs = mark_orphaned(place, reader, reader.runs(repository=repository, limit=SEARCHED))
    found = next((run for run in runs if not states or run.state in states), None)
    if found is None:
        what = f"no run in this repository is {' or '.join(states)}" if states else "there is no run in this repository"
        raise UsageProblem("no-run", what, help="`reknit runs` lists the runs")
    return found.id
