"""Finds the login for a GitHub host; a token is sent only to its own host."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from reknit.adapters import process
from reknit.adapters.files.regular_files import read_plain
from reknit.core.errors import LoginNeededError, ToolMissingError, UsageError

_APP = ("REKNIT_GITHUB_APP_ID", "REKNIT_GITHUB_APP_KEY", "REKNIT_GITHUB_INSTALLATION")
_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
_ENTERPRISE_TOKENS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
# The last two open the desktop's keyring, where newer gh keeps its tokens.
_GH_NEEDS = ("HOME", "XDG_CONFIG_HOME", "GH_CONFIG_DIR", "PATH", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost", "github.localhost"})
_GH_S = 15.0


@dataclass(frozen=True)
class UserToken:
    """A token of a user."""

    token: str = field(repr=False)


@dataclass(frozen=True)
class AppInstallation:
    """An installation of a GitHub App, with the key that signs its requests."""

    app_id: str
    key: str = field(repr=False)
    """The App's private key, as PEM."""
    installation: int


Credentials = UserToken | AppInstallation


def parse_host(api: str) -> str:
    """Return the host as `gh` names it: github.com for https://api.github.com."""
    address = urlsplit(api)
    host = address.hostname or ""
    if not host or (address.scheme != "https" and host not in _LOOPBACK):
        raise UsageError(
            "forge-address", f"{api!r} is not an https address", help="set the forge's API to https://HOST/…"
        )
    is_on_github = host == "api.github.com" or host.endswith(".ghe.com")
    return host.removeprefix("api.") if is_on_github else host


def find_credentials(api: str, environment: Mapping[str, str], *, token_variable: str = "") -> Credentials:
    """Return the first credentials found.

    The order: the App's, those in `token_variable`, a token variable of gh, the login of gh.
    """
    host = parse_host(api)
    if any(environment.get(name) for name in _APP) and _is_for_host(host, environment):
        return _read_installation(environment)
    if token_variable:
        return _read_token(token_variable, environment)
    for name in _TOKENS if _is_for_host(host, environment) else _ENTERPRISE_TOKENS:
        if token := environment.get(name, "").strip():
            return UserToken(token)
    return _ask_gh(host, environment)


def _is_for_host(host: str, environment: Mapping[str, str]) -> bool:
    """Return True if GH_TOKEN may be sent to this host, by the rules of gh.

    A repository chooses the host of its remote, so the token must not go to just any host.
    """
    is_on_github = host == "github.com" or host.endswith(".ghe.com")
    return is_on_github or host in _LOOPBACK or host == environment.get("GH_HOST", "")


def _read_installation(environment: Mapping[str, str]) -> AppInstallation:
    missing = [name for name in _APP if not environment.get(name)]
    if missing:
        raise LoginNeededError("app-login", f"{missing[0]} is not set", help=f"an App needs all of {', '.join(_APP)}")
    if importlib.util.find_spec("jwt") is None:
        message = "logging in as an App needs packages that are not installed"
        raise LoginNeededError("app-login", message, help="`pip install 'reknit[app]'`")
    app_id, key, installation = (environment[name].strip() for name in _APP)
    if not installation.isdecimal():
        raise LoginNeededError(
            "app-login", f"{_APP[2]} is not a number", help="it is the last part of the installation's URL"
        )
    return AppInstallation(app_id, _read_key(key), int(installation))


def _read_key(value: str) -> str:
    if value.startswith("-----BEGIN"):
        return value.replace("\\n", "\n")  # many secret stores keep it in one line
    try:
        return read_plain(Path(value).expanduser()).decode("ascii")
    except (UsageError, OSError, ValueError) as problem:
        # Do not show the value: it may be a key without its first line.
        message = f"{_APP[1]} is neither a private key nor a file that can be read"
        raise LoginNeededError("app-login", message, help="give the PEM text or the path of the .pem file") from problem


def _read_token(variable: str, environment: Mapping[str, str]) -> UserToken:
    token = environment.get(variable, "").strip()
    if not token:
        raise LoginNeededError("forge-login", f"{variable} is not set", help=f"set {variable} to a GitHub token")
    return UserToken(token)


def _ask_gh(host: str, environment: Mapping[str, str]) -> UserToken:
    env = {name: environment[name] for name in _GH_NEEDS if name in environment}
    command = ["gh", "auth", "token", "--hostname", host]
    try:
        completed = process.run(command, env={**env, "GH_PROMPT_DISABLED": "1"}, timeout_s=_GH_S)
    except (ToolMissingError, process.ProcessTimeoutError):
        raise _no_login_error(host) from None
    token = completed.stdout.decode(errors="replace").strip()
    if completed.exit_code != 0 or not token:
        raise _no_login_error(host)
    return UserToken(token)


def _no_login_error(host: str) -> LoginNeededError:
    variable = "GH_TOKEN" if host == "github.com" else "GH_ENTERPRISE_TOKEN"
    return LoginNeededError(
        "forge-login", f"no login for {host!r}", help=f"run `gh auth login --hostname {host}`, or set {variable}"
    )
