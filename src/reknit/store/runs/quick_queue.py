"""Queues a new run without SQLAlchemy, which takes longer to load than everything else in the command."""

import contextlib
import dataclasses
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from reknit.core.runs.spec import RunSpec
from reknit.store.open_databases import HEAD


def to_json(value: Any) -> str:
    """Convert any frozen dataclass to the JSON that is stored."""
    return json.dumps(dataclasses.asdict(value), separators=(",", ":"))


def make_run_row(spec: RunSpec, worker: str = "") -> dict[str, str | float]:
    """Return the row of a new run. `worker`: the slot of the process that starts it; empty: it waits for one."""
    return {
        "id": spec.run_id, "kind": spec.kind, "repository": spec.repository, "base": spec.base,
        "agent": spec.agent.name, "spec": to_json(spec), "state": "queued", "worker": worker,
        "budget_usd": spec.limits.budget_usd, "created_at": spec.created_at,
    }  # fmt: skip


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
    """Queue the run. Return True if that was possible. `document`: the spec as the engine reads it.

    If not, nothing is written: there are no tables yet, they have another version, or the database does not answer. The
    caller then queues the run with SQLAlchemy, which also reports the reason.
    """
    values = {**make_run_row(spec), "document": document, "pool": pool}
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
    """Open one transaction, and commit it after the block. A missing file is not created."""
    address = f"file:{quote(url.removeprefix('sqlite:///'))}?mode=rw"
    with contextlib.closing(sqlite3.connect(address, uri=True, timeout=_WAIT_S, isolation_level=None)) as db:
        for statement in ("PRAGMA foreign_keys=ON", "PRAGMA synchronous=NORMAL", "BEGIN IMMEDIATE"):
            db.execute(statement)
        yield db
        db.execute("COMMIT")


@contextlib.contextmanager
def _postgres(url: str) -> Iterator[Any]:
    """Open one transaction in our schema, and commit it after the block."""
    import psycopg

    address = url.replace("postgresql+psycopg:", "postgresql:", 1)
    with psycopg.connect(address, connect_timeout=_CONNECT_S, application_name="reknit") as db:
        db.execute("SET LOCAL search_path TO reknit")
        yield db
