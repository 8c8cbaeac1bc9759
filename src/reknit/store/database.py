"""Opens the one database of an installation, SQLite or Postgres, and brings our tables up to date."""

import contextlib
import fcntl
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from reknit.core.errors import DatabaseError
from reknit.store.open_databases import HEAD, forget, register
from reknit.store.problems import POOL_SIZE, database_problem, display_name, newer_database, unsupported_database
from reknit.store.tables import SCHEMA
from reknit.store.transactions import PATIENCE, PATIENCE_S, call_with_retries

WORKER = "reknit worker"
"""Name in `pg_stat_activity` of connections from a process that works on runs."""
_SCHEMA_LOCK = 7_356_648
"""Postgres advisory lock for changes of the tables; any constant number will do."""
_ALEMBIC = threading.Lock()
"""Alembic's `op` is global to the process: two threads that migrate would write into each other's databases."""
_POOL_WAIT_S = 3600.0
"""Practically unlimited. A connection becomes free when its statement ends, which has its own time limit."""
_SWITCH_S = 30.0
"""For how long the first use of a new SQLite file waits for another process that also uses it for the first time."""
_IDLE = "-c idle_in_transaction_session_timeout=60s"
"""A worker that hangs in a transaction must not hold its locks forever."""


def is_sqlite(url: str) -> bool:
    """Return True if the address names a SQLite file."""
    return url.startswith("sqlite")


def sqlite_path(url: str) -> Path:
    """Return the path of the SQLite file."""
    return Path(url.removeprefix("sqlite:///"))


def open_engine(url: str, *, patience_s: float = PATIENCE_S, works: bool = False) -> sa.Engine:
    """Open the database without a look at its tables. An enclosing `closing_databases` closes it at the end.

    `works`: for a process that runs workflows; all of them share this one small pool.
    """
    engine = _create_engine(url, patience_s, works=works)
    register(engine)
    sa.event.listen(engine, "engine_disposed", forget)
    return engine


def _create_engine(url: str, patience_s: float, *, works: bool) -> sa.Engine:
    if not is_sqlite(url):
        address = _postgres_url(url)
        connect: dict[str, Any] = {"connect_timeout": 5, "application_name": WORKER if works else "reknit"}
        if works and "options" not in address.query:
            connect["options"] = _IDLE
        return sa.create_engine(
            address, pool_size=POOL_SIZE, max_overflow=0, pool_timeout=_POOL_WAIT_S, pool_pre_ping=True,
            connect_args=connect, execution_options={PATIENCE: patience_s},
        )  # fmt: skip
    if not url.startswith("sqlite:///") or sqlite_path(url).name in ("", ":memory:"):
        raise unsupported_database(url)
    _make_folder(url)
    options = {"schema_translate_map": {SCHEMA: None}, PATIENCE: patience_s}
    engine = sa.create_engine(url, execution_options=options)
    sa.event.listen(engine, "connect", _configure_sqlite)
    return engine


def _postgres_url(url: str) -> sa.URL:
    try:
        address = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise unsupported_database(url) from None
    if address.drivername not in ("postgres", "postgresql", "postgresql+psycopg"):
        raise unsupported_database(url)
    return address.set(drivername="postgresql+psycopg")


def _make_folder(url: str) -> None:
    try:
        sqlite_path(url).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as refused:
        message = f"cannot create the folder of the database {display_name(url)}: {refused.strerror}"
        raise DatabaseError("database-unreadable", message, help="check the path, or set REKNIT_STATE") from refused


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = "IMMEDIATE"  # take the write lock at BEGIN, as the engine itself does
    if sqlite3.sqlite_version_info < (3, 42):  # the engine's own SQL calls it on Python 3.12 and later
        connection.create_function("unixepoch", 1, _unixepoch)
    try:
        for pragma in ("busy_timeout=30000", "foreign_keys=ON", "synchronous=NORMAL"):
            connection.execute(f"PRAGMA {pragma}")
        _use_write_ahead_log(connection)
    except sqlite3.Error:  # the file is damaged; the pool has not got the connection yet, so it would not close it
        connection.close()
        raise


def _use_write_ahead_log(connection: Any) -> None:
    """Switch the file to a write-ahead log. SQLite refuses, and does not wait, while another process does the same."""
    deadline = time.monotonic() + _SWITCH_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _unixepoch(modifier: str) -> float:
    """Return `unixepoch('subsec')` as in SQLite since 3.42: seconds, to the millisecond."""
    if modifier != "subsec":
        raise ValueError(f"unixepoch({modifier!r}) is not provided for SQLite {sqlite3.sqlite_version}")
    return round(time.time(), 3)


@contextlib.contextmanager
def lock_schema(url: str) -> Iterator[None]:
    """Lock the tables of a SQLite file against changes by `upgrade`, which takes its own lock on Postgres."""
    if not is_sqlite(url):
        yield
        return
    path = sqlite_path(url)
    _make_folder(url)
    with path.with_name(path.name + ".launch").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def open_store(url: str, *, patience_s: float = PATIENCE_S, works: bool = False, waits: bool = False) -> sa.Engine:
    """Open the database with tables that are up to date. `waits`: retry if it is unreachable now."""
    engine = open_engine(url, patience_s=patience_s, works=works)
    try:
        version = call_with_retries(engine, lambda: _read_version(engine)) if waits else _read_version(engine)
        if version is not None and version > HEAD:
            raise newer_database(url, version, HEAD)
        if version != HEAD:
            upgrade(engine, url)
    except (sa.exc.SQLAlchemyError, DatabaseError) as error:
        engine.dispose()
        if problem := database_problem(error, url):
            raise problem from error
        raise
    return engine


def _read_version(engine: sa.Engine) -> str | None:
    schema = None if engine.dialect.name == "sqlite" else SCHEMA
    table = sa.table("reknit_version", sa.column("version_num"), schema=schema)
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table(table.name, schema=schema):
            return None
        return connection.execute(sa.select(table.c.version_num)).scalar_one_or_none()


def upgrade(engine: sa.Engine, url: str, to: str = "head") -> None:
    """Run the missing migrations, in one process at a time."""
    from alembic import command  # imported late: most commands find the tables up to date
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "reknit.store:migrations")
    with _ALEMBIC, lock_schema(url), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_lock(_SCHEMA_LOCK)))
            connection.execute(sa.text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
            connection.commit()
        config.attributes["connection"] = connection
        command.upgrade(config, to)
        connection.commit()
        connection.invalidate()  # ends the session and its lock: a pooled session would block the next upgrade
