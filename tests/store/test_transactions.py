"""Transactions: whole or not at all, and repeated only while the database cannot be reached."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit.store import tables
from reknit.store.database import open_engine
from reknit.store.transactions import RetryingTransactions, call_with_retries, disable_retries, is_passing

ROW = {"id": "r-1", "kind": "fix tests", "repository": "/r", "base": "b", "agent": "a", "spec": "{}",
       "state": "running", "budget_usd": 5.0, "created_at": 1.0}  # fmt: skip


@pytest.fixture
def db(store: sa.Engine) -> RetryingTransactions:
    return RetryingTransactions(store)


def state_of(db: RetryingTransactions, run_id: str = "r-1") -> object:
    return db.read(sa.select(tables.runs.c.state).where(tables.runs.c.id == run_id))


def test_a_row_is_added_once(db: RetryingTransactions) -> None:
    db.add_once(tables.runs, **ROW)
    db.add_once(tables.runs, **{**ROW, "state": "ended"})
    assert state_of(db) == "running"
    assert state_of(db, "r-2") is None


def test_a_row_is_put_whether_it_is_there_or_not(db: RetryingTransactions) -> None:
    values = {name: value for name, value in ROW.items() if name != "id"}
    db.put(tables.runs, {"id": "r-1"}, **values)
    db.put(tables.runs, {"id": "r-1"}, **{**values, "state": "ended"})
    assert [tuple(row) for row in db.read_rows(sa.select(tables.runs.c.id, tables.runs.c.state))] == [("r-1", "ended")]


def test_statements_are_written_together_or_not_at_all(db: RetryingTransactions) -> None:
    twice = sa.insert(tables.runs).values(**ROW)
    with pytest.raises(sa.exc.IntegrityError):
        db.write(twice, twice)
    assert db.read_rows(sa.select(tables.runs.c.id)) == []
    assert db.write(twice.returning(tables.runs.c.id)) == "r-1"
    assert db.write(sa.update(tables.runs).values(state="ended")) is None


def test_work_that_breaks_leaves_nothing(db: RetryingTransactions) -> None:
    def work(connection: sa.Connection) -> None:
        connection.execute(sa.insert(tables.runs).values(**ROW))
        raise KeyError

    with pytest.raises(KeyError):
        db.run_in_transaction(work)
    with pytest.raises(KeyError), db.transaction() as connection:
        work(connection)
    assert state_of(db) is None


def test_a_held_transaction_is_written_at_its_end(db: RetryingTransactions) -> None:
    with db.transaction() as connection:
        connection.execute(sa.insert(tables.runs).values(**ROW))
    assert state_of(db) == "running"


def busy() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorname = "SQLITE_BUSY"
    return error


@pytest.fixture
def engine(tmp_path: Path) -> sa.Engine:
    return open_engine(f"sqlite:///{tmp_path}/reknit.sqlite")


def test_a_locked_database_is_asked_again(engine: sa.Engine) -> None:
    answers: list[Exception | str] = [busy(), "done"]

    def once() -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert call_with_retries(engine, once) == "done"


@pytest.mark.parametrize("error", [busy(), sqlite3.IntegrityError("twice")], ids=["no patience", "not passing"])
def test_nothing_else_is_repeated(engine: sa.Engine, error: sqlite3.Error) -> None:
    calls = []

    def once() -> None:
        calls.append(1)
        raise error

    asked = disable_retries(engine) if is_passing(error) else engine
    with pytest.raises(type(error)):
        call_with_retries(asked, once)
    assert len(calls) == 1
    assert asked.pool is engine.pool
