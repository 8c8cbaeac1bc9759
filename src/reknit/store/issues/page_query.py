"""The query for one page of issues: by key, so that a deep page costs no more than the first."""

import functools
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from reknit.core.issues.lifecycle import STATUSES
from reknit.core.issues.model import IssueFilter
from reknit.store.issues.status_changes import among
from reknit.store.tables import SCHEMA, issues, newest_imports

_i = issues.alias("i").c  # short: psycopg prepares only queries below 4 KB
Condition = sa.ColumnElement[bool]
COLUMNS = (
    _i.id, _i.repository, _i.fingerprint, _i.status, _i.path, _i.line, _i.col, _i.tool, _i.rule, _i.message, _i.url,
    _i.more, _i.weight, _i.suggestion, _i.effort, _i.files, _i.first_import, _i.last_import, _i.changed_import,
    _i.duplicate_of, _i.run_id, _i.commit_id, _i.pull, _i.created_at, _i.changed_at, _i.label,
)  # fmt: skip
BEYOND = 2**31 - 1
_MAY_BE = {
    "new": _i.first_import == _i.last_import,
    "updated": sa.and_(_i.first_import < _i.last_import, _i.changed_import == _i.last_import),
    "unchanged": _i.changed_import < _i.last_import,
}
"""Conditions on an issue that is present; whether it is present depends on all of its tools."""


@functools.lru_cache(maxsize=64)
def page_query(
    dialect: str, repository: str, chosen: IssueFilter, limit: int, *, newest_first: bool
) -> tuple[str, dict[str, Any]]:
    """SQL and its parameters, to be run with `after`: at most `limit` rows after that id.

    Cached as text: building it takes ten times as long as the database needs to answer. What all pages have in common
    is inlined: with parameters, Postgres would plan every page anew.
    """
    after = sa.bindparam("after", 0, sa.Integer)
    on = _i.listed < after if newest_first else _i.listed > after
    here = sa.literal(repository, literal_execute=True)
    wanted = (_i.repository == here, on, *_wanted(dialect, chosen))
    statuses = (sa.literal(status, literal_execute=True) for status in dict.fromkeys(chosen.statuses or STATUSES))
    walks = [sa.and_(_i.status == status, *wanted) for status in statuses]
    return _text(dialect, _merged(dialect, here, walks, limit, newest_first=newest_first))


def issues_query(dialect: str, ids: Sequence[int]) -> tuple[str, dict[str, Any]]:
    return _text(dialect, sa.select(*COLUMNS, _newest(_i.repository)).where(among(dialect, ids, _i.id)))


def _merged(
    dialect: str, repository: sa.ColumnElement[str], walks: Sequence[Condition], limit: int, *, newest_first: bool
) -> sa.Select[Any]:
    """Walks the index once per status: only within one status are its ids in order.

    Postgres reads only as much of each walk as it needs; SQLite reads each completely, so there it selects ids first.
    """
    newest, first = _newest(repository), sa.literal_column(str(limit), sa.Integer)

    def ordered(query: sa.Select[Any], by: sa.ColumnElement[int]) -> sa.Select[Any]:
        return query.order_by(by.desc() if newest_first else by).limit(first)

    if len(walks) == 1:
        return ordered(sa.select(*COLUMNS, newest).where(*walks), _i.listed)
    if dialect != "sqlite":
        parts = (ordered(sa.select(*COLUMNS, _i.listed).where(walk), _i.listed) for walk in walks)
        walked = sa.union_all(*parts).subquery("w")
        return ordered(sa.select(*(walked.c[column.name] for column in COLUMNS), newest), walked.c.listed)
    taken = (ordered(sa.select(_i.id).where(walk), _i.listed).subquery() for walk in walks)
    walked = sa.union_all(*(sa.select(part) for part in taken)).subquery("w")
    ids = ordered(sa.select(walked.c.id), walked.c.id)
    return ordered(sa.select(*COLUMNS, newest).where(_i.id.in_(ids)), _i.id)


def _newest(repository: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """The last column of a row: every tool's newest import in that repository, as JSON."""
    c = newest_imports.alias("n").c
    return sa.select(c.tools).where(c.repository == repository).scalar_subquery()


def _text(dialect: str, query: sa.Select[Any]) -> tuple[str, dict[str, Any]]:
    made: Any = SQLiteDialect_pysqlite if dialect == "sqlite" else PGDialect_psycopg
    schema = {SCHEMA: "main" if dialect == "sqlite" else SCHEMA}
    compiled: Any = query.compile(
        dialect=made(paramstyle="named" if dialect == "sqlite" else "pyformat"),
        schema_translate_map=schema,
        render_schema_translate=True,
        compile_kwargs={"render_postcompile": True},
    )
    return str(compiled), dict(compiled.params)


def _wanted(dialect: str, chosen: IssueFilter) -> list[Condition]:
    wanted: list[Condition] = []
    if chosen.tools:
        wanted.append(_i.tool.in_(chosen.tools) | _also(dialect, "tool", chosen.tools))
    if chosen.rules:
        wanted.append(_of_rule(dialect, chosen.rules))
    if chosen.paths:
        wanted.append(sa.or_(*(_below(dialect, path) for path in chosen.paths)))
    if chosen.weights:
        wanted.append(_i.weight.in_(chosen.weights))
    if chosen.run_id:
        wanted.append(_i.run_id == chosen.run_id)
    if chosen.baselines and "absent" not in chosen.baselines:
        wanted.append(sa.or_(*(_MAY_BE[word] for word in chosen.baselines)))
    return wanted


def _of_rule(dialect: str, rules: Sequence[str]) -> Condition:
    """`f401` matches `F401`: as typed, or ignoring case, which databases do for ASCII letters only."""
    lower = tuple(rule.lower() for rule in rules)
    also = _also(dialect, "rule", rules) | _also(dialect, "rule", lower, sa.func.lower(_i.more))
    return _i.rule.in_(rules) | sa.func.lower(_i.rule).in_(lower) | also


def _also(dialect: str, field: str, values: Sequence[str], text: sa.ColumnElement[str] = _i.more) -> Condition:
    """Matches a further source. No text in its JSON can look like a field: quotes in text are escaped."""
    position = sa.func.instr if dialect == "sqlite" else sa.func.strpos
    wanted = (f'"{field}":{msgspec.json.encode(value).decode()}' for value in values)
    return sa.and_(_i.more != "", sa.or_(*(position(text, one) > 0 for one in wanted)))


def _below(dialect: str, path: str) -> Condition:
    """The file with that name, and everything in the folder with that name; `*` matches any text, also slashes."""
    path = path.removeprefix("./").rstrip("/")
    if path in ("", "."):
        return sa.true()
    if "*" not in path:
        return (_i.path == path) | (sa.func.substr(_i.path, 1, len(path) + 1) == path + "/")
    if dialect == "sqlite":
        glob = path.replace("[", "[[]").replace("?", "[?]")
        return _i.path.bool_op("GLOB")(glob) | _i.path.bool_op("GLOB")(glob + "/*")
    like = path.replace("!", "!!").replace("%", "!%").replace("_", "!_").replace("*", "%")
    return _i.path.like(like, escape="!") | _i.path.like(like + "/%", escape="!")
