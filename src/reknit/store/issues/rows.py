"""Makes rows of the issues table from results of tools, applies new sightings to them, and inserts them in bulk."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from reknit.core.issues.identity.fingerprint import make_fingerprint
from reknit.core.issues.model import IssueSource, LocatedResult, NewIssue, ReportResult
from reknit.store.tables import SCHEMA, issues

_COLUMNS = (
    "repository", "fingerprint", "path", "line", "col", "concept", "wide", "own", "said", "tool", "rule", "message",
    "url", "weight", "suggestion", "effort", "files", "more", "first_import", "last_import", "changed_import",
    "created_at", "changed_at",
)  # fmt: skip
"""Columns written for a new issue; the database sets the others."""
INSERT = f"INSERT INTO issues ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608
COPY = f"COPY {SCHEMA}.issues ({', '.join(_COLUMNS)}) FROM STDIN"
Value = str | int | float | bytes
_LARGEST = 2**31
_sources = msgspec.json.Decoder(tuple[IssueSource, ...])


class StoredIssue(msgspec.Struct, frozen=True, gc=False):
    """The columns of an issue that a sighting reads or changes. Fields are named like the columns."""

    id: int
    status: str
    commit_id: str | None
    path: str
    line: int
    col: int
    concept: str
    wide: bytes
    """`LocatedResult.context_digests`."""
    own: bytes
    """`LocatedResult.line_digest`."""
    said: bytes
    """`LocatedResult.message_digests`."""
    tool: str
    rule: str
    message: str
    url: str
    weight: str
    suggestion: str
    effort: int
    files: int
    more: str
    first_import: int
    last_import: int
    changed_import: int


MATCH_COLUMNS = ("concept", "wide", "own", "said")
"""Columns used only to recognise an issue; never shown."""


def is_visibly_different(before: StoredIssue, after: StoredIssue) -> bool:
    """Return True if a person would see a difference."""
    return (
        after != before
        and msgspec.structs.replace(after, **{name: getattr(before, name) for name in MATCH_COLUMNS}) != before
    )


def make_row(repository: str, number: int, at: float, new: NewIssue) -> tuple[Value, ...]:
    """Return the row of a new issue."""
    placed, result = new.result, new.result.result
    return (
        repository, new.fingerprint, _clean(placed.path), _clamp_number(result.line), _clamp_number(result.column),
        _clean(placed.concept), placed.context_digests, placed.line_digest, placed.message_digests,
        _clean(result.tool), _clean(result.rule),
        _clean(result.message), _clean(result.url), result.weight, _clean(result.suggestion),
        _clamp_number(result.effort_1_5),
        _clamp_number(result.files),
        _encode_sources([_to_source(other.result) for other in new.other_results]) if new.other_results else "",
        number, number, number, at, at,
    )  # fmt: skip


def apply_sighting(stored: StoredIssue, placed: LocatedResult, *, first: bool) -> StoredIssue:
    """Return the changed row, or an equal one. A report whose format lacks a value keeps the known value.

    `first`: no other tool has reported it in this import yet. Text comes only from the tool that first saw the issue.
    """
    result = placed.result
    source = _to_source(result)
    if source.tool != stored.tool:
        return _apply_other_tool(stored, placed, source, first=first)
    return msgspec.structs.replace(
        _move_to(stored, placed), concept=_clean(placed.concept), said=placed.message_digests, rule=source.rule,
        message=source.message,
        url=source.url or stored.url, weight=result.weight, suggestion=_clean(result.suggestion) or stored.suggestion,
        effort=_clamp_number(result.effort_1_5) or stored.effort, files=_clamp_number(result.files) or stored.files,
    )  # fmt: skip


def _apply_other_tool(stored: StoredIssue, placed: LocatedResult, source: IssueSource, *, first: bool) -> StoredIssue:
    """Apply a sighting by another tool. A different column alone does not change the place: tools count differently."""
    others = {other.tool: other for other in decode_further_sources(stored.more)}
    earlier_source = others.get(source.tool, source)
    others[source.tool] = dataclasses.replace(source, url=source.url or earlier_source.url)
    noted = msgspec.structs.replace(stored, more=_encode_sources(list(others.values())))
    here = (_clean(placed.path), _clamp_number(placed.result.line), placed.context_digests, placed.line_digest)
    return _move_to(noted, placed) if first and here != (stored.path, stored.line, stored.wide, stored.own) else noted


def _move_to(stored: StoredIssue, placed: LocatedResult) -> StoredIssue:
    line, column = _clamp_number(placed.result.line), _clamp_number(placed.result.column)
    if line == stored.line:
        column = column or stored.col
    path = _clean(placed.path)
    return msgspec.structs.replace(
        stored, path=path, line=line, col=column, wide=placed.context_digests, own=placed.line_digest
    )


def decode_further_sources(more: str) -> tuple[IssueSource, ...]:
    """Return the sources after the first one."""
    return _sources.decode(more) if more else ()


def _encode_sources(sources: Sequence[IssueSource]) -> str:
    return msgspec.json.encode(sources).decode()


def _to_source(result: ReportResult) -> IssueSource:
    return IssueSource(_clean(result.tool), _clean(result.rule), _clean(result.message), _clean(result.url))


def _clean(text: str) -> str:
    """Remove characters that a database cannot store: NUL characters and lone surrogates."""
    if text.isascii():
        return text.replace("\0", "") if "\0" in text else text
    return text.encode(errors="replace").decode().replace("\0", "")


def _clamp_number(value: int) -> int:
    return value if 0 <= value < _LARGEST else 0


_i = issues.c
OrdinalKey = tuple[str, str, bytes]
MakeRow = Callable[[NewIssue], tuple[Value, ...]]


def insert_issues(db: sa.Connection, repository: str, new: Sequence[NewIssue], row: MakeRow) -> None:
    """Insert new issues: `executemany` on SQLite, COPY on Postgres.

    A fingerprint may be in use already, if a file gets the path and the text that another file had: the issues of that
    file keep their fingerprints. This is rare, so it is not checked before. If the database refuses a fingerprint, the
    issue gets the next one.
    """
    if db.dialect.name == "sqlite":
        _insert_each(db, repository, list(new), row)
    else:
        _copy(db, repository, new, row)


def _insert_each(db: sa.Connection, repository: str, new: list[NewIssue], row: MakeRow) -> None:
    """Insert rows, and keep those before a refused one. To roll them back would take a fifth longer each time."""
    driver: Any = db.connection.driver_connection
    dbapi: Any = db.dialect.loaded_dbapi
    inserted, ordinals = 0, dict[OrdinalKey, int]()

    def rows() -> Iterator[tuple[Value, ...]]:
        nonlocal inserted
        while inserted < len(new):
            yield row(new[inserted])
            inserted += 1

    while inserted < len(new):
        try:
            driver.executemany(INSERT, rows())
        except dbapi.IntegrityError:
            if not _is_fingerprint_used(db, repository, new[inserted].fingerprint):
                raise
            new[inserted] = _renumber(db, repository, new[inserted], ordinals)


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
        ordinals: dict[OrdinalKey, int] = {}
        copy([_renumber(db, repository, one, ordinals) for one in new])


def _renumber(db: sa.Connection, repository: str, one: NewIssue, ordinals: dict[OrdinalKey, int]) -> NewIssue:
    """Give the issue its next unused fingerprint. `ordinals`: the next ordinal to try, for equal-looking issues."""
    looks = (one.result.concept, one.result.path, one.result.context_digests)
    ordinal = ordinals.get(looks, 0)
    while _is_fingerprint_used(db, repository, name := make_fingerprint(one.result, ordinal)):
        ordinal += 1
    ordinals[looks] = ordinal + 1
    return msgspec.structs.replace(one, fingerprint=name)


def _is_fingerprint_used(db: sa.Connection, repository: str, fingerprint: str) -> bool:
    query = sa.select(_i.id).where(_i.repository == repository, _i.fingerprint == fingerprint)
    return db.execute(query).first() is not None
