"""An import of 200,000 new issues against the bare driver that puts the same rows into the same table."""

import hashlib
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from statistics import median

import psycopg

from bench.figure import Figure
from reknit.core.issues.import_summary import ImportSource
from reknit.core.issues.model import LocatedResult, NewIssue, ReportResult
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.issues.rows import COPY, INSERT, make_row
from tests.tools.private_postgres import private_postgres

ISSUES, AT_ONCE, ROUNDS = 200_000, 20_000, 3
REPOSITORY = "github.com/acme/shop"
_PRAGMAS = ("foreign_keys=ON", "journal_mode=WAL", "synchronous=NORMAL", "cache_size=-64000")
Row = tuple[object, ...]


def figures(count: int = ISSUES) -> Iterator[Figure]:
    issues = made(count)
    rows: list[Row] = [make_row(REPOSITORY, 1, 1.0, issue) for issue in issues]
    yield _figure(f"import of {count // 1000}k issues, SQLite / executemany", 0.7, _on_sqlite(issues, rows))
    yield _figure(f"import of {count // 1000}k issues, Postgres / COPY", 0.6, _on_postgres(issues, rows))


def made(count: int) -> list[NewIssue]:
    """As a linter of a big project leaves them: 20,000 files, 400 rules, each line another."""
    return [_made(number) for number in range(count)]


def _made(number: int) -> NewIssue:
    look = hashlib.blake2b(number.to_bytes(8, "big"), digest_size=16).digest()
    path = f"src/package_{number % 97}/module_{number * 7919 % 20_000}.py"
    tool, rule = ("ruff", "pyright")[number % 2], f"E{number % 400:03}"
    message = f"`name_{number % 1000}` is imported but not used, in module {number}"
    found = ReportResult(
        tool, rule, path, number % 900 + 1, number % 80 + 1, message, url=f"https://rules.example/{rule}"
    )
    return NewIssue(LocatedResult(found, path, rule, look * 2, look, look), look.hex())


def _figure(name: str, least: float, rounds: list[tuple[float, float]]) -> Figure:
    """Of each round (ours, the anchor), in seconds; the ratio is one of speeds."""
    ours, anchor = (median(times) for times in zip(*rounds, strict=True))
    ratio = median(its / mine for mine, its in rounds)
    return Figure(name, f"{ours:.2f} s", f"{anchor:.2f} s", ratio, least, "at least")


def _on_sqlite(issues: list[NewIssue], rows: list[Row]) -> list[tuple[float, float]]:
    def once() -> tuple[float, float]:
        return _in_new_file(lambda url: _ours(url, issues)), _in_new_file(lambda url: _bare(url, rows))

    return [once() for _ in range(ROUNDS)]


def _in_new_file(work: Callable[[str], None]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/reknit.sqlite"
        open_store(url).dispose()
        begun = time.process_time()
        work(url)
        return time.process_time() - begun


def _ours(url: str, issues: list[NewIssue]) -> None:
    engine = open_store(url)
    source = ImportSource(("ruff", "pyright"), ("report.json",), "base", 1.0, "ann")
    with SqlIssueLedger(engine).importing(REPOSITORY, source) as going:
        for start in range(0, len(issues), AT_ONCE):
            going.add(issues[start : start + AT_ONCE])
    engine.dispose()


def _bare(url: str, rows: list[Row]) -> None:
    db = sqlite3.connect(url.removeprefix("sqlite:///"))
    for pragma in _PRAGMAS:
        db.execute(f"PRAGMA {pragma}")
    for start in range(0, len(rows), AT_ONCE):
        db.executemany(INSERT, rows[start : start + AT_ONCE])
    db.commit()
    db.close()


def _on_postgres(issues: list[NewIssue], rows: list[Row]) -> list[tuple[float, float]]:
    """By the clock: half of the work is the server's."""
    with private_postgres() as server:
        url = server.url("postgres")
        open_store(url).dispose()
        with psycopg.connect(url.replace("+psycopg", "")) as db:
            works = (lambda: _ours(url, issues), lambda: _copy(db, rows))
            times = [_emptied(db, work) for _ in range(ROUNDS) for work in works]
    return list(zip(times[::2], times[1::2], strict=True))


def _emptied(db: "psycopg.Connection[Row]", work: Callable[[], None]) -> float:
    db.execute("TRUNCATE reknit.issues, reknit.issue_changes, reknit.imports, reknit.newest_imports")
    db.commit()
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _copy(db: "psycopg.Connection[Row]", rows: list[Row]) -> None:
    for start in range(0, len(rows), AT_ONCE):
        with db.cursor() as cursor, cursor.copy(COPY) as copy:
            for row in rows[start : start + AT_ONCE]:
                copy.write_row(row)
    db.commit()
