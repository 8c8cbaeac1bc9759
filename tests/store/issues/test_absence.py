"""What an import made absent, tool by tool."""

import dataclasses

import pytest
import sqlalchemy as sa

from reknit.core.issues.import_summary import AbsentIssues, ImportSource
from reknit.core.issues.model import IssueSighting
from reknit.store.issues.ledger import SqlIssueLedger
from tests.store.issues.backlog import OTHER, SHOP, bring, new, placed, put, report


@pytest.fixture
def ledger(store: sa.Engine) -> SqlIssueLedger:
    return SqlIssueLedger(store)


def absent(ledger: SqlIssueLedger, source: ImportSource, *seen: IssueSighting) -> list[AbsentIssues]:
    with ledger.importing(SHOP, source) as going:
        going.record_sightings(seen)
        return list(going.mark_absent())


def test_what_a_tool_reported_before_and_no_more_is_counted_once(ledger: SqlIssueLedger) -> None:
    names = [f"{letter}.py" for letter in "abcde"]
    ids = put(ledger, *(new(name, placed(name, path=name)) for name in names))
    put(ledger, new("m", placed("m", "mypy")), source=report("mypy"))
    put(ledger, new("z"), repository=OTHER)
    first = IssueSighting(ids[0], placed("a.py", path="a.py"))
    assert absent(ledger, report(), first) == [AbsentIssues("ruff", 4, still_reported=1, files=5, files_now=1)]
    assert absent(ledger, report(), first) == [], "they were absent already"
    assert absent(ledger, report("eslint")) == [], "its first report"
    assert absent(ledger, report("ruff", "mypy")) == [
        AbsentIssues("mypy", 1, files=1), AbsentIssues("ruff", 1, files=1),
    ]  # fmt: skip


def test_only_what_is_to_be_done_counts(ledger: SqlIssueLedger) -> None:
    ids = put(ledger, *(new(status) for status in ("OPEN", "FAILED", "IGNORED", "RESOLVED")))
    bring(ledger, ids[1], "FAILED")
    bring(ledger, ids[2], "IGNORED")
    bring(ledger, ids[3], "RESOLVED")
    assert [one.count for one in absent(ledger, report())] == [2]


def test_a_tool_that_did_not_look_at_everything_makes_nothing_absent(ledger: SqlIssueLedger) -> None:
    put(ledger, new("a"))
    assert absent(ledger, dataclasses.replace(report(), partial=("ruff",))) == []
    assert [one.count for one in absent(ledger, report())] == [1]


def test_an_issue_of_two_tools_is_absent_when_neither_reports_it(ledger: SqlIssueLedger) -> None:
    both = new("a", None, placed("a", "pyright"))
    put(ledger, both, new("b"), source=report("ruff", "pyright"))
    assert absent(ledger, report()) == [AbsentIssues("ruff", 1, files=1)]
    (told,) = absent(ledger, report("pyright"))
    assert (told.tool, told.count) == ("pyright", 1)
    assert absent(ledger, report("ruff", "pyright")) == []
