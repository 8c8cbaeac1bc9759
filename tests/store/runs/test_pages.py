"""The pages of the dashboard on both databases: by key, with an index, and only the repositories that are asked for."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from reknit.core.dashboard.values import AuditEntry, WeekOfFixes, WeekOfSpending
from reknit.core.runs.ending import Ending, EndingWord
from reknit.store import tables
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.pages import WEEK_S, DashboardLedger, DashboardReader, ListName
from tests.tools.recorded_runs import spec


def add(
    store: sa.Engine, number: int, *, created_at: float = 0.0, ending: EndingWord | None = None, ended_at: float = 0.0,
    repository: str = "/shop", usd: float = 0.0, **values: object,
) -> str:  # fmt: skip
    run_id = f"r-{number:08x}"
    ledger = SqlRunLedger(store)
    ledger.create(replace(spec(run_id), repository=repository, created_at=created_at))
    if ending:
        ledger.end(run_id, Ending(ending, "why"))
        values["ended_at"] = ended_at
    with store.begin() as db:
        statement = sa.update(tables.runs).where(tables.runs.c.id == run_id)
        db.execute(statement.values(spent_usd=usd, **values))
    return run_id


def read_all(store: sa.Engine, name: ListName, limit: int, repositories: set[str] | None = None) -> list[list[str]]:
    reader, after, pages = DashboardReader(store), None, []
    while True:
        runs, after = reader.list_runs(name, after=after, limit=limit, repositories=repositories)
        pages.append([run.id for run in runs])
        if after is None:
            return pages


def test_pages_follow_each_other_without_a_gap_or_a_repetition(store: sa.Engine) -> None:
    """Also where many runs have the same time."""
    ids = [add(store, number, created_at=float(number // 3)) for number in range(10)]
    pages = read_all(store, "all", 4)
    assert [len(page) for page in pages] == [4, 4, 2]
    assert [run_id for page in pages for run_id in page] == ids[::-1]


def test_a_run_that_begins_between_two_pages_moves_no_row(store: sa.Engine) -> None:
    for number in range(4):
        add(store, number, created_at=float(number))
    first, after = DashboardReader(store).list_runs("all", after=None, limit=2)
    add(store, 9, created_at=9.0)
    second, _ = DashboardReader(store).list_runs("all", after=after, limit=2)
    assert [run.id for run in (*first, *second)] == [f"r-{number:08x}" for number in (3, 2, 1, 0)]


def test_each_list_has_its_runs_in_its_order(store: sa.Engine) -> None:
    clean = add(store, 1, ending="CLEAN", ended_at=1.0)
    blocked = add(store, 2, ending="BLOCKED", ended_at=5.0)
    older = add(store, 3, ending="DEFERRED", ended_at=4.0)
    landed = add(store, 4, ending="FIXED", ended_at=3.0, commit_id="c" * 40)
    at_work = add(store, 5, created_at=9.0)
    lists = {name: read_all(store, name, 10)[0] for name in ("open", "unsettled", "landed")}
    assert lists == {"open": [at_work], "unsettled": [older, blocked], "landed": [landed]}
    assert set(read_all(store, "all", 10)[0]) == {clean, blocked, older, landed, at_work}


def test_what_a_person_settled_leaves_the_inbox(store: sa.Engine) -> None:
    blocked, at_work = add(store, 1, ending="BLOCKED", ended_at=5.0), add(store, 2)
    DashboardLedger(store).settle(blocked)
    DashboardLedger(store).settle(at_work)
    SqlRunLedger(store).end(at_work, Ending("UNVERIFIED", "why"))
    assert read_all(store, "unsettled", 10) == [[at_work]], "a run at work cannot be settled before it ends"
    assert DashboardReader(store).count_unsettled() == 1


def test_only_the_repositories_that_are_asked_for_are_shown(store: sa.Engine) -> None:
    ours = add(store, 1, repository="/ours", ending="BLOCKED", ended_at=1.0, usd=1.0, created_at=1.0)
    add(store, 2, repository="/theirs", ending="BLOCKED", ended_at=1.0, usd=2.0, created_at=1.0)
    reader = DashboardReader(store)
    assert read_all(store, "all", 10, {"/ours"}) == [[ours]]
    assert read_all(store, "all", 10, set()) == [[]]
    assert reader.count_unsettled({"/ours"}) == 1
    assert [week.usd for week in reader.sum_spending(0.0, {"/ours"})] == [1.0]
    assert sorted(reader.list_repositories()) == ["/ours", "/theirs"]


def test_sums_are_per_week(store: sa.Engine) -> None:
    since = 100 * WEEK_S
    for number, (week, undone_at) in enumerate([(0.0, None), (0.9, 1.0), (1.0, None), (-0.1, None)]):
        at = since + week * WEEK_S
        add(store, number, ending="FIXED", ended_at=at, commit_id="c", undone_at=undone_at, created_at=at, usd=0.5)
    reader = DashboardReader(store)
    assert reader.sum_fixes(since) == [WeekOfFixes(since + WEEK_S, 1, 0), WeekOfFixes(since, 2, 1)]
    assert reader.sum_spending(since) == [
        WeekOfSpending(since + WEEK_S, "/shop", "claude", 0.5, 1),
        WeekOfSpending(since, "/shop", "claude", 1.0, 2),
    ]


def test_the_audit_trail_is_newest_first(store: sa.Engine) -> None:
    ledger = DashboardLedger(store)
    entries = [
        AuditEntry(1.0, "ann", "127.0.0.1", "stop", "r-1", "accepted", ""),
        AuditEntry(2.0, "", "127.0.0.1", "stop", "r-1", "refused", "not logged in"),
    ]
    for entry in entries:
        ledger.record(entry)
    assert list(ledger.list_entries()) == entries[::-1]
    assert list(ledger.list_entries(1)) == entries[1:]


@pytest.mark.parametrize(
    ("name", "index"),
    [("all", "runs_by_age"), ("open", "runs_open"), ("unsettled", "runs_unsettled"), ("landed", "runs_landed")],
)
def test_an_index_leads_to_a_page_however_many_runs_there_are(store: sa.Engine, name: ListName, index: str) -> None:
    queries: list[tuple[str, object]] = []
    for number in range(3):
        add(store, number, ending="BLOCKED", ended_at=float(number), commit_id="c")
    _, after = DashboardReader(store).list_runs("landed", after=None, limit=1)

    def keep(_db: object, _cursor: object, statement: str, parameters: object, *_rest: object) -> None:
        queries.append((statement, parameters))

    sa.event.listen(store, "before_cursor_execute", keep)
    DashboardReader(store).list_runs(name, after=after, limit=50)
    sa.event.remove(store, "before_cursor_execute", keep)
    statement, parameters = queries[-1]
    is_sqlite = store.dialect.name == "sqlite"
    with store.connect() as db:
        if not is_sqlite:
            db.execute(sa.text("SET LOCAL enable_seqscan = off"))
            db.execute(sa.text("SET LOCAL enable_bitmapscan = off"))
        explain = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"
        rows = db.exec_driver_sql(f"{explain} {statement}", parameters).all()  # type: ignore[arg-type]
        plan = " ".join(str(row) for row in rows)
        db.rollback()
    assert index in plan
