"""Fixtures that several parts share: a database of each kind, and the demo's repository."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings

from reknit.app.demo import make_repository
from reknit.interfaces.cli.main import run
from reknit.store.open_databases import closing_databases
from tests.tools.command_line import Answer, CommandLine
from tests.tools.open_connections import open_connections
from tests.tools.part_of_tests import split_items
from tests.tools.patience import scale
from tests.tools.private_postgres import Server, private_postgres

_numbers = count(1)


def pytest_configure() -> None:
    """Make every test start alike, whatever it inherits.

    Tests send signals, and a shell has what it starts in the background ignore Ctrl-C, `nohup` SIGHUP.

    How long one example takes is up to the machine, so Hypothesis measures no time. RANDOM_EXAMPLES: how many it tries
    in the tests that do not say so themselves.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    settings.register_profile(
        "reknit",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=int(os.environ.get("RANDOM_EXAMPLES", "40")),
    )
    settings.load_profile("reknit")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let CI run a part of the tests; without the option, `pytest FILE` runs all of the file."""
    parser.addoption("--part", action="store_true", help="a third of the tests that play whole runs")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The most patient first: a long test that begins last keeps one process at work and lets the others wait."""
    if config.getoption("--part"):
        items[:], left = split_items(items)
        config.hook.pytest_deselected(items=left)
    items.sort(key=_patience_s, reverse=True)
    usual_s = float(config.getini("timeout"))
    for item in items:
        item.add_marker(pytest.mark.timeout(scale(_patience_s(item) or usual_s)), append=False)


def _patience_s(item: pytest.Item) -> float:
    asked = item.get_closest_marker("timeout")
    return float(asked.args[0]) if asked else 0.0


@pytest.fixture
def without_coverage() -> Iterator[None]:
    """Count no lines during long computations, which would take five times as long.

    pytest-cov has a mark for it, which does nothing in the processes of pytest-xdist.
    """
    tracer = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(tracer)


@pytest.fixture(autouse=True)
def _databases_are_closed() -> Iterator[None]:
    """As a command closes its own; whatever else is left open is an error."""
    with open_connections() as left, closing_databases():
        yield
    assert not left, f"{len(left)} database connections were not closed"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with private_postgres() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: Server) -> str:
    """A new, empty database of its own for each test."""
    name = f"test_{next(_numbers)}"
    admin = sa.create_engine(postgres.url("postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    admin.dispose()
    return postgres.url(name)


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The test runs on both databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/state/reknit.sqlite"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The demo's repository: three tests, one of them red."""
    return make_repository(tmp_path)


@pytest.fixture
def reknit(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.fixture
def here(
    reknit: CommandLine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    """Runs a command in this process, which saves the start of another: `here("fix", "tests", cwd=shop)`."""

    def run_here(*arguments: str, cwd: Path) -> Answer:
        for name in [name for name in os.environ if name.startswith("REKNIT_")]:
            monkeypatch.delenv(name)
        for name, value in reknit.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(cwd)
        capsys.readouterr()
        with open_connections() as left:
            code = run(list(arguments))
        assert not left, f"reknit {arguments} left {len(left)} database connections open"
        told = capsys.readouterr()
        return Answer(code, told.out, told.err)

    return run_here
