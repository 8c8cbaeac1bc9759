"""Refuses a run on something that another run has already claimed."""

from reknit.app.installation import Installation
from reknit.app.runs.liveness import mark_orphaned
from reknit.core.runs.claim_text import TakenByRun
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader


def refuse_taken(place: Installation, key: str) -> None:
    place.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = open_store(place.database)
    reader = RunReader(database)
    holder = reader.holder(key)
    runs = mark_orphaned(place, reader, [reader.run(holder)]) if holder else []
    database.dispose()
    if runs:
        raise TakenByRun(runs[0])
