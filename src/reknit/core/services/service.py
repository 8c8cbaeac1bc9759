"""Describes a service: a program that runs beside the tests in their box, such as a database."""

import re
import shlex
from dataclasses import dataclass

from reknit.core.services.known_servers import (
    KNOWN,
    KnownServer,
    PostgresPlace,
    find_place,
    to_ready_command,
    to_start_command,
)

READY_S = 30.0
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,200}=")
_NUMBER = re.compile(r"\d{1,6}")
_SHELL = frozenset("$`;|&<>()")
_WITH_DATA = ("-D", "--config-file", "-C", "--help", "--version")
"""Options of `postgres` with which it needs no data folder of ours."""


@dataclass(frozen=True)
class Service:
    """A configured service."""

    run: str
    """A command line for `sh`."""
    ready: int | str = 0
    """Port that the service listens on once it is ready, or a command whose exit code is 0 then.

    The value 0: for a known server its own port; any other program is not waited for."""
    ready_s: float = READY_S
    """Seconds that it may take to become ready."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables that tell everything in the box how to reach the service."""
    folder: str = ""
    """Folder in which a service of the project starts, below the folder of the box's command; empty: that folder."""


@dataclass(frozen=True)
class ServiceStart:
    """The start of a service in a box."""

    script: str
    """Script for `sh`."""
    ready: int | str
    ready_s: float
    is_private: bool
    """It runs in a private folder of the box, not in the project's."""


def parse_program(run: str) -> str:
    """Return the program that a command line starts; empty if the line needs a shell to tell."""
    try:
        words = shlex.split(run)
    except ValueError:
        return ""
    program = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    return "" if _SHELL & {*program} else program


def find_server(service: Service) -> KnownServer | None:
    """Return the well-known server that this service is; None: a program of the project."""
    return KNOWN.get(parse_program(service.run))


def to_service_id(service: Service) -> str:
    """Return the test id of a service: it is judged like a test, which passes when the service becomes ready."""
    return f"the service `{service.run}`"


def plan_start(service: Service) -> ServiceStart:
    """Return the start of a service, with the data folder and the ready check of a known server."""
    server = find_server(service)
    if is_own_postgres(service):
        place = _find_postgres_place(service)
        script = to_start_command(place, shlex.split(service.run)[1:])
        return ServiceStart(script, service.ready or to_ready_command(place), service.ready_s, is_private=True)
    ready = service.ready or (server.port if server else 0)
    if server or not service.folder:
        return ServiceStart(service.run, ready, service.ready_s, is_private=server is not None)
    change_folder = f"cd {shlex.quote(service.folder)} || exit\n"
    ready_check = f"{change_folder}{ready}" if isinstance(ready, str) else ready
    return ServiceStart(f"{change_folder}{service.run}", ready_check, service.ready_s, is_private=False)


def to_env(service: Service) -> dict[str, str]:
    """Return the variables that tell everything in the box how to reach the service."""
    own = _find_postgres_place(service).to_env() if is_own_postgres(service) else {}
    return own | dict(service.env)


def listens_on(service: Service, port: str) -> bool:
    """Return True if the service listens on this port, according to its settings."""
    if is_own_postgres(service):
        return port == str(_find_postgres_place(service).port)
    if isinstance(service.ready, str):
        return port in _NUMBER.findall(f"{service.ready} {service.run}")
    server = find_server(service)
    return port == str(service.ready or (server.port if server else ""))


def is_own_postgres(service: Service) -> bool:
    """Return True if it is `run = "postgres"` without a data folder: then a new one is made in the box."""
    if parse_program(service.run) != "postgres":
        return False
    return not any(word.startswith(_WITH_DATA) for word in shlex.split(service.run)[1:])


def _find_postgres_place(service: Service) -> PostgresPlace:
    return find_place(dict(service.env))
