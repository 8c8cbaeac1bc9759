"""What a new sighting changes of an issue, and what of it stays."""

import dataclasses
from typing import Any

import pytest
import sqlalchemy as sa

from reknit.core.issues.import_summary import ImportCount
from reknit.core.issues.model import IssueFilter, IssueSighting, IssueSource, LocatedResult, NewIssue, ReportResult
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.issues.rows import insert_issues
from reknit.store.tables import issues
from tests.store.issues.backlog import SHOP, again, digest, new, placed, put, read, report


@pytest.fixture
def ledger(store: sa.Engine) -> SqlIssueLedger:
    return SqlIssueLedger(store)


@pytest.mark.parametrize(
    "change",
    [{"path": "new.py"}, {"line": 9}, {"column": 9}, {"message": "not used"}, {"weight": "minor"}, {"rule": "F999"},
     {"url": "u"}, {"suggestion": "s"}, {"effort": 4}, {"files": 4}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_what_its_tool_says_differently_is_noted(ledger: SqlIssueLedger, change: dict[str, str]) -> None:
    (issue,) = put(ledger, new("a"))
    now = IssueSighting(issue, placed("a", **change))  # type: ignore[arg-type]
    assert again(ledger, now) == ImportCount(2, updated=1)
    seen = read(ledger, issue)
    name = {"effort": "effort_1_5"}.get(*change, *change)
    value = seen.sources[0].url if name == "url" else getattr(seen, name)
    assert [value] == list(change.values())
    assert (seen.baseline, seen.changed_at, seen.status) == ("updated", 20.0, "OPEN")
    assert again(ledger, now, at=30.0) == ImportCount(3, unchanged=1)
    assert read(ledger, issue) == dataclasses.replace(seen, baseline="unchanged")


def test_a_place_that_looks_different_is_noted_for_the_next_match(ledger: SqlIssueLedger) -> None:
    (issue,) = put(ledger, new("a"))
    before = read(ledger, issue)
    assert again(ledger, IssueSighting(issue, placed("edited"))) == ImportCount(2, unchanged=1)
    assert read(ledger, issue) == dataclasses.replace(before, baseline="unchanged"), "nobody sees a change"
    with ledger.importing(SHOP, report()) as going:
        (known,) = going.find_known(["shop/cart.py"])
    assert (known.context_digests, known.line_digest, known.fingerprint) == (
        digest("edited") * 2,
        digest("edited"),
        digest("a").hex(),
    )


def test_what_a_report_does_not_say_stays(ledger: SqlIssueLedger) -> None:
    full = placed("a", url="u", suggestion="s", effort=2, files=3)
    (issue,) = put(ledger, new("a", full))
    before = read(ledger, issue)
    assert again(ledger, IssueSighting(issue, placed("a", column=0))) == ImportCount(2, unchanged=1)
    assert read(ledger, issue) == dataclasses.replace(before, baseline="unchanged")


def test_a_second_tool_is_a_source_and_does_not_move_the_issue(ledger: SqlIssueLedger) -> None:
    (issue,) = put(ledger, new("a"))
    other = IssueSighting(
        issue, placed("a", "pyright", column=1, rule="reportUnused", message="os", weight="minor", url="u")
    )
    assert again(ledger, other, tools=("pyright",)) == ImportCount(2, updated=1)
    seen = read(ledger, issue)
    assert seen.sources[1:] == (IssueSource("pyright", "reportUnused", "os", "u"),)
    assert (seen.column, seen.rule, seen.message, seen.weight) == (5, "F401", "unused", "important")
    assert again(ledger, IssueSighting(issue, placed("a"))) == ImportCount(3, unchanged=1)
    no_url = placed("a", "pyright", column=1, rule="reportUnused", message="os", weight="minor")
    assert again(ledger, IssueSighting(issue, no_url), tools=("pyright",)) == ImportCount(4, unchanged=1)


def test_a_second_tool_alone_moves_an_issue_whose_line_has_moved(ledger: SqlIssueLedger) -> None:
    (issue,) = put(ledger, new("a"))
    again(ledger, IssueSighting(issue, placed("a", "pyright", line=8, column=1, path="moved.py")), tools=("pyright",))
    seen = read(ledger, issue)
    assert (seen.path, seen.line, seen.column) == ("moved.py", 8, 1)


def test_two_tools_in_one_import_count_an_issue_once(ledger: SqlIssueLedger) -> None:
    one, two, three = put(ledger, new("a"), new("b"), new("c"))
    sightings = [
        IssueSighting(one, placed("a")),
        IssueSighting(one, placed("a", "pyright", line=99)),
        IssueSighting(two, placed("b")),
    ]
    with ledger.importing(SHOP, report("ruff", "pyright")) as going:
        going.record_sightings(sightings)
        going.record_sightings([IssueSighting(two, placed("b", "pyright", line=99)), IssueSighting(three, placed("c"))])
        going.add([new("d")])
        fresh = next(known.id for known in going.find_known(["shop/cart.py"]) if known.fingerprint == digest("d").hex())
        going.record_sightings([IssueSighting(fresh, placed("d", "pyright"))])
        assert going.count() == ImportCount(2, new=1, updated=2, unchanged=1)
    assert [issue.line for issue in ledger.issues([one, two])] == [3, 3]
    assert read(ledger, fresh).baseline == "new"


def test_text_that_no_database_holds_is_cleaned_and_stays_the_same(ledger: SqlIssueLedger) -> None:
    odd = placed("a", message="nul \0 half \ud800 ä", path="ä\0.py", line=2**40, column=-1)
    (issue,) = put(ledger, NewIssue(placed("x"), digest("x").hex()))
    with ledger.importing(SHOP, report()) as going:
        going.add([new("a", odd)])
    seen = next(ledger.each(SHOP, IssueFilter(paths=("ä.py",))))
    assert (seen.message, seen.line, seen.column) == ("nul  half ? ä", 0, 0)
    assert again(ledger, IssueSighting(seen.id, odd), IssueSighting(issue, placed("x"))) == ImportCount(3, unchanged=2)


def test_found_is_read_from_where_it_was_placed(ledger: SqlIssueLedger) -> None:
    """The report's own path may be absolute."""
    found = ReportResult("ruff", "F401", "/home/ann/shop/cart.py", 3)
    one = LocatedResult(found, "cart.py", "unused-import", b"wide", b"own", b"said")
    (issue,) = put(ledger, new("a", one))
    assert read(ledger, issue).path == "cart.py"


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
