"""Every command on every broken database: its name, what is wrong, the way out; never `a bug of reknit`."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click
import pytest
import sqlalchemy as sa

from reknit.interfaces.cli.main import cli
from reknit.store.database import open_store
from tests.tools.command_line import Answer, CommandLine
from tests.tools.github import GitHub
from tests.tools.private_postgres import Server
from tests.tools.variant_scene import write_plan
from tests.tools.vote_scene import ANN, BOB, ballot, vote_scene

Here = Callable[..., Answer]
PASSWORD = "s3cret"
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "": (), "apply": ("r-1",),
    "demo": ("--keep", "{folder}"), "doctor": ("--agent", ANN),
    "fix issues": (), "fix plan": ("tidy",), "fix pr": ("1",), "fix tests": ("--agent", ANN),
    "hook arm": ("BUG-001", "tests/test_pricing.py"), "hook disarm": (), "hook status": (),
    "issues duplicate": ("I-1", "I-2"),
    "issues export": (), "issues ignore": ("I-1", "--why", "noise"), "issues import": ("{report}",), "issues list": (),
    "issues reopen": ("I-1",), "issues show": ("I-1",), "issues sync": (), "resume": ("r-1",),
    "plan": ("tidy-up", "--agent", ANN),
    "review": ("--resume", "r-1"), "runs": (), "show": ("r-1",), "stop": ("r-1",), "undo": ("r-1",),
    "vote": ("1",), "watch": ("r-1",), "worker": (),
}  # fmt: skip
"""How each command that opens the database is called."""
OTHERS = {
    *("check", "config schema", "config show", "config validate", "hook install", "hook uninstall"),
    *("explain", "hook decide", "hook prompt", "init", "mcp", "serve"),
}
"""Open none; `serve` does for each delivery. What an agent's hook becomes tells a problem but never fails."""


def commands(command: click.Command, name: str = "") -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield name
        return
    context = click.Context(command)
    for inner in command.list_commands(context):
        found = command.get_command(context, inner)
        assert found is not None
        yield from commands(found, f"{name} {inner}".strip())


def test_every_command_is_tried_or_known_to_open_no_database() -> None:
    assert {"", *commands(cli)} == {*ARGUMENTS, *OTHERS}


def garbage(folder: Path, _server: Server) -> str:
    (folder / "db").write_bytes(b"this is no database at all" * 1000)
    return f"sqlite:///{folder}/db"


def overwritten(folder: Path, _server: Server) -> str:
    open_store(f"sqlite:///{folder}/db").dispose()
    whole = (folder / "db").read_bytes()
    (folder / "db").write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    return f"sqlite:///{folder}/db"


def a_folder(folder: Path, _server: Server) -> str:
    (folder / "db").mkdir()
    return f"sqlite:///{folder}/db"


def below_a_file(folder: Path, _server: Server) -> str:
    (folder / "db").write_text("")
    return f"sqlite:///{folder}/db/reknit.sqlite"


def newer_file(folder: Path, _server: Server) -> str:
    return _newer(f"sqlite:///{folder}/db", "")


def newer_server(_folder: Path, server: Server) -> str:
    return _newer(_created(server, "newer"), "reknit.")


def _newer(url: str, schema: str) -> str:
    engine = open_store(url)
    with engine.begin() as db:
        db.execute(sa.text(f"UPDATE {schema}reknit_version SET version_num = '9999'"))
    engine.dispose()
    return url


def _asked(server: Server, *statements: str) -> None:
    admin = sa.create_engine(server.url("postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as db:
        for statement in statements:
            db.execute(sa.text(statement))
    admin.dispose()


def _created(server: Server, name: str) -> str:
    _asked(server, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
    return server.url(name)


def _as(server: Server, role: str, database: str = "postgres") -> str:
    return f"postgresql+psycopg://{role}:{PASSWORD}@127.0.0.1:{server.port}/{database}"


def wrong_password(_folder: Path, server: Server) -> str:
    rules = server.home / "data" / "pg_hba.conf"
    rules.write_text(f"host all locked 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
    _asked(server, "DROP ROLE IF EXISTS locked", "CREATE ROLE locked LOGIN PASSWORD 'another'")
    _asked(server, "SELECT pg_reload_conf()")
    return _as(server, "locked")


def no_connection_left(_folder: Path, server: Server) -> str:
    _asked(server, "DROP ROLE IF EXISTS few", "CREATE ROLE few LOGIN CONNECTION LIMIT 0")
    return _as(server, "few")


def no_rights(_folder: Path, server: Server) -> str:
    _asked(server, "DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    return _as(server, "guest")


def no_file(_folder: Path, _server: Server) -> str:
    return "sqlite://"


NO_FILE = (below_a_file, no_file)


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("make", "error", "exit_code"),
    [
        pytest.param(garbage, "database-damaged", 3, id="a file that is no database"),
        pytest.param(overwritten, "database-damaged", 3, id="a file with a wrong middle"),
        pytest.param(a_folder, "database-unreadable", 3, id="a folder in its place"),
        pytest.param(below_a_file, "database-unreadable", 3, id="a folder that cannot be made"),
        pytest.param(newer_file, "database-newer", 3, id="a file of a newer release"),
        pytest.param(newer_server, "database-newer", 3, id="tables of a newer release"),
        pytest.param(no_file, "database-url", 2, id="no file"),
        pytest.param(lambda *_: f"mysql://me:{PASSWORD}@h/db", "database-url", 2, id="another kind of database"),
        pytest.param(lambda *_: f"postgresql+asyncpg://me:{PASSWORD}@h/db", "database-url", 2, id="another driver"),
        pytest.param(lambda *_: f"my database {PASSWORD}", "database-url", 2, id="no address"),
        pytest.param(lambda *_: f"postgresql://me:{PASSWORD}@127.0.0.1:1/db", "database-away", 3, id="down"),
        pytest.param(lambda _, server: server.url("none"), "no-database", 3, id="no such database"),
        pytest.param(lambda _, server: _as(server, "nobody"), "database-refuses", 3, id="no such user"),
        pytest.param(wrong_password, "database-refuses", 3, id="wrong password"),
        pytest.param(no_connection_left, "too-many-connections", 3, id="too many connections"),
        pytest.param(no_rights, "database-rights", 3, id="no rights"),
    ],
)
def test_a_broken_database_is_an_error_of_the_environment(
    make: Callable[[Path, Server], str], error: str, exit_code: int, here: Here, postgres: Server, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    url = make(tmp_path, postgres)
    (tmp_path / "report.json").write_text('{"version": "2.1.0", "runs": []}')
    wrong = {}
    with GitHub(tmp_path / "hub") as hub:
        scene = vote_scene(tmp_path, hub, [ballot(ANN, 85)], [ballot(BOB, 78)], {"box": "host", "fixer": ANN})
        monkeypatch.setenv("GH_TOKEN", hub.token)
        write_plan(scene.clone, scene.command.environment)
        for command, words in ARGUMENTS.items():
            if not command and make in NO_FILE:
                continue  # it only looks, and there is nothing to look at
            given = [word.format(folder=tmp_path / "made", report=tmp_path / "report.json") for word in words]
            monkeypatch.setattr(CommandLine, "environment", _with(scene.command.environment, url))
            answer = here(*command.split(), *given, cwd=scene.clone)
            if why := _wrong(answer, command, error, exit_code, url):
                wrong[command] = (why, answer)
    assert wrong == {}
    assert not (tmp_path / "state" / "reknit.log").exists()


def _with(environment: Mapping[str, str], url: str) -> property:
    return property(lambda _self: {**environment, "REKNIT_DATABASE": url})


def _wrong(answer: Answer, command: str, error: str, exit_code: int, url: str) -> str:
    """Empty: all of it is as it should be."""
    told = answer.err if command != "doctor" else answer.out
    names = f"error[{error}]: " if command != "doctor" else "  bad   database  "
    place = re.sub(r"^\w+(\+\w+)?://(.*@)?/?", "", url)
    failed = {
        f"exit code {answer.exit_code}": answer.exit_code != exit_code,
        "not named": names not in told,
        "database not named": place not in told and error != "database-url",
        "no way out": "help: " not in told and "fix: " not in told,
        "password shown": PASSWORD in answer.out + answer.err,
        "a traceback": "Traceback" in answer.err,
    }
    return ", ".join(what for what, holds in failed.items() if holds)
