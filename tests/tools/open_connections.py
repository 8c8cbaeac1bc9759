"""Finds the database connections that are opened and not closed, whoever closes them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa


@contextmanager
def open_connections() -> Iterator[list[Any]]:
    """Filled at the end with those, of any engine, that were opened in here and are still open."""
    opened: list[Any] = []
    left: list[Any] = []

    def note(connection: Any, _record: object) -> None:
        opened.append(connection)

    sa.event.listen(sa.Pool, "connect", note)
    try:
        yield left
    finally:
        sa.event.remove(sa.Pool, "connect", note)
        left += filter(_is_open, opened)


def _is_open(connection: Any) -> bool:
    if not isinstance(connection, sqlite3.Connection):
        return not connection.closed
    try:
        connection.total_changes  # noqa: B018 - it raises when the connection is closed
    except sqlite3.ProgrammingError as problem:
        return "closed" not in str(problem)
    return True
