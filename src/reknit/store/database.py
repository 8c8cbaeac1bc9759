"""Opens the one database of an installation, SQLite or Postgres, and brings our tables up to date."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from reknit.store.tables import SCHEMA

HEAD = "0004"
"""The newest migration; a test compares it with the migrations folder."""
_LOCK = 7_356_648


def is_sqlite(url: str) -> bool:
    return url.startswith("sqlite")


def sqlite_path(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def open_engine(url: str, pool_size: int = 5) -> sa.Engine:
    if not is_sqlite(url):
        return sa.create_engine(url, pool_size=pool_size, pool_pre_ping=True, connect_args={"connect_timeout": 5})
    sqlite_path(url).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = sa.create_engine(url, execution_options={"schema_translate_map": {SCHEMA: None}})
    sa.event.listen(engine, "connect", _sqlite_settings)
    return engine


def _sqlite_settings(connection: Any, _record: Any) -> None:
    connection.isolation_level = "IMMEDIATE"  # take the write lock at BEGIN, as the engine itself does
    for pragma in ("busy_timeout=30000", "foreign_keys=ON", "journal_mode=WAL", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {pragma}")


@contextlib.contextmanager
def exclusive(url: str) -> Iterator[None]:
    """One process at a time changes the shape of a SQLite file; Postgres has its own lock inside `upgrade`."""
    if not is_sqlite(url):
        yield
        return
    path = sqlite_path(url)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.with_name(path.name + ".launch").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def open_store(url: str) -> sa.Engine:
    """An engine whose tables are up to date."""
    engine = open_engine(url)
    if _version(engine) != HEAD:
        upgrade(engine, url)
    return engine


def _version(engine: sa.Engine) -> str | None:
    schema = None if engine.dialect.name == "sqlite" else SCHEMA
    table = sa.table("reknit_version", sa.column("version_num"), schema=schema)
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table(table.name, schema=schema):
            return None
        return connection.execute(sa.select(table.c.version_num)).scalar_one_or_none()


def upgrade(engine: sa.Engine, url: str, to: str = "head") -> None:
    from alembic import command  # late: most commands find the tables up to date
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "reknit.store:migrations")
    with exclusive(url), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_lock(_LOCK)))
            connection.execute(sa.text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
            connection.commit()
        config.attributes["connection"] = connection
        command.upgrade(config, to)
        connection.commit()
        connection.invalidate()  # ends the session, and its lock with it: a pooled one would hold up the next upgrade
