"""Following a run: every event once and in order, and nothing after its end."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit.app.runs.follow import RunListener, follow
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.runs.view import EventView, RunView
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.recorded_runs import make_place, open_ledger, spec


def _nothing(_view: EventView | RunView) -> None:
    return None


SILENT = RunListener(_nothing, _nothing)


@pytest.fixture
def ledger(tmp_path: Path) -> SqlRunLedger:
    made = open_ledger(make_place(tmp_path))
    made.create(spec())
    return made


def told(ledger: SqlRunLedger, text: str) -> None:
    ledger.put_event("r-1", text, Event("gate", "ok", "gate", text))


def test_every_event_is_told_once_and_the_end_is_returned(ledger: SqlRunLedger) -> None:
    told(ledger, "first")
    seen: list[str] = []
    ticks: list[str] = []

    def pause(_seconds: float) -> bool:
        if len(ticks) == 1:
            told(ledger, "second")
        else:
            ledger.end("r-1", Ending("FIXED", "all"))
        return False

    listener = RunListener(lambda view: seen.append(view.event.text), lambda run: ticks.append(run.state))
    run = follow(RunReader(ledger.engine), "r-1", listener, pause=pause)
    assert (seen, run.ending, len(ticks)) == (["first", "second"], "FIXED", 2)


def test_one_that_is_parked_is_not_waited_for(ledger: SqlRunLedger) -> None:
    ledger.set_interrupted("r-1", "the repository is gone")
    run = follow(RunReader(ledger.engine), "r-1", SILENT, pause=lambda _: pytest.fail("it waits"))
    assert (run.state, run.reason) == ("interrupted", "the repository is gone")


def test_who_wants_to_leave_leaves(ledger: SqlRunLedger) -> None:
    with pytest.raises(KeyboardInterrupt):
        follow(RunReader(ledger.engine), "r-1", SILENT, pause=lambda _: True)


class Away(RunReader):
    """A reader whose database is locked for its first two questions."""

    failures = 2

    def run(self, run_id: str) -> RunView:
        if self.failures:
            self.failures -= 1
            error = sa.exc.OperationalError("SELECT", {}, _busy())
            raise error
        return super().run(run_id)


def _busy() -> Exception:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorname = "SQLITE_BUSY"
    return error


def test_a_database_that_is_away_is_waited_for_only_on_request(ledger: SqlRunLedger) -> None:
    ledger.end("r-1", Ending("FIXED", "all"))
    pauses: list[float] = []

    def pause(seconds: float) -> bool:
        pauses.append(seconds)
        return False

    run = follow(Away(ledger.engine), "r-1", SILENT, pause=pause, waits=True)
    assert (run.ending, len(pauses)) == ("FIXED", 2)
    with pytest.raises(sa.exc.OperationalError):
        follow(Away(ledger.engine), "r-1", SILENT, pause=lambda _: False)
