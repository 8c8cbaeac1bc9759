"""Closes the databases that a command opened, and names the version of our tables; imports no database library."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Protocol


class Database(Protocol):
    """A SQLAlchemy engine."""

    def dispose(self) -> None: ...


_opened: ContextVar[set[Database] | None] = ContextVar("opened", default=None)


@contextlib.contextmanager
def closing_databases() -> Iterator[None]:
    """Close every database that this thread opens inside the block, even after an exception."""
    opened: set[Database] = set()
    token = _opened.set(opened)
    try:
        yield
    finally:
        _opened.reset(token)
        for database in opened:
            database.dispose()


def register(database: Database) -> None:
    """Let the enclosing `closing_databases` close this database."""
    opened = _opened.get()
    if opened is not None:
        opened.add(database)


def forget(database: Database) -> None:
    """Drop a database that is already closed: a process that runs for weeks must not keep it."""
    opened = _opened.get()
    if opened is not None:
        opened.discard(database)


HEAD = "0003"
"""The newest migration; a test compares it with the migrations folder."""
