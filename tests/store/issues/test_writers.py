"""Many writers at once, each trying transitions at random, legal or not: no illegal state, no lost history."""

import random
import threading
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit.core.issues.lifecycle import STATUSES, TRANSITIONS, Status
from reknit.core.issues.model import ChangeNote, IssueSighting
from reknit.store.database import open_engine, open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.tables import issue_changes, issues
from tests.store.issues.backlog import SHOP, new, placed, put, report
from tests.tools.patience import scale

ISSUES = 60
_i = issues.c


class Writer:
    """Tries transitions in all the ways there are and counts those that were made."""

    def __init__(self, number: int, url: str, ids: list[int], tries: int) -> None:
        self.name, self._url, self._ids, self._tries = f"r-{number}", url, ids, tries
        self._random = random.Random(number)
        self.made: Counter[str] = Counter()
        """By the word that its history has for who did it."""
        self.tried = 0

    def work(self) -> None:
        engine = open_engine(self._url)
        self._engine, self._ledger = engine, SqlIssueLedger(engine)
        while self.tried < self._tries:
            action = self._random.choices(
                [self._change, self._run, self._insert, self._update, self._see], [50, 30, 15, 5, 2]
            )
            action[0](self._random.sample(self._ids, self._random.randint(1, 8)), self._random.choice(STATUSES))
        engine.dispose()

    def _note(self, way: str) -> ChangeNote:
        return ChangeNote(f"{self.name} {way}", "because", 1.0, self.name, "c0ffee")

    def _change(self, ids: list[int], to: Status) -> None:
        self.made["change"] += len(self._ledger.change(ids, to, self._note("change")))
        self.tried += len(ids)

    def _run(self, ids: list[int], to: Status) -> None:
        held = self._ledger.take(self.name, ids, self._note("run"))
        self._ledger.settle(self.name, held, to, self._note("run"))
        self.tried += len(ids) + len(held)

    def _insert(self, ids: list[int], to: Status) -> None:
        """As another program would: the database alone decides."""
        columns = ["issue", "number", "old_status", "new_status", "who", "why", "at", "run_id", "commit_id"]
        for issue in ids[:3]:
            who = sa.literal(f"{self.name} insert")
            words = (sa.literal("because"), sa.literal(1.0), sa.literal(self.name), sa.literal("c0ffee"))
            row = sa.select(_i.id, _i.changes + 1, _i.status, sa.literal(to), who, *words).where(_i.id == issue)
            self.made["insert"] += self._is_taken(sa.insert(issue_changes).from_select(columns, row.with_for_update()))

    def _update(self, ids: list[int], to: Status) -> None:
        for issue in ids[:3]:
            assert not self._is_taken(sa.update(issues).where(_i.id == issue).values(status=to))

    def _see(self, ids: list[int], _to: Status) -> None:
        """An import beside them, which opens what is MERGED."""
        with self._ledger.importing(SHOP, report("ruff")) as going:
            seen = {one.id: one.line for one in going.find_known(["shop/cart.py"])}
            going.record_sightings([IssueSighting(issue, placed(str(issue), line=seen[issue] + 1)) for issue in ids])
            self.made["ann"] += going.count().reopened

    def _is_taken(self, statement: sa.Executable) -> bool:
        self.tried += 1
        try:
            with self._engine.begin() as db:
                db.execute(statement)
        except sa.exc.IntegrityError:
            return False
        return True


def race(url: str, writers: int, tries: int) -> None:
    engine = open_store(url)
    ledger = SqlIssueLedger(engine)
    ids = put(ledger, *(new(str(number)) for number in range(ISSUES)))
    all_of_them = [Writer(number, url, ids, tries // writers) for number in range(writers)]
    threads = [threading.Thread(target=writer.work) for writer in all_of_them]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=scale(150))
    assert sum(writer.tried for writer in all_of_them) >= tries
    written: Counter[str] = Counter()
    for issue in ledger.issues(ids):
        written.update(_followed(ledger, issue.id, issue.status))
    engine.dispose()
    made = sum((writer.made for writer in all_of_them), Counter[str]())
    assert {way: written[way] for way in made} == dict(made)
    assert min(made[way] for way in ("change", "insert", "ann")) > 0
    assert written["run"] > 0


def _followed(ledger: SqlIssueLedger, issue: int, status: Status) -> list[str]:
    """Its history leads from OPEN to where it is, legally and without a gap; returns by which ways."""
    first, *changes = ledger.history(issue)
    assert (first.old, first.new) == (None, "OPEN")
    here = first.new
    for change in changes:
        assert change.old == here
        assert (here, change.new) in TRANSITIONS
        here = change.new
    assert here == status
    return [change.note.author.rpartition(" ")[2] for change in changes]


@pytest.mark.parametrize("tries", [4_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_eight_writers_on_postgres(postgres_url: str, tries: int) -> None:
    race(postgres_url, writers=8, tries=tries)


def test_two_writers_on_sqlite(tmp_path: Path) -> None:
    race(f"sqlite:///{tmp_path}/reknit.sqlite", writers=2, tries=4_000)
