"""The quick way writes what the long way writes, or nothing at all."""

import json
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit.store import tables
from reknit.store.database import open_store
from reknit.store.runs.coordination import RunQueue
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.quick_queue import make_run_row, quick_queue, to_json
from tests.tools.recorded_runs import spec


@pytest.fixture
def url(database_url: str) -> str:
    return database_url.replace("/state/", "/a folder/")


def rows(store: sa.Engine, table: sa.Table, run_id: str) -> list[tuple[object, ...]]:
    key = table.c.id if table is tables.runs else table.c.run_id
    with store.connect() as db:
        return [
            tuple(value for value in row if value != run_id)
            for row in db.execute(sa.select(table).where(key == run_id))
        ]


def test_both_ways_write_the_same_rows(url: str) -> None:
    store = open_store(url)
    slow = SqlRunLedger(store)
    slow.create(spec("r-1", created_at=12.5))
    slow.put_document("r-1", "spec", "document")
    RunQueue(store).add("r-1", "p")
    assert quick_queue(url, spec("r-2", created_at=12.5), "document", "p")
    for table in (tables.documents, tables.queued):
        assert rows(store, table, "r-1") == rows(store, table, "r-2") != []
    first, second = (repr(rows(store, tables.runs, run_id)) for run_id in ("r-1", "r-2"))
    assert first.replace("r-1", "r-2") == second
    store.dispose()


def test_what_it_cannot_do_leaves_nothing_behind(url: str) -> None:
    assert not quick_queue(url, spec("r-1"), "document", "p"), "there are no tables"
    store = open_store(url)
    assert quick_queue(url, spec("r-1"), "document", "p")
    assert not quick_queue(url, spec("r-1"), "document", "p"), "it is there already"
    with store.begin() as db:
        schema = "" if url.startswith("sqlite") else "reknit."
        db.execute(sa.text(f"DELETE FROM {schema}queued"))
        assert len(db.execute(sa.select(tables.runs)).all()) == 1
    assert not quick_queue(url, spec("r-1"), "document", "p")
    assert not RunQueue(store).holds("r-1"), "all three rows or none"
    with store.begin() as db:
        db.execute(sa.text(f"UPDATE {schema}reknit_version SET version_num = '9999'"))
    assert not quick_queue(url, spec("r-2"), "document", "p"), "the tables are of another version"
    store.dispose()


@pytest.mark.parametrize(
    "url", ["mysql://h/d", "postgres://h/d", "postgresql://127.0.0.1:1/d", "sqlite:///{folder}/none.sqlite", "nonsense"]
)
def test_an_address_that_it_does_not_know_is_left_to_the_long_way(tmp_path: Path, url: str) -> None:
    assert not quick_queue(url.format(folder=tmp_path), spec("r-1"), "document", "p")
    assert list(tmp_path.iterdir()) == [], "no file was created"


def test_a_damaged_file_is_left_to_the_long_way(tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(b"not a database" * 100)
    assert not quick_queue(f"sqlite:///{tmp_path}/db", spec("r-1"), "document", "p")
    with pytest.raises(sqlite3.DatabaseError), sqlite3.connect(tmp_path / "db") as db:
        db.execute("SELECT 1 FROM runs")


def test_it_has_every_column_that_has_no_default() -> None:
    needed = {column.name for column in tables.runs.c if not column.nullable and column.server_default is None}
    assert needed <= set(make_run_row(spec("r-1"))) <= {column.name for column in tables.runs.c}


def test_the_spec_is_plain_json() -> None:
    assert json.loads(to_json(spec("r-1")))["run_id"] == "r-1"
    assert make_run_row(spec("r-1"), "slot-1")["worker"] == "slot-1"
