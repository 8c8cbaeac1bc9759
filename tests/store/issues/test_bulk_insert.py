"""Many new issues at once, some with a fingerprint that another one has."""

from typing import Any

import pytest
import sqlalchemy as sa

from reknit.core.issues.model import IssueFilter, IssueSighting
from reknit.store.issues.bulk_insert import insert_issues
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.tables import issues
from tests.store.issues.backlog import (
    SHOP,
    again,
    new,
    placed,
    put,
    report,
)


@pytest.fixture
def ledger(store: sa.Engine) -> SqlIssueLedger:
    return SqlIssueLedger(store)


def test_a_fingerprint_that_another_issue_has_is_replaced(ledger: SqlIssueLedger) -> None:
    """A file was renamed, and its issue with it; then a new file got the old name and the old text."""
    old, _ = put(ledger, new("a"), new("b"))
    again(ledger, IssueSighting(old, placed("a", path="renamed.py")))
    with ledger.importing(SHOP, report()) as going:
        going.add([new("c"), new("a"), new("a")])
        going.add([new("a")])
        assert going.count().new == 4
    fingerprints = [issue.fingerprint for issue in ledger.each(SHOP, IssueFilter())]
    assert len(set(fingerprints)) == 6
    assert all(len(fingerprint) == 32 for fingerprint in fingerprints)


def test_a_row_that_can_never_be_taken_is_not_tried_for_ever(store: sa.Engine, ledger: SqlIssueLedger) -> None:
    dbapi: Any = store.dialect.loaded_dbapi
    nothing: Any = None
    with pytest.raises(dbapi.IntegrityError), ledger.importing(SHOP, report()) as going:
        going.add([new("a"), new("b", placed("b", weight=nothing))])
    assert ledger.counts(SHOP)["OPEN"] == 0


def test_nothing_is_nothing_to_insert(store: sa.Engine) -> None:
    with store.begin() as db:
        insert_issues(db, SHOP, [], lambda _: pytest.fail("there is no row to make"))
        assert db.execute(sa.select(sa.func.count()).select_from(issues)).scalar_one() == 0


def test_many_with_one_fingerprint_in_one_call_are_all_kept(ledger: SqlIssueLedger) -> None:
    with ledger.importing(SHOP, report()) as going:
        going.add([new("same") for _ in range(40)])
    assert len({issue.fingerprint for issue in ledger.each(SHOP, IssueFilter())}) == 40
