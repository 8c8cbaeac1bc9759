"""Databases for scenes: an empty one, or the copy of one that was used before, which saves a scene the migrations."""

import contextlib
import shutil
import sqlite3
from itertools import count
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from tests.crash.workers import Launch
from tests.tools.patience import scale
from tests.tools.private_postgres import Server

_numbers = count(1)


class Databases(Protocol):
    def empty(self, folder: Path) -> str:
        """The URL for a scene in that folder; nothing: SQLite in its state folder."""

    def used(self, folder: Path) -> str: ...


class SqliteDatabases:
    def __init__(self, folder: Path, launch: Launch) -> None:
        _use("", folder, launch)
        self._used = folder / "state" / "reknit.sqlite"
        with contextlib.closing(sqlite3.connect(self._used)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # one file has it all

    def empty(self, folder: Path) -> str:
        return ""

    def used(self, folder: Path) -> str:
        (folder / "state").mkdir(mode=0o700)
        shutil.copy(self._used, folder / "state")
        return ""


class PostgresDatabases:
    def __init__(self, server: Server, folder: Path, launch: Launch) -> None:
        self._server = server
        _use(create_database(server, "used"), folder, launch)

    def empty(self, folder: Path) -> str:
        return create_database(self._server, f"scene_{next(_numbers)}")

    def used(self, folder: Path) -> str:
        return create_database(self._server, f"scene_{next(_numbers)}", template="used")


def create_database(server: Server, name: str, template: str = "template1") -> str:
    admin = sa.create_engine(server.url("postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    admin.dispose()
    return server.url(name)


def _use(database: str, folder: Path, launch: Launch) -> None:
    log = folder / "worker.log"
    environment = {"HOME": str(folder), "REKNIT_STATE": str(folder / "state"), "REKNIT_DATABASE": database}
    assert launch(["prepare", str(folder)], environment, log).wait(timeout=scale(240)) == 0, log.read_text()
