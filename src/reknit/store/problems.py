"""Turns errors of the database itself into messages with its name, the cause, and what to do."""

import re
import sqlite3
from dataclasses import dataclass

import sqlalchemy as sa

from reknit.core.errors import DatabaseError, DiskFullError, ReknitError, UsageError

FORMS = "sqlite:////path/to/file or postgresql+psycopg://user@host/name"
CONNECTIONS = 4
"""Maximum connections of one worker, or one run in a terminal, to Postgres: `POOL_SIZE`, and one that listens."""
POOL_SIZE = CONNECTIONS - 1


@dataclass(frozen=True)
class _Kind:
    name: str
    sentence: str
    """`{name}`: the database."""
    help: str
    """`{path}`: the file of a SQLite database."""
    passes: bool = False


_START = "start it, or correct REKNIT_DATABASE"
_LOGIN = "correct the user and the password in REKNIT_DATABASE"
_FEWER = (
    "raise max_connections of the server, or run fewer workers: "
    f"each opens up to {CONNECTIONS} connections; `reknit resume RUN` continues a run"
)
_MOVE = (
    "restore a backup, or start with a new one: `mv {path} {path}.damaged`; landed branches are in your repositories"
)
AWAY = _Kind("database-away", "the database {name} does not answer", _START, passes=True)
TOO_MANY = _Kind("too-many-connections", "the database {name} accepts no more connections", _FEWER, passes=True)
_REFUSED = _Kind("database-refuses", "the database {name} refuses the login", _LOGIN, passes=True)
_MISSING = _Kind("no-database", "there is no database {name}", "create it, or correct REKNIT_DATABASE", passes=True)
_RIGHTS = _Kind("database-rights", "reknit may not write to the database {name}", "grant it CREATE and write access")
_DAMAGED = _Kind("database-damaged", "the database {name} is damaged, or is not a SQLite file", _MOVE)
_CLOSED = _Kind("database-unreadable", "the database {name} cannot be opened", "check the path and its permissions")
_LOCKED = _Kind("database-locked", "another process holds a lock on {name}", "stop it, then try again", passes=True)
_DISK = _Kind("database-io", "reading or writing {name} failed", "check the disk, then try again")

_SQLITE: tuple[tuple[str, _Kind], ...] = (
    ("SQLITE_NOTADB", _DAMAGED), ("SQLITE_CORRUPT", _DAMAGED), ("SQLITE_CANTOPEN", _CLOSED),
    ("SQLITE_READONLY", _RIGHTS), ("SQLITE_PERM", _RIGHTS), ("SQLITE_BUSY", _LOCKED), ("SQLITE_LOCKED", _LOCKED),
    ("SQLITE_IOERR", _DISK),
)  # fmt: skip
"""Kind of problem for each prefix of the error's name."""
_STATES: tuple[tuple[str, _Kind], ...] = (
    ("53300", TOO_MANY), ("28", _REFUSED), ("3D", _MISSING), ("42501", _RIGHTS), ("25006", _RIGHTS),
    ("08", AWAY), ("57P", AWAY), ("53", AWAY), ("25P03", AWAY),
)  # fmt: skip
"""Kind of problem for each prefix of the SQLSTATE."""
_WORDS: tuple[tuple[str, _Kind], ...] = (
    ("too many clients", TOO_MANY), ("too many connections", TOO_MANY), ("remaining connection slots", TOO_MANY),
    ("authentication failed", _REFUSED), ("no password supplied", _REFUSED), ("no pg_hba.conf entry", _REFUSED),
    ("role ", _REFUSED), ("database ", _MISSING),
)  # fmt: skip
"""Kind of problem for words of the server after `FATAL:`. A failed login has no SQLSTATE."""


def display_name(url: str) -> str:
    """Return the file of a SQLite database, or the address without its password."""
    if url.startswith("sqlite"):
        return url.partition(":///")[2] or url
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        kind = re.match(r"[\w+]{1,30}://", url)
        return f"{kind[0] if kind else ''}…"
    secret = [key for key in parsed.query if "password" in key]
    return parsed.difference_update_query(secret).render_as_string(hide_password=True)


def unsupported_database(url: str) -> UsageError:
    """Return the error about an address of an unsupported database."""
    message = f"REKNIT_DATABASE names a database that reknit does not support: {display_name(url)}"
    return UsageError("database-url", message, help=f"set it to {FORMS}, or unset it for a SQLite file")


def newer_database(url: str, found_version: str, known_version: str) -> DatabaseError:
    """Return the error about tables that a newer release made."""
    tables = f"tables {found_version}; this release knows {known_version}"
    message = f"the database {display_name(url)} belongs to a newer reknit ({tables})"
    return DatabaseError("database-newer", message, help="upgrade reknit, or set REKNIT_DATABASE to another database")


def database_problem(error: BaseException, url: str) -> ReknitError | None:
    """Return the problem of the database that caused an error; None if the caller's statement caused it."""
    if isinstance(error, sa.exc.TimeoutError):
        return _to_problem(AWAY, url, "no connection became free")
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        return _explain_sqlite(cause, url)
    # Compare the name of its module: importing the driver would slow down commands that use SQLite.
    if type(cause).__module__.startswith("psycopg"):
        lost = isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated
        return _explain_postgres(cause, url, lost=lost)
    return None


def _explain_sqlite(cause: sqlite3.Error, url: str) -> ReknitError | None:
    name = getattr(cause, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return DiskFullError(display_name(url))
    kind = next((kind for start, kind in _SQLITE if name.startswith(start)), None)
    return _to_problem(kind, url, str(cause)) if kind else None


def _explain_postgres(cause: BaseException | None, url: str, *, lost: bool) -> DatabaseError | None:
    words, state = " ".join(str(cause).split()), str(getattr(cause, "sqlstate", None) or "")
    if state:
        kind = next((kind for start, kind in _STATES if state.startswith(start)), None)
        return _to_problem(kind, url, words) if kind else None
    if not lost and not {"OperationalError", "InterfaceError"} & {kind.__name__ for kind in type(cause).__mro__}:
        return None
    fatal = words.rpartition("FATAL: ")[2].strip() if "FATAL: " in words else ""
    kind = next((kind for start, kind in _WORDS if start in fatal), AWAY) if fatal else AWAY
    if kind is _MISSING and "does not exist" not in fatal:
        kind = AWAY  # such as "the database system is starting up"
    return _to_problem(kind, url, fatal or words)


def _to_problem(kind: _Kind, url: str, words: str) -> DatabaseError:
    path = display_name(url)
    message = f"{kind.sentence.format(name=path)}: {words[:300]}"
    return DatabaseError(kind.name, message, help=kind.help.replace("{path}", path), passes=kind.passes)
