"""Builds the query for one page of issues. It starts after an id, so that a late page is as fast as the first."""

import functools
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from reknit.core.issues.lifecycle import STATUSES
from reknit.core.issues.model import IssueFilter
from reknit.store.issues.status_changes import is_among
from reknit.store.tables import SCHEMA, issues, newest_imports

_i = issues.alias("i").c  # short: psycopg prepares only queries below 4 KB
Condition = sa.ColumnElement[bool]
COLUMNS = (
    _i.id, _i.repository, _i.fingerprint, _i.status, _i.path, _i.line, _i.col, _i.tool, _i.rule, _i.message, _i.url,
    _i.more, _i.weight, _i.suggestion, _i.effort, _i.files, _i.first_import, _i.last_import, _i.changed_import,
    _i.duplicate_of, _i.run_id, _i.commit_id, _i.pull, _i.created_at, _i.changed_at, _i.label,
)  # fmt: skip
BEYOND = 2**31 - 1
"""Number above every id."""
_BASELINE_CONDITIONS = {
    "new": _i.first_import == _i.last_import,
    "updated": sa.and_(_i.first_import < _i.last_import, _i.changed_import == _i.last_import),
    "unchanged": _i.changed_import < _i.last_import,
}
"""Conditions for each baseline of an issue that is present. They do not exclude absent issues."""


@functools.lru_cache(maxsize=64)
def build_page_query(
    dialect: str, repository: str, issue_filter: IssueFilter, limit: int, *, newest_first: bool
) -> tuple[str, dict[str, Any]]:
    """Return SQL and its parameters, to be run with `after`: at most `limit` rows after that id.

    The text is cached: to build it takes ten times as long as the answer of the database. Values that are the same for
    all pages are in the text: with parameters, Postgres would plan every page again.
    """
    after = sa.bindparam("after", 0, sa.Integer)
    on = _i.listed < after if newest_first else _i.listed > after
    here = sa.literal(repository, literal_execute=True)
    conditions = (_i.repository == here, on, *_filter_conditions(dialect, issue_filter))
    statuses = (sa.literal(status, literal_execute=True) for status in dict.fromkeys(issue_filter.statuses or STATUSES))
    walks = [sa.and_(_i.status == status, *conditions) for status in statuses]
    return _compile(dialect, _merge_walks(dialect, here, walks, limit, newest_first=newest_first))


def build_issues_query(dialect: str, ids: Sequence[int]) -> tuple[str, dict[str, Any]]:
    """Return SQL and its parameters for these issues."""
    return _compile(
        dialect, sa.select(*COLUMNS, _newest_imports_column(_i.repository)).where(is_among(dialect, ids, _i.id))
    )


def _merge_walks(
    dialect: str, repository: sa.ColumnElement[str], walks: Sequence[Condition], limit: int, *, newest_first: bool
) -> sa.Select[Any]:
    """Merge one walk of the index per status: only within one status are its ids in order.

    Postgres reads only as much of each walk as it needs; SQLite reads each completely, so there it selects ids first.
    """
    newest, first = _newest_imports_column(repository), sa.literal_column(str(limit), sa.Integer)

    def ordered(query: sa.Select[Any], by: sa.ColumnElement[int]) -> sa.Select[Any]:
        return query.order_by(by.desc() if newest_first else by).limit(first)

    if len(walks) == 1:
        return ordered(sa.select(*COLUMNS, newest).where(*walks), _i.listed)
    if dialect != "sqlite":
        parts = (ordered(sa.select(*COLUMNS, _i.listed).where(walk), _i.listed) for walk in walks)
        walked = sa.union_all(*parts).subquery("w")
        return ordered(sa.select(*(walked.c[column.name] for column in COLUMNS), newest), walked.c.listed)
    parts_of_ids = (ordered(sa.select(_i.id).where(walk), _i.listed).subquery() for walk in walks)
    walked = sa.union_all(*(sa.select(part) for part in parts_of_ids)).subquery("w")
    ids = ordered(sa.select(walked.c.id), walked.c.id)
    return ordered(sa.select(*COLUMNS, newest).where(_i.id.in_(ids)), _i.id)


def _newest_imports_column(repository: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """Return the last column of a row: every tool's newest import in that repository, as JSON."""
    c = newest_imports.alias("n").c
    return sa.select(c.tools).where(c.repository == repository).scalar_subquery()


def _compile(dialect: str, query: sa.Select[Any]) -> tuple[str, dict[str, Any]]:
    dialect_class: Any = SQLiteDialect_pysqlite if dialect == "sqlite" else PGDialect_psycopg
    schema = {SCHEMA: "main" if dialect == "sqlite" else SCHEMA}
    compiled: Any = query.compile(
        dialect=dialect_class(paramstyle="named" if dialect == "sqlite" else "pyformat"),
        schema_translate_map=schema,
        render_schema_translate=True,
        compile_kwargs={"render_postcompile": True},
    )
    return str(compiled), dict(compiled.params)


def _filter_conditions(dialect: str, issue_filter: IssueFilter) -> list[Condition]:
    conditions: list[Condition] = []
    if issue_filter.tools:
        conditions.append(_i.tool.in_(issue_filter.tools) | _has_further_source(dialect, "tool", issue_filter.tools))
    if issue_filter.rules:
        conditions.append(_has_rule(dialect, issue_filter.rules))
    if issue_filter.paths:
        conditions.append(sa.or_(*(_is_below(dialect, path) for path in issue_filter.paths)))
    if issue_filter.weights:
        conditions.append(_i.weight.in_(issue_filter.weights))
    if issue_filter.run_id:
        conditions.append(_i.run_id == issue_filter.run_id)
    if issue_filter.baselines and "absent" not in issue_filter.baselines:
        conditions.append(sa.or_(*(_BASELINE_CONDITIONS[word] for word in issue_filter.baselines)))
    return conditions


def _has_rule(dialect: str, rules: Sequence[str]) -> Condition:
    """Match a rule exactly, or without regard to case, which databases support for ASCII letters only."""
    lower = tuple(rule.lower() for rule in rules)
    also = _has_further_source(dialect, "rule", rules) | _has_further_source(
        dialect, "rule", lower, sa.func.lower(_i.more)
    )
    return _i.rule.in_(rules) | sa.func.lower(_i.rule).in_(lower) | also


def _has_further_source(
    dialect: str, field: str, values: Sequence[str], text: sa.ColumnElement[str] = _i.more
) -> Condition:
    """Match a further source in its JSON. A text cannot look like a field there, because its quotes are escaped."""
    position = sa.func.instr if dialect == "sqlite" else sa.func.strpos
    fragments = (f'"{field}":{msgspec.json.encode(value).decode()}' for value in values)
    return sa.and_(_i.more != "", sa.or_(*(position(text, one) > 0 for one in fragments)))


def _is_below(dialect: str, path: str) -> Condition:
    """Match the file with that path, and everything in the folder with it; `*` matches any text, also slashes."""
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
