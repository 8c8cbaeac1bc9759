from collections.abc import Mapping

import pytest

from reknit.core.services.postgres import PostgresPlace, place_of, ready_command, start_command


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
    assert place_of(env) == place


def test_a_database_of_another_name_is_created() -> None:
    assert "CREATE DATABASE" not in start_command(PostgresPlace())
    assert """'CREATE DATABASE "it""s"'""" in start_command(PostgresPlace(database='it"s'))


def test_names_cannot_leave_their_quotes() -> None:
    evil = PostgresPlace(user="a; touch x", database="b'; touch y")
    assert "-U 'a; touch x' " in start_command(evil)
    assert "touch y" not in start_command(evil).replace("""'CREATE DATABASE "b'"'"'; touch y"'""", "")
    assert ready_command(evil).endswith("""-U 'a; touch x' -d 'b'"'"'; touch y'""")


def test_the_tests_are_told_where_it_is() -> None:
    env = PostgresPlace("shop", "orders", 5433).env()
    assert env["DATABASE_URL"] == "postgresql://shop@127.0.0.1:5433/orders"
    assert (env["PGHOST"], env["PGPORT"], env["PGUSER"], env["PGDATABASE"]) == ("127.0.0.1", "5433", "shop", "orders")
