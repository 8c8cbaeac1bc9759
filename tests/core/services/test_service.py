import pytest

from reknit.core.services.service import (
    Service,
    find_server,
    is_own_postgres,
    listens_on,
    parse_program,
    plan_start,
    to_env,
    to_service_id,
)


@pytest.mark.parametrize(
    ("run", "program"),
    [
        ("redis-server --port 6380", "redis-server"),
        ("PORT=3000 npm run dev", "npm"),
        ("./serve.sh", "./serve.sh"),
        ("'my server' x", "my server"),
        ("$SERVER", ""),
        ("(cd web; npm start)", ""),
        ("A=1", ""),
        ("a 'b", ""),
    ],
)
def test_the_program_that_a_command_line_starts(run: str, program: str) -> None:
    assert parse_program(run) == program


@pytest.mark.parametrize(
    ("run", "product"),
    [("redis-server", "Redis"), ("postgres -D data", "PostgreSQL"), ("python3 app.py", ""), ("./redis-server", "")],
)
def test_a_well_known_server_is_recognised_by_its_program(run: str, product: str) -> None:
    server = find_server(Service(run))
    assert (server.product if server else "") == product


def test_a_well_known_server_listens_on_its_port_and_runs_in_a_folder_of_its_own() -> None:
    start = plan_start(Service("redis-server"))
    assert (start.script, start.ready, start.ready_s, start.is_private) == ("redis-server", 6379, 30.0, True)
    assert plan_start(Service("redis-server --port 6380", 6380)).ready == 6380


def test_a_server_of_the_project_runs_in_the_project() -> None:
    start = plan_start(Service("npm run dev", "curl -f localhost:3000", 5.0))
    assert (start.script, start.ready, start.ready_s) == ("npm run dev", "curl -f localhost:3000", 5.0)
    assert not start.is_private
    assert plan_start(Service("npm run dev")).ready == 0
    assert to_service_id(Service("npm run dev")) == "the service `npm run dev`"


def test_postgres_alone_gets_a_database_and_says_where_it_is() -> None:
    service = Service("postgres -c max_connections=5", env=(("DATABASE_URL", "postgres://shop@localhost:5433/shop"),))
    start = plan_start(service)
    assert start.is_private
    assert "initdb" in start.script
    assert start.script.endswith("-p 5433 -F -c max_connections=5")
    assert "pg_isready" in str(start.ready)
    assert to_env(service)["PGPORT"] == "5433"
    assert to_env(service)["DATABASE_URL"] == "postgres://shop@localhost:5433/shop"
    assert plan_start(Service("postgres", "psql -c 'select 1'")).ready == "psql -c 'select 1'"


@pytest.mark.parametrize("run", ["postgres -D data", "postgres --config-file=c", "redis-server", "postgres -Ddata"])
def test_a_postgres_with_a_data_folder_is_left_alone(run: str) -> None:
    assert not is_own_postgres(Service(run))
    assert plan_start(Service(run)).script == run
    assert to_env(Service(run, env=(("A", "b"),))) == {"A": "b"}


@pytest.mark.parametrize(
    ("service", "port"),
    [
        (Service("npm start", 3000), "3000"),
        (Service("npm start", "curl localhost:3000"), "3000"),
        (Service("vite --port 3000", "true"), "3000"),
        (Service("redis-server"), "6379"),
        (Service("redis-server --port 6380", 6380), "6380"),
        (Service("postgres", "pg_isready"), "5432"),
        (Service("postgres", env=(("PGPORT", "5433"),)), "5433"),
    ],
)
def test_where_it_listens(service: Service, port: str) -> None:
    assert listens_on(service, port)
    assert not listens_on(service, "1")
    assert not listens_on(Service("npm start"), port)


def test_a_service_of_a_project_starts_in_its_folder() -> None:
    start = plan_start(Service("npm start", "curl localhost:3000", folder="my web"))
    assert (start.script, start.ready) == ("cd 'my web' || exit\nnpm start", "cd 'my web' || exit\ncurl localhost:3000")
    assert plan_start(Service("npm start", 3000, folder="web")).ready == 3000
    assert plan_start(Service("redis-server", folder="web")).script == "redis-server"
