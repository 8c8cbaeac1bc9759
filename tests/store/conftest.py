"""A database with our tables, of each kind."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit.store import tables
from reknit.store.database import open_store
from tests.tools.private_postgres import Server


@pytest.fixture(scope="session")
def postgres_store(postgres: Server) -> Iterator[sa.Engine]:
    engine = open_store(postgres.url("postgres"))
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "reknit.sqlite"
    open_store(f"sqlite:///{path}").dispose()
    return path


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Engine]:
    """Empty; a copy of a SQLite file, and the same database on Postgres, are much quicker than new ones."""
    if request.param == "sqlite":
        shutil.copyfile(request.getfixturevalue("sqlite_file"), tmp_path / "reknit.sqlite")
        engine = open_store(f"sqlite:///{tmp_path}/reknit.sqlite")
        yield engine
        engine.dispose()
        return
    engine = request.getfixturevalue("postgres_store")
    yield engine
    with engine.begin() as db:
        db.execute(sa.text("SET LOCAL session_replication_role = replica"))  # history refuses to be deleted
        for table in reversed(tables.metadata.sorted_tables):
            db.execute(sa.delete(table))
    engine.dispose()
