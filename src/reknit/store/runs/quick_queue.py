"""Queues a run with the database driver alone: SQLAlchemy takes longer to load than everything else does."""

import contextlib
import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from reknit.core.runs.spec import RunSpec
from reknit.store.runs.run_row import run_row
from reknit.store.schema_version import HEAD

_WAIT_S = 30.0
_CONNECT_S = 5
_VERSION = "SELECT version_num FROM reknit_version"
_RUN = (
    "INSERT INTO runs (id, kind, repository, base, agent, spec, state, worker, budget_usd, created_at) "
    "VALUES (:id, :kind, :repository, :base, :agent, :spec, :state, :worker, :budget_usd, :created_at)"
)
_DOCUMENT = "INSERT INTO documents (run_id, name, body) VALUES (:id, 'spec', :document)"
_QUEUED = "INSERT INTO queued (run_id, pool) VALUES (:id, :pool)"


def quick_queue(url: str, spec: RunSpec, document: str, pool: str) -> bool:
    """Whether the run is queued. If not, nothing was written, and the caller takes the long way, which also explains
    what is wrong: there are no tables yet, they are of another version, or the database does not answer.

    `document`: the spec as the engine reads it.
    """
    values = {**run_row(spec), "document": document, "pool": pool}
    if url.startswith("sqlite:///"):
        with contextlib.suppress(sqlite3.Error), _sqlite(url) as sqlite:
            return _write(sqlite, (_VERSION, _RUN, _DOCUMENT, _QUEUED), values)
    if url.startswith(("postgresql:", "postgresql+psycopg:")):
        import psycopg  # late: users of SQLite do not need it

        with contextlib.suppress(psycopg.Error), _postgres(url) as postgres:
            return _write(postgres, map(_for_postgres, (_VERSION, _RUN, _DOCUMENT, _QUEUED)), values)
    return False


def _write(db: Any, statements: Iterator[str] | tuple[str, ...], values: Mapping[str, Any]) -> bool:
    version, *inserts = statements
    if db.execute(version).fetchall() != [(HEAD,)]:
        return False
    for insert in inserts:
        db.execute(insert, values)
    return True


def _for_postgres(statement: str) -> str:
    return re.sub(r":(\w+)", r"%(\1)s", statement)


@contextlib.contextmanager
def _sqlite(url: str) -> Iterator[Any]:
    """One transaction. A file that does not exist is not created."""
    address = f"file:{quote(url.removeprefix('sqlite:///'))}?mode=rw"
    with contextlib.closing(sqlite3.connect(address, uri=True, timeout=_WAIT_S, isolation_level=None)) as db:
        for statement in ("PRAGMA foreign_keys=ON", "PRAGMA synchronous=NORMAL", "BEGIN IMMEDIATE"):
            db.execute(statement)
        yield db
        db.execute("COMMIT")


@contextlib.contextmanager
def _postgres(url: str) -> Iterator[Any]:
    """One transaction, in our schema."""
    import psycopg

    address = url.replace("postgresql+psycopg:", "postgresql:", 1)
    with psycopg.connect(address, connect_timeout=_CONNECT_S, application_name="reknit") as db:
        db.execute("SET LOCAL search_path TO reknit")
        yield db
