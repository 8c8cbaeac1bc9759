"""Reads the user's configuration of package clients from variables and files of the host."""

import base64
import netrc
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from reknit.core.setup.registries import Origin, Registry, read_origin


@dataclass(frozen=True)
class ClientConfiguration:
    """The registries of a client, and settings for a box that name them without logins."""

    registries: tuple[Registry, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Path below HOME -> content."""
    certificates: tuple[str, ...] = ()
    """Files with further certificate authorities that the registries' own certificates need."""


@dataclass(frozen=True)
class UserFiles:
    """The user's variables, and files at their usual places."""

    environment: Mapping[str, str]

    @property
    def home(self) -> Path:
        return Path(self.environment.get("HOME", "/"))

    @property
    def config(self) -> Path:
        return Path(self.environment.get("XDG_CONFIG_HOME") or self.home / ".config")

    def find_netrc_login(self, origin: Origin) -> str:
        path = self.environment.get("NETRC") or self.home / ".netrc"
        try:
            entry = netrc.netrc(path).hosts.get(origin.host) if Path(path).is_file() else None
        except (OSError, netrc.NetrcParseError):
            return ""
        return make_basic_login(entry[0], entry[2] or "") if entry else ""


def make_basic_login(user: str, password: str) -> str:
    """Return the value of a Basic Authorization header."""
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def read_registry(url: str) -> Registry | None:
    """Parse an address with its login; None if it is no http or https address."""
    try:
        parts = urlsplit(url.strip())
        origin = read_origin(parts.scheme.lower(), parts.hostname, parts.port)
    except ValueError:
        return None
    if origin is None:
        return None
    login = (
        make_basic_login(unquote(parts.username or ""), unquote(parts.password or "")) if "@" in parts.netloc else ""
    )
    return Registry(origin, f"/{parts.path.strip('/')}/".replace("//", "/"), login)
