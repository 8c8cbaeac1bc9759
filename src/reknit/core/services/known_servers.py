"""Lists servers that tests need and no repository contains, and builds commands that start PostgreSQL."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class KnownServer:
    """A server that tests need and no repository contains."""

    product: str
    port: int
    package: str
    """Package in Debian and Ubuntu; empty: they have none."""
    run: str = ""
    """Value of `run`, if the server needs no other setting."""


KNOWN = {
    "postgres": KnownServer("PostgreSQL", 5432, "postgresql", "postgres"),
    "redis-server": KnownServer("Redis", 6379, "redis-server", "redis-server"),
    "valkey-server": KnownServer("Valkey", 6379, "valkey-server", "valkey-server"),
    "memcached": KnownServer("memcached", 11211, "memcached", "memcached"),
    "mongod": KnownServer("MongoDB", 27017, "", "mongod --dbpath ."),
    "mysqld": KnownServer("MySQL", 3306, "mysql-server"),
    "mariadbd": KnownServer("MariaDB", 3306, "mariadb-server"),
    "nats-server": KnownServer("NATS", 4222, "nats-server", "nats-server"),
    "rabbitmq-server": KnownServer("RabbitMQ", 5672, "rabbitmq-server"),
    "mosquitto": KnownServer("MQTT", 1883, "mosquitto", "mosquitto"),
    "etcd": KnownServer("etcd", 2379, "etcd-server", "etcd --data-dir ."),
}
"""Program -> server."""


def to_setting(product: str, port: str = "") -> str:
    """Return the line of reknit.toml that starts this product beside the tests."""
    run = next((server.run for server in KNOWN.values() if server.product == product and server.run), "")
    if run:
        return f'services = [{{ run = "{run}" }}]'
    return f'services = [{{ run = "COMMAND", ready = {port or "PORT"} }}]'


def to_install_command(program: str) -> str:
    """Return the command that a person types if the program is missing."""
    server = KNOWN[program]
    return f"apt install {server.package}" if server.package else f"install {server.product}, or put {program} on PATH"


PROGRAMS_OUTSIDE_PATH = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
"""Folders of PostgreSQL's programs in Debian and Red Hat."""
_EXTEND_PATH = f'PATH="$PATH:$(ls -d {" ".join(PROGRAMS_OUTSIDE_PATH)} 2>/dev/null | sort -V | tail -n 1)"'


@dataclass(frozen=True)
class PostgresPlace:
    """The user, the database and the port of a PostgreSQL."""

    user: str = "postgres"
    database: str = "postgres"
    port: int = 5432

    def to_env(self) -> dict[str, str]:
        """Return the variables by which clients find it."""
        return {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port),
            "PGUSER": self.user,
            "PGDATABASE": self.database,
            "DATABASE_URL": f"postgresql://{self.user}@127.0.0.1:{self.port}/{self.database}",
        }


def find_place(env: Mapping[str, str]) -> PostgresPlace:
    """Return the place where the tests will look for the server.

    It is in `DATABASE_URL`, or in the variables that libpq reads. Every password is accepted.
    """
    given_url = env.get("DATABASE_URL", "")
    try:
        url = urlsplit(given_url if given_url.startswith("postgres") else "")
        port = url.port
    except ValueError:
        url, port = urlsplit(""), None
    port_setting = env.get("PGPORT", "")
    number = port or (int(port_setting) if port_setting.isascii() and port_setting.isdigit() else 0)
    user = unquote(url.username or "") or env.get("PGUSER", "") or "postgres"
    database = unquote(url.path.strip("/")) or env.get("PGDATABASE", "") or "postgres"
    return PostgresPlace(user, database, number or 5432)


def to_start_command(place: PostgresPlace, options: Sequence[str] = ()) -> str:
    """Return a script for `sh` that makes the data in an empty folder and starts the server.

    The data lives as long as the box, so nothing is flushed to the disk.
    """
    lines = [
        "set -e",
        _EXTEND_PATH,
        "command -v initdb >/dev/null || { echo 'sh: 1: postgres: not found' >&2; exit 127; }",
        f"initdb -D data -U {shlex.quote(place.user)} -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null",
    ]
    if place.database != "postgres":
        name = '"' + place.database.replace('"', '""') + '"'
        create = f"printf '%s\\n' {shlex.quote(f'CREATE DATABASE {name}')}"
        lines.append(f"{create} | postgres --single -F -D data postgres >/dev/null")
    words = ["exec", "postgres", "-D", "data", "-k", "", "-h", "127.0.0.1", "-p", str(place.port), "-F", *options]
    return "\n".join([*lines, shlex.join(words)])


def to_ready_command(place: PostgresPlace) -> str:
    """Return the command that succeeds once the server answers."""
    options = shlex.join(["-h", "127.0.0.1", "-p", str(place.port), "-U", place.user, "-d", place.database])
    return f"{_EXTEND_PATH}; pg_isready -q {options}"
