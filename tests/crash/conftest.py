"""What scenes share: their databases, and warm Pythons to fork their workers from."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.crash.databases import PostgresDatabases, SqliteDatabases, create_database
from tests.crash.workers import WARM, Launch, forked_by
from tests.tools.fork_server import ForkServer
from tests.tools.private_postgres import Server

_numbers = count(1)


@pytest.fixture(scope="session")
def forked() -> Iterator[tuple[Launch, Launch]]:
    """Two, because forks of one Python share its hash seed: a replacement must not iterate as the dead one did."""
    with ForkServer(WARM) as one, ForkServer(WARM) as other:
        yield forked_by(one), forked_by(other)


@pytest.fixture(scope="session")
def sqlite_databases(forked: tuple[Launch, Launch], tmp_path_factory: pytest.TempPathFactory) -> SqliteDatabases:
    return SqliteDatabases(tmp_path_factory.mktemp("used"), forked[0])


@pytest.fixture(scope="session")
def postgres_databases(
    postgres: Server, forked: tuple[Launch, Launch], tmp_path_factory: pytest.TempPathFactory
) -> PostgresDatabases:
    return PostgresDatabases(postgres, tmp_path_factory.mktemp("used"), forked[0])


@pytest.fixture
def new_postgres_database(postgres: Server) -> Callable[[], str]:
    return lambda: create_database(postgres, f"fleet_{next(_numbers)}")
