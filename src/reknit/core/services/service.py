"""A program that runs beside the tests, in their own box and on its loopback: a database, a development server."""

import re
import shlex
from dataclasses import dataclass

from reknit.core.services.known_servers import KNOWN, KnownServer
from reknit.core.services.postgres import PostgresPlace, place_of, ready_command, start_command

READY_S = 30.0
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,200}=")
_NUMBER = re.compile(r"\d{1,6}")
_SHELL = frozenset("$`;|&<>()")
_WITH_DATA = ("-D", "--config-file", "-C", "--help", "--version")
"""Options of `postgres` with which it needs no data folder of ours."""


@dataclass(frozen=True)
class Service:
    """As configured."""

    run: str
    """A command line for `sh`."""
    ready: int | str = 0
    """The port that it listens on when it is ready, or a command that then ends with 0; 0: the port of a known server,
    and otherwise it is not waited for."""
    ready_s: float = READY_S
    env: tuple[tuple[str, str], ...] = ()
    """Variables for everything in the box: where the service is."""
    folder: str = ""
    """Where a service of the project starts, below the folder of the box's command; empty: there."""


@dataclass(frozen=True)
class ServiceStart:
    """How a service is started in a box."""

    script: str
    """For `sh`."""
    ready: int | str
    ready_s: float
    is_private: bool
    """It runs in a private folder of the box, not in the project's."""


def program_of(run: str) -> str:
    """The program that a command line starts; empty if it cannot be told without a shell."""
    try:
        words = shlex.split(run)
    except ValueError:
        return ""
    program = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    return "" if _SHELL & {*program} else program


def server_of(service: Service) -> KnownServer | None:
    """The well-known server that this service is; None: a program of the project."""
    return KNOWN.get(program_of(service.run))


def service_id(service: Service) -> str:
    """A service of the project is judged like a test: by whether it becomes ready."""
    return f"the service `{service.run}`"


def start_of(service: Service) -> ServiceStart:
    server = server_of(service)
    if is_own_postgres(service):
        place = _postgres(service)
        script = start_command(place, shlex.split(service.run)[1:])
        return ServiceStart(script, service.ready or ready_command(place), service.ready_s, is_private=True)
    ready = service.ready or (server.port if server else 0)
    if server or not service.folder:
        return ServiceStart(service.run, ready, service.ready_s, is_private=server is not None)
    there = f"cd {shlex.quote(service.folder)} || exit\n"
    checked = f"{there}{ready}" if isinstance(ready, str) else ready
    return ServiceStart(f"{there}{service.run}", checked, service.ready_s, is_private=False)


def env_of(service: Service) -> dict[str, str]:
    """What the box's environment says about the service."""
    own = _postgres(service).env() if is_own_postgres(service) else {}
    return own | dict(service.env)


def listens_on(service: Service, port: str) -> bool:
    """As far as its settings say."""
    if is_own_postgres(service):
        return port == str(_postgres(service).port)
    if isinstance(service.ready, str):
        return port in _NUMBER.findall(f"{service.ready} {service.run}")
    server = server_of(service)
    return port == str(service.ready or (server.port if server else ""))


def is_own_postgres(service: Service) -> bool:
    """`run = "postgres"`: there is no data folder, so a new one is made in the box."""
    if program_of(service.run) != "postgres":
        return False
    return not any(word.startswith(_WITH_DATA) for word in shlex.split(service.run)[1:])


def _postgres(service: Service) -> PostgresPlace:
    return place_of(dict(service.env))
