"""Maps a result of a tool's report to its row in the issues table, and a new sighting to a changed row."""

import dataclasses
from collections.abc import Sequence

import msgspec

from reknit.core.issues.model import IssueSource, LocatedResult, NewIssue, ReportResult
from reknit.store.tables import SCHEMA

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
    own: bytes
    said: bytes
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


LOOKS = ("concept", "wide", "own", "said")
"""Columns used only to recognise an issue; never shown."""


def differs(before: StoredIssue, after: StoredIssue) -> bool:
    """Whether a person would see a difference."""
    return (
        after != before and msgspec.structs.replace(after, **{name: getattr(before, name) for name in LOOKS}) != before
    )


def new_row(repository: str, number: int, at: float, new: NewIssue) -> tuple[Value, ...]:
    placed, found = new.placed, new.placed.found
    return (
        repository, new.fingerprint, _clean(placed.path), _number(found.line), _number(found.column),
        _clean(placed.concept), placed.wide, placed.own, placed.said, _clean(found.tool), _clean(found.rule),
        _clean(found.message), _clean(found.url), found.weight, _clean(found.suggestion), _number(found.effort_1_5),
        _number(found.files), _more([_source(other.found) for other in new.also]) if new.also else "",
        number, number, number, at, at,
    )  # fmt: skip


def seen_by(kept: StoredIssue, placed: LocatedResult, *, first: bool) -> StoredIssue:
    """Returns an equal value if nothing changed. What a report cannot say in its format keeps its known value.

    `first`: no other tool has reported it in this import. Place and text are those of the tool that first saw it.
    """
    found = placed.found
    source = _source(found)
    if source.tool != kept.tool:
        return _seen_by_another(kept, placed, source, first=first)
    return msgspec.structs.replace(
        _at(kept, placed), concept=_clean(placed.concept), said=placed.said, rule=source.rule, message=source.message,
        url=source.url or kept.url, weight=found.weight, suggestion=_clean(found.suggestion) or kept.suggestion,
        effort=_number(found.effort_1_5) or kept.effort, files=_number(found.files) or kept.files,
    )  # fmt: skip


def _seen_by_another(kept: StoredIssue, placed: LocatedResult, source: IssueSource, *, first: bool) -> StoredIssue:
    """Two tools name different columns of one line, so the place changes only if the line or its text has changed."""
    others = {other.tool: other for other in further(kept.more)}
    known = others.get(source.tool, source)
    others[source.tool] = dataclasses.replace(source, url=source.url or known.url)
    noted = msgspec.structs.replace(kept, more=_more(list(others.values())))
    here = (_clean(placed.path), _number(placed.found.line), placed.wide, placed.own)
    return _at(noted, placed) if first and here != (kept.path, kept.line, kept.wide, kept.own) else noted


def _at(kept: StoredIssue, placed: LocatedResult) -> StoredIssue:
    line, column = _number(placed.found.line), _number(placed.found.column)
    if line == kept.line:
        column = column or kept.col
    path = _clean(placed.path)
    return msgspec.structs.replace(kept, path=path, line=line, col=column, wide=placed.wide, own=placed.own)


def further(more: str) -> tuple[IssueSource, ...]:
    """The sources after the first one."""
    return _sources.decode(more) if more else ()


def _more(sources: Sequence[IssueSource]) -> str:
    return msgspec.json.encode(sources).decode()


def _source(found: ReportResult) -> IssueSource:
    return IssueSource(_clean(found.tool), _clean(found.rule), _clean(found.message), _clean(found.url))


def _clean(text: str) -> str:
    """Without what a database cannot store: NUL characters and lone surrogates."""
    if text.isascii():
        return text.replace("\0", "") if "\0" in text else text
    return text.encode(errors="replace").decode().replace("\0", "")


def _number(given: int) -> int:
    return given if 0 <= given < _LARGEST else 0
