"""Inserts many new issues at once: `executemany` on SQLite, COPY on Postgres, both on the driver directly.

A fingerprint may be taken: a file got the name and the text that another one had before, whose issues keep theirs.
That is rare, so it is not checked in advance; if the database refuses a fingerprint, the issue gets the next one.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from reknit.core.issues.identity.fingerprint import stable
from reknit.core.issues.model import NewIssue
from reknit.store.issues.rows import COPY, INSERT, Value
from reknit.store.tables import issues

_i = issues.c
Looks = tuple[str, str, bytes]
MakeRow = Callable[[NewIssue], tuple[Value, ...]]


def insert_issues(db: sa.Connection, repository: str, new: Sequence[NewIssue], row: MakeRow) -> None:
    if db.dialect.name == "sqlite":
        _insert_each(db, repository, list(new), row)
    else:
        _copy(db, repository, new, row)


def _insert_each(db: sa.Connection, repository: str, new: list[NewIssue], row: MakeRow) -> None:
    """Keeps the rows inserted before a refused one: rolling them back would cost a fifth more each time."""
    driver: Any = db.connection.driver_connection
    dbapi: Any = db.dialect.loaded_dbapi
    done, tried = 0, dict[Looks, int]()

    def rows() -> Iterator[tuple[Value, ...]]:
        nonlocal done
        while done < len(new):
            yield row(new[done])
            done += 1

    while done < len(new):
        try:
            driver.executemany(INSERT, rows())
        except dbapi.IntegrityError:
            if not _is_there(db, repository, new[done].fingerprint):
                raise
            new[done] = _renumbered(db, repository, new[done], tried)


def _copy(db: sa.Connection, repository: str, new: Sequence[NewIssue], row: MakeRow) -> None:
    driver: Any = db.connection.driver_connection
    dbapi: Any = db.dialect.loaded_dbapi

    def copy(new: Sequence[NewIssue]) -> None:
        with driver.cursor() as cursor, cursor.copy(COPY) as rows:
            for one in new:
                rows.write_row(row(one))

    try:
        with db.begin_nested():
            copy(new)
    except dbapi.IntegrityError:
        tried: dict[Looks, int] = {}
        copy([_renumbered(db, repository, one, tried) for one in new])


def _renumbered(db: sa.Connection, repository: str, one: NewIssue, tried: dict[Looks, int]) -> NewIssue:
    """With the next unused fingerprint for its looks. `tried`: the next ordinal to try for each of them."""
    looks = (one.placed.concept, one.placed.path, one.placed.wide)
    ordinal = tried.get(looks, 0)
    while _is_there(db, repository, name := stable(one.placed, ordinal)):
        ordinal += 1
    tried[looks] = ordinal + 1
    return msgspec.structs.replace(one, fingerprint=name)


def _is_there(db: sa.Connection, repository: str, fingerprint: str) -> bool:
    query = sa.select(_i.id).where(_i.repository == repository, _i.fingerprint == fingerprint)
    return db.execute(query).first() is not None
