"""Problems of the database itself: named without a password, with what to do; all else is the caller's."""

import sqlite3
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from reknit.core.errors import DatabaseError, DiskFullError
from reknit.store.problems import database_problem, display_name, newer_database, unsupported_database

URL = "postgresql+psycopg://me:s3cret@db.test/reknit"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        pytest.param("sqlite:////var/reknit.sqlite", "/var/reknit.sqlite", id="a file"),
        pytest.param("sqlite://", "sqlite://", id="no file"),
        pytest.param(URL, "postgresql+psycopg://me:***@db.test/reknit", id="a password"),
        pytest.param(
            "postgresql://h/db?sslpassword=s3cret&sslmode=require", "postgresql://h/db?sslmode=require", id="in a query"
        ),
        pytest.param("postgresql://h:port/s3cret", "postgresql://…", id="no address, but its kind"),
        pytest.param("my database s3cret", "…", id="no address at all"),
    ],
)
def test_a_database_is_named_without_its_password(url: str, shown: str) -> None:
    assert display_name(url) == shown
    assert "s3cret" not in unsupported_database(url).message + newer_database(url, "9", "4").message


def sqlite_error(name: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize(
    ("error", "name", "passes"),
    [
        pytest.param("SQLITE_BUSY_SNAPSHOT", "database-locked", True, id="locked, in more detail"),
        pytest.param("SQLITE_CORRUPT_INDEX", "database-damaged", False, id="damaged"),
        pytest.param("SQLITE_READONLY_DIRECTORY", "database-rights", False, id="not ours to write"),
        pytest.param("SQLITE_IOERR_READ", "database-io", False, id="a bad disk"),
    ],
)
def test_sqlite_is_read_by_the_name_of_its_error(error: str, name: str, passes: bool) -> None:
    problem = database_problem(sqlite_error(error), "sqlite:////x")
    assert isinstance(problem, DatabaseError)
    assert (problem.name, problem.passes) == (name, passes)
    assert problem.message.endswith("/x: what SQLite says") or " /x " in problem.message


def test_a_full_disk_is_told_as_such() -> None:
    assert isinstance(database_problem(sqlite_error("SQLITE_FULL"), "sqlite:////x"), DiskFullError)


def test_a_damaged_file_may_be_put_aside(tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(b"no database" * 100)
    with pytest.raises(sqlite3.DatabaseError) as raised, sqlite3.connect(tmp_path / "db") as connection:
        connection.execute("SELECT * FROM sqlite_master")
    connection.close()
    problem = database_problem(raised.value, f"sqlite:///{tmp_path}/db")
    assert problem is not None
    assert f"`mv {tmp_path}/db {tmp_path}/db.damaged`" in problem.help


@pytest.mark.parametrize(
    ("error", "name"),
    [
        pytest.param(psycopg.errors.TooManyConnections("no more"), "too-many-connections", id="by its state"),
        pytest.param(psycopg.errors.AdminShutdown("bye"), "database-away", id="a server that stops"),
        pytest.param(psycopg.errors.ReadOnlySqlTransaction("standby"), "database-rights", id="a standby"),
        pytest.param(
            psycopg.OperationalError('connection failed: FATAL:  password authentication failed for user "me"'),
            "database-refuses", id="a login has words only",
        ),
        pytest.param(
            psycopg.OperationalError('FATAL:  database "reknit" does not exist'), "no-database", id="no such database"
        ),
        pytest.param(
            psycopg.OperationalError("FATAL:  the database system is starting up"), "database-away", id="a start"
        ),
        pytest.param(psycopg.OperationalError("connection refused"), "database-away", id="nobody there"),
    ],
)  # fmt: skip
def test_postgres_is_read_by_its_state_or_its_words(error: psycopg.Error, name: str) -> None:
    problem = database_problem(error, URL)
    assert isinstance(problem, DatabaseError)
    assert problem.name == name
    assert "s3cret" not in problem.message


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(ValueError("x"), id="not of a database"),
        pytest.param(psycopg.errors.UniqueViolation("twice"), id="a row that is there already"),
        pytest.param(psycopg.ProgrammingError("no state"), id="a wrong call"),
        pytest.param(sqlite_error("SQLITE_CONSTRAINT_UNIQUE"), id="the same on SQLite"),
    ],
)
def test_an_error_of_the_caller_is_no_problem_of_the_database(error: Exception) -> None:
    assert database_problem(error, URL) is None


def test_a_pool_without_a_free_connection_passes() -> None:
    problem = database_problem(sa.exc.TimeoutError(), URL)
    assert isinstance(problem, DatabaseError)
    assert (problem.name, problem.passes) == ("database-away", True)
    wrapped = sa.exc.OperationalError("SELECT 1", {}, sqlite_error("SQLITE_BUSY"))
    found = database_problem(wrapped, "sqlite:////x")
    assert isinstance(found, DatabaseError)
    assert found.name == "database-locked"
