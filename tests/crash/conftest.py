"""A new database for each scene."""

from collections.abc import Callable
from itertools import count

import pytest
import sqlalchemy as sa

from tests.tools.private_postgres import Server

_numbers = count(1)


@pytest.fixture
def new_postgres_database(postgres: Server) -> Callable[[], str]:
    def make() -> str:
        name = f"scene_{next(_numbers)}"
        admin = sa.create_engine(postgres.url("postgres"), isolation_level="AUTOCOMMIT")
        with admin.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        admin.dispose()
        return postgres.url(name)

    return make
