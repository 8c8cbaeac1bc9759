"""Runs as a person should see them: the state in the database, and whether their worker is alive."""

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa

from reknit.app.engine.slots import open_slots
from reknit.app.installation import Installation
from reknit.core.runs.slot import slot_number
from reknit.core.runs.view import RunView
from reknit.store.runs.reader import RunReader


def mark_orphaned(place: Installation, reader: RunReader, runs: Sequence[RunView]) -> list[RunView]:
    """A run whose worker died is `left`: it continues with `resume`, or when another worker takes it."""
    if all(run.ending for run in runs):
        return list(runs)
    dead = _dead_slots(place, reader.engine)
    return [replace(run, state="left") if _is_left(run, dead) else run for run in runs]


def _is_left(run: RunView, dead: Sequence[int]) -> bool:
    return run.state in ("running", "waiting") and slot_number(run.worker) in dead


def _dead_slots(place: Installation, database: sa.Engine) -> list[int]:
    return open_slots(place, database).dirty()
