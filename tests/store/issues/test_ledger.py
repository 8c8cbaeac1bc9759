"""Every change of an issue's status: who may make it, that it is made once, and that its history is complete."""

import dataclasses
import threading

import pytest
import sqlalchemy as sa

from reknit.core.issues.lifecycle import STATUSES, TRANSITIONS, Status
from reknit.core.issues.model import ChangeNote, IssueChange
from reknit.core.runs.ending import Ending
from reknit.store.database import open_engine, open_store
from reknit.store.issues.ledger import SqlIssueLedger
from tests.store.issues.backlog import COMMIT, NOTE, OTHER, SHOP, bring, new, put, start

LANDED = dataclasses.replace(NOTE, commit=COMMIT)
ENDED = Ending("CANCELLED", "by a person")


@pytest.fixture
def ledger(store: sa.Engine) -> SqlIssueLedger:
    return SqlIssueLedger(store)


def statuses(ledger: SqlIssueLedger, *ids: int) -> list[Status]:
    return [issue.status for issue in ledger.issues(ids)]


@pytest.mark.parametrize("before", STATUSES)
def test_only_a_legal_change_is_made(ledger: SqlIssueLedger, before: Status) -> None:
    for after in STATUSES:
        (issue,) = put(ledger, new(f"{before} {after}"))
        bring(ledger, issue, before)
        told = ledger.history(issue)
        changed = ledger.change([issue], after, ChangeNote("ann", "why", 60.0, "r-2", "d00d"))
        legal = (before, after) in TRANSITIONS
        assert changed == ((issue,) if legal else ())
        assert statuses(ledger, issue) == [after if legal else before]
        assert len(ledger.history(issue)) == len(told) + legal


def test_each_change_has_who_why_when_run_and_commit(ledger: SqlIssueLedger) -> None:
    (issue,) = put(ledger, new("a"))
    works, lands = ChangeNote("reknit", "works", 20.0, "r-1"), ChangeNote("reknit", "lands", 30.0, "r-1", COMMIT)
    ledger.change([issue], "IN_PROGRESS", works)
    ledger.change([issue], "RESOLVED", lands)
    assert ledger.history(issue) == (
        IssueChange(issue, None, "OPEN", ChangeNote("ann", "ruff found it", 10.0, commit="base")),
        IssueChange(issue, "OPEN", "IN_PROGRESS", works),
        IssueChange(issue, "IN_PROGRESS", "RESOLVED", lands),
    )
    (read,) = ledger.issues([issue])
    assert (read.run_id, read.commit, read.created_at, read.changed_at) == ("r-1", COMMIT, 10.0, 30.0)


def test_an_issue_that_is_not_there_has_no_history_and_does_not_change(ledger: SqlIssueLedger) -> None:
    assert (ledger.history(7), ledger.change([7], "IGNORED", NOTE), ledger.change([], "IGNORED", NOTE)) == ((), (), ())


def test_of_many_those_that_changed_are_told_in_their_order(ledger: SqlIssueLedger) -> None:
    one, two, three = put(ledger, new("a"), new("b"), new("c"))
    bring(ledger, two, "RESOLVED")
    assert ledger.change([three, two, one, three], "IGNORED", NOTE) == (three, one)
    assert ledger.change([three, two, one], "IGNORED", NOTE) == ()
    assert len(ledger.history(one)) == 2


def test_a_duplicate_names_another_issue_of_its_repository(ledger: SqlIssueLedger) -> None:
    one, two = put(ledger, new("a"), new("b"))
    (elsewhere,) = put(ledger, new("a"), repository=OTHER)
    for wrong in (one, elsewhere, 999):
        assert ledger.change([one], "DUPLICATE", NOTE, duplicate_of=wrong) == ()
    assert ledger.change([one], "DUPLICATE", NOTE, duplicate_of=two) == (one,)
    assert [issue.duplicate_of for issue in ledger.issues([one, two])] == [two, 0]
    ledger.change([one], "OPEN", NOTE)
    assert ledger.issues([one])[0].duplicate_of == 0


def test_a_run_takes_what_is_open_or_failed_and_may_ask_again(ledger: SqlIssueLedger) -> None:
    ids = put(ledger, *(new(status) for status in STATUSES))
    for issue, status in zip(ids, STATUSES, strict=True):
        bring(ledger, issue, status, "r-0")
    taken = tuple(issue for issue, status in zip(ids, STATUSES, strict=True) if status in ("OPEN", "FAILED"))
    assert ledger.take("r-1", ids, NOTE) == taken
    told = [ledger.history(issue) for issue in ids]
    assert ledger.take("r-1", ids, NOTE) == taken
    assert [ledger.history(issue) for issue in ids] == told
    assert ledger.take("r-2", ids, NOTE) == ()
    assert {issue.run_id for issue in ledger.issues(taken)} == {"r-1"}


def test_a_run_takes_only_what_it_was_planned_for(ledger: SqlIssueLedger) -> None:
    """One that FAILED since the plan was made is not tried again unasked."""
    planned: tuple[Status, ...] = ("OPEN",)
    stays, failed = put(ledger, new("a"), new("b"))
    bring(ledger, failed, "FAILED", "r-0")
    for _ in range(2):
        assert ledger.take("r-1", [stays, failed], NOTE, planned) == (stays,)
    assert statuses(ledger, stays, failed) == ["IN_PROGRESS", "FAILED"]


def test_a_run_settles_only_what_it_has_in_progress(ledger: SqlIssueLedger) -> None:
    mine, others, nobodys = put(ledger, new("a"), new("b"), new("c"))
    ledger.take("r-1", [mine], NOTE)
    ledger.take("r-2", [others], NOTE)
    assert ledger.settle("r-1", [mine, others, nobodys], "RESOLVED", LANDED) == (mine,)
    assert statuses(ledger, mine, others, nobodys) == ["RESOLVED", "IN_PROGRESS", "OPEN"]
    told = ledger.history(mine)
    assert ledger.settle("r-1", [mine, others, nobodys], "RESOLVED", LANDED) == (mine,)
    assert ledger.settle("r-1", [mine], "FAILED", NOTE) == ()
    assert ledger.history(mine) == told


def test_what_a_commit_resolved_is_merged_by_its_pull_request(ledger: SqlIssueLedger) -> None:
    one, two, three = put(ledger, new("a"), new("b"), new("c"))
    ledger.take("r-1", [one, two, three], NOTE)
    ledger.settle("r-1", [one, two], "RESOLVED", LANDED)
    ledger.settle("r-1", [three], "RESOLVED", dataclasses.replace(NOTE, commit="other", at=70.0))
    assert ledger.unmerged_commits(SHOP) == (COMMIT, "other")
    assert ledger.unmerged_files(SHOP) == {COMMIT: ["shop/cart.py"], "other": ["shop/cart.py"]}
    assert ledger.mark_merged(COMMIT, "https://forge/pull/4", NOTE) == (one, two)
    assert ledger.mark_merged(COMMIT, "https://forge/pull/5", NOTE) == ()
    assert [(issue.status, issue.pull, issue.commit) for issue in ledger.issues([one, two, three])] == [
        ("MERGED", "https://forge/pull/4", COMMIT), ("MERGED", "https://forge/pull/4", COMMIT),
        ("RESOLVED", "", "other"),
    ]  # fmt: skip
    assert ledger.history(one)[-1].note.commit == COMMIT
    assert (ledger.unmerged_commits(SHOP), ledger.unmerged_commits(OTHER), ledger.unmerged_files(OTHER)) == (
        ("other",),
        (),
        {},
    )


def test_every_commit_that_waits_is_told_the_oldest_first(ledger: SqlIssueLedger) -> None:
    ids = put(ledger, *(new(str(number)) for number in range(201)))
    ledger.take("r-1", ids, NOTE)
    for number, issue in enumerate(ids):
        ledger.settle("r-1", [issue], "RESOLVED", dataclasses.replace(NOTE, commit=f"{number:03}", at=100.0 + number))
    assert ledger.unmerged_commits(SHOP) == tuple(f"{number:03}" for number in range(201))
    assert len(ledger.unmerged_files(SHOP)) == 201


def test_the_end_of_a_run_lets_go_of_what_it_has(store: sa.Engine, ledger: SqlIssueLedger) -> None:
    runs = start(store, "r-1", "r-2")
    mine, done, others = put(ledger, new("a"), new("b"), new("c"))
    ledger.take("r-1", [mine, done], NOTE)
    ledger.take("r-2", [others], NOTE)
    ledger.settle("r-1", [done], "RESOLVED", LANDED)
    for _ in range(2):
        runs.end("r-1", ENDED)
        assert statuses(ledger, mine, done, others) == ["OPEN", "RESOLVED", "IN_PROGRESS"]
        assert len(ledger.history(mine)) == 3
    last = ledger.history(mine)[-1].note
    assert (last.why, last.run_id) == ("the run ended CANCELLED before it was judged", "r-1")


def test_a_run_that_has_ended_takes_nothing(store: sa.Engine, ledger: SqlIssueLedger) -> None:
    """A step that a slow worker still does must not hold issues for ever."""
    ids = put(ledger, new("a"))
    start(store, "r-1").end("r-1", ENDED)
    assert ledger.take("r-1", ids, NOTE) == ()
    assert statuses(ledger, *ids) == ["OPEN"]


def test_an_undone_commit_opens_what_it_resolved(store: sa.Engine, ledger: SqlIssueLedger) -> None:
    runs = start(store, "r-1")
    resolved, merged, failed = put(ledger, new("a"), new("b"), new("c"))
    bring(ledger, resolved, "RESOLVED")
    bring(ledger, merged, "MERGED")
    bring(ledger, failed, "FAILED")
    for _ in range(2):
        runs.set_undone("r-1")
        assert statuses(ledger, resolved, merged, failed) == ["OPEN", "MERGED", "FAILED"]
    assert ledger.history(resolved)[-1].note.why == "its branch was removed"
    assert len(ledger.history(resolved)) == 4
    assert (ledger.issues([resolved])[0].commit, ledger.unmerged_commits(SHOP)) == ("", ())


def test_of_many_runs_that_take_at_once_each_issue_has_one(database_url: str) -> None:
    first = open_store(database_url)
    ids = put(SqlIssueLedger(first), *(new(str(number)) for number in range(40)))
    taken: dict[str, tuple[int, ...]] = {}
    together = threading.Barrier(6)

    def race(run_id: str, order: list[int]) -> None:
        engine = open_engine(database_url)
        together.wait()
        taken[run_id] = SqlIssueLedger(engine).take(run_id, order, NOTE)
        engine.dispose()

    racers = [
        threading.Thread(target=race, args=(f"r-{number}", ids[:: -1 if number % 2 else 1])) for number in range(6)
    ]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(timeout=60)
    holders = {issue.id: issue.run_id for issue in SqlIssueLedger(first).issues(ids)}
    first.dispose()
    assert sorted(issue for have in taken.values() for issue in have) == sorted(ids)
    assert holders == {issue: run_id for run_id, have in taken.items() for issue in have}
