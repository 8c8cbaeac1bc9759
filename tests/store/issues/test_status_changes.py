"""What the database itself refuses, whoever asks: other transitions, other beginnings, and history that changes."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from reknit.core.issues.lifecycle import STATUSES, TRANSITIONS, Status
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.tables import issue_changes, issues
from tests.store.issues.backlog import bring, new, put, read

_i = issues.c


@pytest.fixture
def ledger(store: sa.Engine) -> SqlIssueLedger:
    return SqlIssueLedger(store)


def refused(engine: sa.Engine, statement: sa.Executable) -> bool:
    try:
        with engine.begin() as db:
            db.execute(statement)
    except sa.exc.IntegrityError:
        return True
    return False


def row(issue: int, number: int, old: Status, now: Status, **other: Any) -> sa.Insert:
    values = {"who": "ann", "why": "because", "at": 60.0, "run_id": "r-1", "commit_id": "c0ffee"} | other
    return sa.insert(issue_changes).values(issue=issue, number=number, old_status=old, new_status=now, **values)


@pytest.mark.parametrize("before", STATUSES)
def test_a_row_of_history_is_taken_only_for_a_legal_transition(
    store: sa.Engine, ledger: SqlIssueLedger, before: Status
) -> None:
    """Together all 49 pairs, so that the database and `core/issues/model.py` say the same."""
    for after in STATUSES:
        (issue,) = put(ledger, new(f"{before} {after}"))
        bring(ledger, issue, before)
        number, legal = len(ledger.history(issue)), (before, after) in TRANSITIONS
        assert refused(store, row(issue, number, before, after)) is not legal, (before, after)
        assert read(ledger, issue).status == (after if legal else before)
        assert len(ledger.history(issue)) == number + legal


@pytest.mark.parametrize("before", STATUSES)
def test_no_status_is_written_past_history(store: sa.Engine, ledger: SqlIssueLedger, before: Status) -> None:
    (issue,) = put(ledger, new("a"))
    bring(ledger, issue, before)
    here, number = _i.id == issue, len(ledger.history(issue))
    for after in STATUSES:
        assert refused(store, sa.update(issues).where(here).values(status=after))
        assert refused(store, sa.update(issues).where(here).values(status=after, changes=number))
    assert refused(store, sa.update(issues).where(here).values(changes=0))
    assert refused(store, sa.update(issues).where(here).values(id=issue + 1000))
    assert read(ledger, issue).status == before


@pytest.mark.parametrize(
    ("number", "old", "now"),
    [
        pytest.param(2, "FAILED", "IGNORED", id="from a status that it has not"),
        pytest.param(3, "IN_PROGRESS", "FAILED", id="with a gap before it"),
        pytest.param(1, "IN_PROGRESS", "FAILED", id="in the place of another"),
        pytest.param(2, "IN_PROGRESS", "SOLVED", id="to a status that does not exist"),
    ],
)
def test_a_row_that_does_not_follow_is_refused(
    store: sa.Engine, ledger: SqlIssueLedger, number: int, old: Status, now: Status
) -> None:
    (issue,) = put(ledger, new("a"))
    bring(ledger, issue, "IN_PROGRESS")
    assert refused(store, row(issue, number, old, now))
    assert refused(store, row(issue + 1, 1, "OPEN", "IGNORED"))
    assert [change.new for change in ledger.history(issue)] == ["OPEN", "IN_PROGRESS"]


def test_history_cannot_be_replaced_on_sqlite(tmp_path: Path) -> None:
    """Its REPLACE deletes without telling the triggers of a deletion."""
    store = open_store(f"sqlite:///{tmp_path}/reknit.sqlite")
    ledger = SqlIssueLedger(store)
    (issue,) = put(ledger, new("a"))
    bring(ledger, issue, "FAILED")
    assert refused(store, row(issue, 1, "OPEN", "IGNORED").prefix_with("OR REPLACE"))
    assert [change.new for change in ledger.history(issue)] == ["OPEN", "IN_PROGRESS", "FAILED"]
    store.dispose()


@pytest.mark.parametrize(
    "statement",
    [sa.update(issue_changes).values(why="another reason"), sa.delete(issue_changes)],
    ids=["edit", "delete"],
)
def test_history_stays(store: sa.Engine, ledger: SqlIssueLedger, statement: sa.Executable) -> None:
    (issue,) = put(ledger, new("a"))
    bring(ledger, issue, "FAILED")
    told = ledger.history(issue)
    assert refused(store, statement)
    assert ledger.history(issue) == told


@pytest.mark.parametrize(
    ("old", "now", "missing"),
    [
        pytest.param("OPEN", "IN_PROGRESS", "run_id", id="in progress by no run"),
        pytest.param("IN_PROGRESS", "RESOLVED", "commit_id", id="resolved by no commit"),
    ],
)
def test_who_holds_and_what_resolved_must_be_named(
    store: sa.Engine, ledger: SqlIssueLedger, old: Status, now: Status, missing: str
) -> None:
    (issue,) = put(ledger, new("a"))
    bring(ledger, issue, old)
    assert refused(store, row(issue, len(ledger.history(issue)), old, now, **{missing: None}))
    assert read(ledger, issue).status == old


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "OPEN"])
def test_every_issue_begins_open(store: sa.Engine, ledger: SqlIssueLedger, status: Status) -> None:
    (issue,) = put(ledger, new("a"))
    columns = [column for column in issues.c if column.name not in ("id", "status", "fingerprint", "listed")]
    copy = sa.select(sa.literal(status), sa.literal("f" * 32), *columns).where(_i.id == issue)
    names = ["status", "fingerprint", *(column.name for column in columns)]
    assert refused(store, sa.insert(issues).from_select(names, copy))
    assert sum(ledger.counts("github.com/acme/shop").values()) == 1
