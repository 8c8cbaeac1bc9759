"""A PostgreSQL with a data folder of its own: what is typed to create it, to start it, and to see that it answers."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

PROGRAMS_OUTSIDE_PATH = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
"""Where Debian and Red Hat keep the programs."""
_FIND = f'PATH="$PATH:$(ls -d {" ".join(PROGRAMS_OUTSIDE_PATH)} 2>/dev/null | sort -V | tail -n 1)"'


@dataclass(frozen=True)
class PostgresPlace:
    user: str = "postgres"
    database: str = "postgres"
    port: int = 5432

    def env(self) -> dict[str, str]:
        return {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port),
            "PGUSER": self.user,
            "PGDATABASE": self.database,
            "DATABASE_URL": f"postgresql://{self.user}@127.0.0.1:{self.port}/{self.database}",
        }


def place_of(env: Mapping[str, str]) -> PostgresPlace:
    """As the tests will look for it: `DATABASE_URL`, or what libpq reads. Every password is accepted."""
    given_url = env.get("DATABASE_URL", "")
    try:
        url = urlsplit(given_url if given_url.startswith("postgres") else "")
        port = url.port
    except ValueError:
        url, port = urlsplit(""), None
    given = env.get("PGPORT", "")
    number = port or (int(given) if given.isascii() and given.isdigit() else 0)
    user = unquote(url.username or "") or env.get("PGUSER", "") or "postgres"
    database = unquote(url.path.strip("/")) or env.get("PGDATABASE", "") or "postgres"
    return PostgresPlace(user, database, number or 5432)


def start_command(place: PostgresPlace, options: Sequence[str] = ()) -> str:
    """For `sh`, in an empty folder. The data lives as long as the box, so nothing is flushed to the disk."""
    lines = [
        "set -e",
        _FIND,
        "command -v initdb >/dev/null || { echo 'sh: 1: postgres: not found' >&2; exit 127; }",
        f"initdb -D data -U {shlex.quote(place.user)} -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null",
    ]
    if place.database != "postgres":
        name = '"' + place.database.replace('"', '""') + '"'
        create = f"printf '%s\\n' {shlex.quote(f'CREATE DATABASE {name}')}"
        lines.append(f"{create} | postgres --single -F -D data postgres >/dev/null")
    words = ["exec", "postgres", "-D", "data", "-k", "", "-h", "127.0.0.1", "-p", str(place.port), "-F", *options]
    return "\n".join([*lines, shlex.join(words)])


def ready_command(place: PostgresPlace) -> str:
    where = shlex.join(["-h", "127.0.0.1", "-p", str(place.port), "-U", place.user, "-d", place.database])
    return f"{_FIND}; pg_isready -q {where}"
