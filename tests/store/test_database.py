"""Opening a database and bringing its tables up to date, on SQLite and on Postgres."""

import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import reknit.store.migrations
from reknit.store import tables
from reknit.store.database import _unixepoch, is_sqlite, lock_schema, open_engine, open_store, sqlite_path, upgrade
from reknit.store.open_databases import HEAD
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader

OURS = {
    "runs", "attempts", "receipts", "events", "documents", "slots", "calls", "accounts", "memories", "claims",
    "queued", "issues", "issue_changes", "imports", "newest_imports", "audit",
}  # fmt: skip


def test_the_clock_of_the_engine_is_there_on_every_sqlite(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/reknit.sqlite")
    with engine.begin() as db:
        db.execute(sa.text("CREATE TABLE seen (at INTEGER DEFAULT (unixepoch('subsec') * 1000), what TEXT)"))
        before = time.time()
        db.execute(sa.text("INSERT INTO seen (what) VALUES ('a row')"))
        at_ms = db.execute(sa.text("SELECT at FROM seen")).scalar_one()
    assert before * 1000 - 1 <= at_ms <= time.time() * 1000 + 1


def test_the_clock_stands_in_for_nothing_else() -> None:
    assert abs(_unixepoch("subsec") - time.time()) < 10
    with pytest.raises(ValueError, match=r"unixepoch\('now'\) is not provided"):
        _unixepoch("now")


def test_threads_make_the_tables_of_different_databases_at_the_same_time(tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path}/{number}.sqlite" for number in range(8)]

    def made(url: str) -> set[str]:
        engine = open_store(url)
        try:
            return set(sa.inspect(engine).get_table_names())
        finally:
            engine.dispose()

    with ThreadPoolExecutor(len(urls)) as pool:
        assert all(seen >= OURS for seen in pool.map(made, urls))


def test_head_is_the_newest_migration() -> None:
    folder = Path(reknit.store.migrations.__file__).parent / "versions"
    assert max(path.name for path in folder.glob("[0-9]*.py")).partition("_")[0] == HEAD


def test_the_migrations_make_exactly_what_the_tables_say(database_url: str) -> None:
    engine = open_store(database_url)
    wanted = _metadata_for(engine)
    with engine.connect() as connection:
        options = {
            "compare_type": True,
            "compare_server_default": not is_sqlite(database_url),  # alembic misreads an empty text there
            "include_schemas": not is_sqlite(database_url),
            "include_object": lambda _object, name, kind, *_: kind != "table" or name in OURS,
            "version_table": "reknit_version",
        }
        found = compare_metadata(MigrationContext.configure(connection, opts=options), wanted)
    engine.dispose()
    assert found == []


def _metadata_for(engine: sa.Engine) -> sa.MetaData:
    """SQLite has no schemas, and alembic does not look at the engine's translation of them."""
    if engine.dialect.name != "sqlite":
        return tables.metadata
    plain = sa.MetaData()
    for table in tables.metadata.tables.values():
        copy: Any = table.to_metadata  # its types do not know that both may be nothing
        copy(plain, schema=None, referred_schema_fn=lambda *_: sa.schema.BLANK_SCHEMA)
    return plain


def test_the_tables_stand_in_a_schema_of_their_own_on_postgres_only(database_url: str) -> None:
    engine = open_store(database_url)
    schema = None if is_sqlite(database_url) else "reknit"
    assert set(sa.inspect(engine).get_table_names(schema=schema)) >= {*OURS, "reknit_version"}
    assert is_sqlite(database_url) or sa.inspect(engine).get_table_names(schema="public") == []
    engine.dispose()


def test_a_second_upgrade_changes_nothing(database_url: str) -> None:
    engine = open_store(database_url)
    upgrade(engine, database_url)
    engine.dispose()
    again = open_store(database_url)
    again.dispose()


def test_two_processes_that_upgrade_at_once_do_not_collide(database_url: str) -> None:
    program = "import sys; from reknit.store.database import open_store; open_store(sys.argv[1]).dispose()"
    argv = [sys.executable, "-c", program, database_url]
    both = [subprocess.Popen(argv, stderr=subprocess.PIPE) for _ in range(2)]
    assert [(child.communicate(timeout=60)[1], child.returncode) for child in both] == [(b"", 0), (b"", 0)]


def test_a_new_file_that_another_process_writes_is_waited_for(tmp_path: Path) -> None:
    """SQLite's own waiting does not cover the switch to a write-ahead log."""
    file = tmp_path / "reknit.sqlite"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.rollback)
    release.start()
    open_store(f"sqlite:///{file}").dispose()
    release.join()
    other.close()


def test_whoever_upgraded_does_not_hold_up_the_next_while_it_lives(postgres_url: str) -> None:
    """A lock kept by a pooled connection would make a second worker wait until the first one ends."""
    first = open_store(postgres_url)
    second = open_engine(postgres_url)
    late = threading.Thread(target=upgrade, args=(second, postgres_url), daemon=True)
    late.start()
    late.join(timeout=20)
    waits = late.is_alive()
    first.dispose()  # ends its session, so that nothing hangs when this fails
    late.join(timeout=20)
    second.dispose()
    assert not waits


def test_only_one_at_a_time_may_change_a_sqlite_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/deep/reknit.sqlite"
    entered = threading.Event()

    def enter() -> None:
        with lock_schema(url):
            entered.set()

    with lock_schema(url):
        other = threading.Thread(target=enter)
        other.start()
        assert not entered.wait(0.1)
    other.join(timeout=5)
    assert entered.is_set()


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        pytest.param("journal_mode", "wal", id="readers do not wait for a writer"),
        pytest.param("foreign_keys", 1, id="an attempt without its run is refused"),
        pytest.param("busy_timeout", 30000, id="a busy file is waited for"),
    ],
)
def test_sqlite_is_set_up_for_several_processes(tmp_path: Path, pragma: str, value: object) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/reknit.sqlite")
    with engine.connect() as connection:
        assert connection.execute(sa.text(f"PRAGMA {pragma}")).scalar_one() == value
    engine.dispose()


def test_the_path_of_a_sqlite_file_is_read_from_its_address() -> None:
    assert sqlite_path("sqlite:////var/lib/reknit.sqlite") == Path("/var/lib/reknit.sqlite")


OLD_RUN = {
    "id": "r-1", "kind": "fix tests", "repository": "/r", "base": "b", "agent": "a", "spec": "{}",
    "state": "running", "budget_usd": 5.0, "spent_usd": 4.5, "created_at": 1.0,
}  # fmt: skip


def _at(database_url: str, revision: str) -> sa.Engine:
    """A database of an older release with one run in it."""
    engine = open_engine(database_url)
    upgrade(engine, database_url, revision)
    with engine.begin() as db:
        db.execute(sa.insert(tables.runs).values(**OLD_RUN))
    return engine


def test_a_database_of_an_older_release_is_brought_up_to_date_with_its_runs(database_url: str) -> None:
    engine = _at(database_url, "0001")
    schema = None if is_sqlite(database_url) else "reknit"
    assert "issues" not in sa.inspect(engine).get_table_names(schema=schema)
    engine.dispose()
    engine = open_store(database_url)
    assert "issues" in sa.inspect(engine).get_table_names(schema=schema)
    assert SqlRunLedger(engine).claim("acme/shop#1", "r-1") == "r-1"
    assert RunReader(engine).holder("acme/shop#1") == "r-1"
    engine.dispose()


def test_only_a_run_that_is_known_may_claim(database_url: str) -> None:
    engine = open_store(database_url)
    with pytest.raises(sa.exc.IntegrityError):
        SqlRunLedger(engine).claim("acme/shop#1", "r-nobody")
    engine.dispose()
