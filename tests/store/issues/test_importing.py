"""Imports: what is new, seen again or changed, all or nothing, and one at a time in a repository."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from reknit.core.issues.import_summary import ImportCount
from reknit.core.issues.lifecycle import STATUSES
from reknit.core.issues.model import Issue, IssueFilter, IssueSighting, IssueSource
from reknit.store.database import open_engine, open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.issues.status_changes import change_statuses
from reknit.store.tables import issues
from tests.store.issues.backlog import (
    COMMIT,
    NOTE,
    OTHER,
    SHOP,
    again,
    bring,
    digest,
    new,
    placed,
    put,
    read,
    report,
    words,
)


@pytest.fixture
def ledger(store: sa.Engine) -> SqlIssueLedger:
    return SqlIssueLedger(store)


def test_a_new_issue_has_all_that_the_report_says(ledger: SqlIssueLedger) -> None:
    one = placed("a", url="https://rules/F401", suggestion="remove it", effort=2, files=3, weight="minor")
    with ledger.importing(SHOP, report()) as going:
        going.add([new("a", one)])
        assert going.count() == ImportCount(1, new=1)
    (issue,) = ledger.each(SHOP, IssueFilter())
    assert issue == Issue(
        issue.id, SHOP, digest("a").hex(), "OPEN", "shop/cart.py", 3, 5, "F401", "unused", "minor",
        (IssueSource("ruff", "F401", "unused", "https://rules/F401"),), "new", "remove it", 2, 3,
        created_at=10.0, changed_at=10.0,
    )  # fmt: skip
    assert (hash(issue), issue.workload) == (hash(dataclasses.replace(issue)), 6)


def test_other_tools_that_saw_a_new_issue_are_further_sources(ledger: SqlIssueLedger) -> None:
    other = placed("a", "pyright", rule="reportUnused", message='"os" is not used')
    (issue,) = put(ledger, new("a", None, other), source=report("ruff"))
    assert read(ledger, issue).sources == (
        IssueSource("ruff", "F401", "unused"),
        IssueSource("pyright", "reportUnused", '"os" is not used'),
    )
    assert read(ledger, issue).baseline == "new"


def test_known_issues_are_those_of_the_files_by_id(ledger: SqlIssueLedger) -> None:
    ids = put(
        ledger, new("a"), new("b", placed("b", path="z.py", line=9)), new("c"), new("d", placed("d", path="other.py"))
    )
    put(ledger, new("a"), repository=OTHER)
    bring(ledger, ids[1], "IGNORED")
    again(ledger, IssueSighting(ids[1], placed("b", "pyright", path="z.py", line=9)), tools=("pyright",))
    with ledger.importing(SHOP, report()) as going:
        known = going.find_known(["z.py", "shop/cart.py", "nothing.py", "z.py"])
        assert going.find_known([]) == []
    assert [one.id for one in known] == ids[:3]
    second = known[1]
    assert (second.path, second.line, second.concept, second.status) == ("z.py", 9, "unused-import", "IGNORED")
    assert (second.context_digests, second.line_digest, second.message_digests) == (
        digest("b") * 2,
        digest("b"),
        words("unused"),
    )
    assert (second.tools, second.fingerprint) == (("ruff", "pyright"), digest("b").hex())


def test_more_files_than_one_question_may_name(ledger: SqlIssueLedger) -> None:
    paths = [f"file{number}.py" for number in range(2500)]
    put(ledger, *(new(path, placed(path, path=path)) for path in paths))
    with ledger.importing(SHOP, report()) as going:
        known = going.find_known(paths)
        going.record_sightings([IssueSighting(one.id, placed(one.path, path=one.path)) for one in known])
        assert going.count() == ImportCount(2, unchanged=2500)


def test_every_file_is_known_by_the_commit_it_was_last_seen_at(ledger: SqlIssueLedger) -> None:
    one, _ = put(ledger, new("a"), new("b", placed("b", path="b.py")))
    put(ledger, new("z"), repository=OTHER)
    again(ledger, IssueSighting(one, placed("a")))
    with ledger.importing(SHOP, report(commit="newest")) as going:
        assert going.paths() == {"shop/cart.py": "later", "b.py": "base"}
        going.add([new("c", placed("c", path="c.py"))])
        assert going.paths()["c.py"] == "newest"


def test_a_second_import_of_the_same_changes_nothing(ledger: SqlIssueLedger) -> None:
    ids = put(ledger, *(new(status) for status in STATUSES))
    for issue, status in zip(ids, STATUSES, strict=True):
        if status != "MERGED":
            bring(ledger, issue, status)
    before, told = ledger.issues(ids), [ledger.history(issue) for issue in ids]
    seen = [IssueSighting(issue, placed(status)) for issue, status in zip(ids, STATUSES, strict=True)]
    resolved = ids[STATUSES.index("RESOLVED")]
    assert again(ledger, *seen) == ImportCount(2, unchanged=len(STATUSES), unmerged=(resolved,))
    assert ledger.issues(ids) == tuple(dataclasses.replace(issue, baseline="unchanged") for issue in before)
    assert [ledger.history(issue) for issue in ids] == told


def test_a_merged_issue_that_is_there_again_is_open(ledger: SqlIssueLedger) -> None:
    issue, other = put(ledger, new("a"), new("b"))
    bring(ledger, issue, "MERGED")
    bring(ledger, other, "RESOLVED")
    seen = [
        IssueSighting(issue, placed("a")),
        IssueSighting(issue, placed("a", "pyright")),
        IssueSighting(other, placed("b")),
    ]
    assert again(ledger, *seen) == ImportCount(2, unchanged=1, updated=1, reopened=1, unmerged=(other,))
    assert [one.status for one in ledger.issues([issue, other])] == ["OPEN", "RESOLVED"]
    last = ledger.history(issue)[-1]
    assert (last.old, last.new, last.note.author, last.note.commit) == ("MERGED", "OPEN", "ann", "later")
    assert len(ledger.history(issue)) == 5


def test_a_resolved_issue_whose_file_came_in_another_way_is_open_again(ledger: SqlIssueLedger) -> None:
    came, other = put(ledger, new("a"), new("b", placed("b", path="b.py")))
    for issue in (came, other):
        bring(ledger, issue, "RESOLVED")
    source = dataclasses.replace(report(), carried=frozenset({(COMMIT, "shop/cart.py"), ("other", "b.py")}))
    with ledger.importing(SHOP, source) as going:
        going.record_sightings([IssueSighting(came, placed("a")), IssueSighting(other, placed("b", path="b.py"))])
        assert going.count() == ImportCount(2, unchanged=1, updated=1, reopened=1, unmerged=(other,))
    assert [one.status for one in ledger.issues([came, other])] == ["OPEN", "RESOLVED"]


def test_an_import_that_breaks_leaves_nothing(ledger: SqlIssueLedger) -> None:
    (issue,) = put(ledger, new("a"))
    bring(ledger, issue, "MERGED")
    before = ledger.issues([issue])
    with pytest.raises(LookupError), ledger.importing(SHOP, report()) as going:
        going.add([new("b")])
        going.record_sightings([IssueSighting(issue, placed("a", line=77))])
        raise LookupError
    assert (ledger.issues([issue]), ledger.counts(SHOP)["OPEN"]) == (before, 0)
    with ledger.importing(SHOP, report()) as going:
        assert going.count().number == 2


def test_an_issue_of_another_repository_is_not_seen_here(ledger: SqlIssueLedger) -> None:
    (issue,) = put(ledger, new("a"), repository=OTHER)
    with pytest.raises(KeyError), ledger.importing(SHOP, report()) as going:
        going.record_sightings([IssueSighting(issue, placed("a"))])


def test_a_report_without_tools_is_an_import(ledger: SqlIssueLedger) -> None:
    with ledger.importing(SHOP, dataclasses.replace(report(), tools=())) as going:
        going.add([])
        going.record_sightings([])
        assert going.count() == ImportCount(1)
    with ledger.importing(SHOP, report()) as going:
        assert going.count().number == 2
    with ledger.importing(OTHER, report()) as going:
        assert going.count().number == 1


def test_one_import_at_a_time_and_no_change_beside_it(database_url: str) -> None:
    engine = open_store(database_url)
    ledger = SqlIssueLedger(engine)
    (issue,) = put(ledger, new("a"))
    began, done = threading.Event(), []

    def other_import() -> None:
        own = open_engine(database_url)
        began.set()
        with SqlIssueLedger(own).importing(SHOP, report()) as going:
            done.append(f"import {going.count().number}")
        own.dispose()

    def other_change() -> None:
        own = open_engine(database_url)
        SqlIssueLedger(own).change([issue], "IGNORED", NOTE)
        done.append("change")
        own.dispose()

    others = [threading.Thread(target=work) for work in (other_import, other_change)]
    with ledger.importing(SHOP, report()) as going:
        for other in others:
            other.start()
        began.wait(10)
        others[1].join(timeout=0.2)
        going.record_sightings([IssueSighting(issue, placed("a", line=8))])
        assert done == []
    for other in others:
        other.join(timeout=30)
    engine.dispose()
    assert sorted(done) == ["change", "import 3"]


def test_what_another_program_opened_meanwhile_is_not_counted(postgres_url: str) -> None:
    """It does not know our locks; the database keeps the history right whoever writes it."""
    engine = open_store(postgres_url)
    ledger = SqlIssueLedger(engine)
    (issue,) = put(ledger, new("a"))
    bring(ledger, issue, "MERGED")
    with ThreadPoolExecutor() as pool:
        with engine.begin() as other:
            other.execute(change_statuses("OPEN", NOTE, issues.c.id == issue))
            importing = pool.submit(again, ledger, IssueSighting(issue, placed("a", line=8)))
            _wait_for_a_writer_that_waits(engine)
        assert importing.result(timeout=30).reopened == 0
    assert [change.new for change in ledger.history(issue)][-2:] == ["MERGED", "OPEN"]
    engine.dispose()


def _wait_for_a_writer_that_waits(engine: sa.Engine) -> None:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    for _ in range(3000):
        with engine.connect() as db:
            if db.execute(sa.text(waiting)).scalar():
                return
        threading.Event().wait(0.01)
    pytest.fail("nobody waits")


def test_another_repository_may_be_imported_at_the_same_time(postgres_url: str) -> None:
    """SQLite has one writer, whatever it writes."""
    first = open_store(postgres_url)
    ledger = SqlIssueLedger(first)
    with ledger.importing(SHOP, report()) as one, ledger.importing(OTHER, report()) as two:
        one.add([new("a")])
        two.add([new("a")])
    first.dispose()


def test_labels_count_up_per_repository_and_prefix_and_stay(ledger: SqlIssueLedger) -> None:
    first = put(ledger, new("a"), new("b"), new("c"))
    with ledger.importing(SHOP, report()) as going:
        assert going.label([first[1], first[0]], "SEC") == {first[1]: "SEC-001", first[0]: "SEC-002"}
        assert going.label([first[0], first[2]], "COR") == {first[0]: "SEC-002", first[2]: "COR-001"}
        assert going.label([], "SEC") == {}
    (other,) = put(ledger, new("a"), repository=OTHER)
    with ledger.importing(OTHER, report()) as going:
        assert going.label([other], "SEC") == {other: "SEC-001"}
    assert [read(ledger, issue).label for issue in (*first, other)] == ["SEC-002", "SEC-001", "COR-001", "SEC-001"]
    assert [issue.label for issue in ledger.page(SHOP, IssueFilter()).issues] == ["COR-001", "SEC-001", "SEC-002"]


def test_a_label_is_unique_in_its_repository(ledger: SqlIssueLedger, store: sa.Engine) -> None:
    one, two = put(ledger, new("a"), new("b"))
    with store.begin() as db:
        db.execute(sa.update(issues).where(issues.c.id == one).values(label="SEC-001"))
    with pytest.raises(sa.exc.IntegrityError), store.begin() as db:
        db.execute(sa.update(issues).where(issues.c.id == two).values(label="SEC-001"))


def test_an_import_that_is_made_once_changes_nothing_the_second_time(ledger: SqlIssueLedger) -> None:
    source = dataclasses.replace(
        report("reknit/security"), names=("r-1 security",), partial=("reknit/security",), once=True
    )
    one = placed("a", "reknit/security")
    with ledger.importing(SHOP, source) as going:
        going.add([new("a", one)])
    before = list(ledger.each(SHOP, IssueFilter()))
    with ledger.importing(SHOP, dataclasses.replace(source, at=99.0)) as going:
        going.record_sightings([IssueSighting(before[0].id, one)])
        assert going.count().number == 1
    assert list(ledger.each(SHOP, IssueFilter())) == before
    with ledger.importing(SHOP, dataclasses.replace(source, names=("r-2 security",))) as going:
        going.record_sightings([IssueSighting(before[0].id, one)])
        assert going.count().number == 2
    assert [issue.baseline for issue in ledger.each(SHOP, IssueFilter())] == ["unchanged"]
