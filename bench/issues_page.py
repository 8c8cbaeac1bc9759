"""Pages of 50 out of a million issues against the bare SQL, at any depth."""

import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import psycopg
import sqlalchemy as sa

from bench.figure import Figure
from bench.issues_import import REPOSITORY
from reknit.core.issues.lifecycle import STATUSES, Status
from reknit.core.issues.model import IssueFilter
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from tests.tools.private_postgres import private_postgres

ISSUES, PAGES = 1_000_000, 1_000
CHOSEN: dict[str, tuple[Status, ...]] = {"all": (), "OPEN": ("OPEN",), "3 statuses": ("OPEN", "FAILED", "RESOLVED")}
_FILL = """
INSERT INTO {schema}issues (
  repository, fingerprint, status, path, line, col, concept, wide, own, said, tool, rule, message, url, weight,
  suggestion, effort, files, more, first_import, last_import, changed_import, created_at, changed_at
)
SELECT '{repository}', {digest},
  CASE WHEN n % 10 < 6 THEN 'OPEN' WHEN n % 10 < 8 THEN 'IGNORED' WHEN n % 10 = 8 THEN 'RESOLVED' ELSE 'FAILED' END,
  'src/package_' || n % 97 || '/module_' || n % 20000 || '.py', n % 900, n % 80, 'E' || n % 400, {look}, {look}, {look},
  'ruff', 'E' || n % 400, 'name_' || n % 1000 || ' is imported but not used, in module ' || n,
  'https://rules.example/E' || n % 400, 'important', '', 0, 0, '', 1, 1, 1, 1.0, 1.0 FROM {numbers}
"""
_SQLITE = {
    "schema": "", "digest": "printf('%032x', n)", "look": "x'00112233445566778899aabbccddeeff'",
    "numbers": "(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {count}) SELECT n FROM c)",
}  # fmt: skip
_POSTGRES = {
    "schema": "reknit.", "digest": "md5(n::text)", "look": "'\\x00112233445566778899aabbccddeeff'::bytea",
    "numbers": "generate_series(1, {count}) n",
}  # fmt: skip


def figures(count: int = ISSUES) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/reknit.sqlite"
        engine = _filled(url, _SQLITE, "DROP TRIGGER issues_begin", count)
        db = sqlite3.connect(url.removeprefix("sqlite:///"))
        yield from _compared("SQLite", engine, db, "issues", "?", count)
        db.close()
        engine.dispose()
    with private_postgres() as server:
        url = server.url("postgres")
        engine = _filled(url, _POSTGRES, "DROP TRIGGER issues_begin ON reknit.issues", count)
        with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as bare:
            bare.execute("VACUUM ANALYZE reknit.issues")
            yield from _compared("Postgres", engine, bare, "reknit.issues", "%s", count)
        engine.dispose()


def _filled(url: str, words: dict[str, str], let_in: str, count: int) -> sa.Engine:
    """Statuses as they stand after a year; here they need no history."""
    engine = open_store(url)
    words = words | {"numbers": words["numbers"].format(count=count), "repository": REPOSITORY}
    tool = f"INSERT INTO {words['schema']}newest_imports VALUES ('{REPOSITORY}', '{{\"ruff\": 1}}')"  # noqa: S608
    with engine.begin() as db:
        for statement in (let_in, _FILL.format(**words), tool):
            db.execute(sa.text(statement))
    return engine


def _compared(name: str, engine: sa.Engine, bare: Any, table: str, mark: str, count: int) -> Iterator[Figure]:
    ledger, chance = SqlIssueLedger(engine), random.Random(5)  # noqa: S311 - the same every time
    pool = engine if mark == "?" else engine.execution_options(isolation_level="AUTOCOMMIT")
    for words, statuses in CHOSEN.items():
        which, query = IssueFilter(statuses=statuses), _bare(table, mark, statuses or STATUSES)
        given = len(statuses or STATUSES)

        def ours(after: int, which: IssueFilter = which) -> int:
            return len(ledger.page(REPOSITORY, which, after=after).issues)

        def pooled(after: int, query: str = query, given: int = given) -> int:
            with pool.connect() as db:
                cursor = db.connection.cursor()
                cursor.execute(query, (REPOSITORY, after) * given)
                return len(cursor.fetchall())

        def open_one(after: int, query: str = query, given: int = given) -> int:
            return len(bare.execute(query, (REPOSITORY, after) * given).fetchall())

        # Each page at a place of its own: the second look at one finds it in memory
        mine, its, least = _timed((ours, pooled, open_one), lambda: chance.randrange(1000, count))
        yield Figure(f"page of 50, {name}, {words} / bare SQL", _us(mine), _us(its), mine / its, 1.5)
        yield Figure("  the same / on a connection that is kept open", _us(mine), _us(least), mine / least)
        last, first = _timed((lambda _: ours(200), lambda _: ours(count + 1)), lambda: 0)
        yield Figure("  its last page / its first page", _us(last), _us(first), last / first, 1.2)


def _bare(table: str, mark: str, statuses: Sequence[Status]) -> str:
    """As one would write it by hand for that database."""

    def walk(columns: str, status: str) -> str:
        where = f"repository = {mark} AND status = '{status}' AND listed < {mark}"
        return f"SELECT {columns} FROM {table} WHERE {where} ORDER BY listed DESC LIMIT 50"  # noqa: S608 - our words

    if len(statuses) == 1:
        return walk("*", statuses[0])
    if mark == "%s":
        return " UNION ALL ".join(f"({walk('*', status)})" for status in statuses) + " ORDER BY listed DESC LIMIT 50"
    ids = " UNION ALL ".join(f"SELECT * FROM ({walk('id', status)})" for status in statuses)  # noqa: S608
    first = f"SELECT id FROM ({ids}) ORDER BY id DESC LIMIT 50"  # noqa: S608
    return f"SELECT * FROM {table} WHERE id IN ({first}) ORDER BY id DESC"  # noqa: S608


def _timed(works: Sequence[Callable[[int], int]], place: Callable[[], int]) -> list[float]:
    """The middle time of each, by turns."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(PAGES):
        for work, seen in zip(works, times, strict=True):
            after = place()
            begun = time.perf_counter()
            count = work(after)
            seen.append(time.perf_counter() - begun)
            if count != 50:
                raise SystemExit(f"a page of {count} issues after {after}")
    return [median(seen[PAGES // 10 :]) for seen in times]


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} us"
