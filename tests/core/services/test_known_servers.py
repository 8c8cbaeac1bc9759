import tomllib
from collections.abc import Mapping

import pytest

from reknit.core.services.known_servers import (
    KNOWN,
    PostgresPlace,
    find_place,
    to_install_command,
    to_ready_command,
    to_setting,
    to_start_command,
)


@pytest.mark.parametrize(
    ("product", "port", "services"),
    [
        ("PostgreSQL", "5432", [{"run": "postgres"}]),
        ("Redis", "", [{"run": "redis-server"}]),
        ("MongoDB", "", [{"run": "mongod --dbpath ."}]),
        ("MySQL", "3306", [{"run": "COMMAND", "ready": 3306}]),
        ("Kafka", "9092", [{"run": "COMMAND", "ready": 9092}]),
    ],
)
def test_the_line_to_add_is_valid_toml(product: str, port: str, services: list[dict[str, object]]) -> None:
    assert tomllib.loads(to_setting(product, port)) == {"services": services}


def test_without_a_port_a_place_is_left_for_it() -> None:
    assert to_setting("Kafka") == 'services = [{ run = "COMMAND", ready = PORT }]'


def test_how_a_server_is_installed() -> None:
    assert to_install_command("redis-server") == "apt install redis-server"
    assert to_install_command("mongod") == "install MongoDB, or put mongod on PATH"
    assert all(server.port for server in KNOWN.values())


@pytest.mark.parametrize(
    ("env", "place"),
    [
        ({}, PostgresPlace("postgres", "postgres", 5432)),
        ({"DATABASE_URL": "postgresql://shop:secret@db:5433/orders?x=1"}, PostgresPlace("shop", "orders", 5433)),
        ({"DATABASE_URL": "postgres://a%20b@localhost/c%22d"}, PostgresPlace("a b", 'c"d', 5432)),
        ({"PGUSER": "me", "PGDATABASE": "mine", "PGPORT": "6000"}, PostgresPlace("me", "mine", 6000)),
        ({"PGPORT": "x"}, PostgresPlace()),
        ({"DATABASE_URL": "sqlite:///file.db"}, PostgresPlace()),
        ({"DATABASE_URL": "postgres://localhost:port/x"}, PostgresPlace()),
    ],
)
def test_it_is_where_the_tests_will_look(env: Mapping[str, str], place: PostgresPlace) -> None:
    assert find_place(env) == place


def test_a_database_of_another_name_is_created() -> None:
    assert "CREATE DATABASE" not in to_start_command(PostgresPlace())
    assert """'CREATE DATABASE "it""s"'""" in to_start_command(PostgresPlace(database='it"s'))


def test_names_cannot_leave_their_quotes() -> None:
    evil = PostgresPlace(user="a; touch x", database="b'; touch y")
    assert "-U 'a; touch x' " in to_start_command(evil)
    assert "touch y" not in to_start_command(evil).replace("""'CREATE DATABASE "b'"'"'; touch y"'""", "")
    assert to_ready_command(evil).endswith("""-U 'a; touch x' -d 'b'"'"'; touch y'""")


def test_the_tests_are_told_where_it_is() -> None:
    env = PostgresPlace("shop", "orders", 5433).to_env()
    assert env["DATABASE_URL"] == "postgresql://shop@127.0.0.1:5433/orders"
    assert (env["PGHOST"], env["PGPORT"], env["PGUSER"], env["PGDATABASE"]) == ("127.0.0.1", "5433", "shop", "orders")
