"""Counts the database connections that are opened and not closed."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa


@contextmanager
def open_connections() -> Iterator[set[int]]:
    """Those of any engine that were opened in here and are still open."""
    left: set[int] = set()

    def opened(connection: object, _record: object) -> None:
        left.add(id(connection))

    def closed(connection: object, _record: object) -> None:
        left.discard(id(connection))

    sa.event.listen(sa.Pool, "connect", opened)
    sa.event.listen(sa.Pool, "close", closed)
    try:
        yield left
    finally:
        sa.event.remove(sa.Pool, "connect", opened)
        sa.event.remove(sa.Pool, "close", closed)
