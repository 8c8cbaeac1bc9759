"""Finds the login for a GitHub host; a token is sent only to the host it is meant for."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from reknit.adapters import process
from reknit.adapters.files.regular_files import read_plain
from reknit.core.errors import LoginNeeded, ToolMissing, UsageProblem

_APP = ("REKNIT_GITHUB_APP_ID", "REKNIT_GITHUB_APP_KEY", "REKNIT_GITHUB_INSTALLATION")
_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
_ENTERPRISE_TOKENS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
# The last two open the desktop's keyring, where newer gh keeps its tokens.
_GH_NEEDS = ("HOME", "XDG_CONFIG_HOME", "GH_CONFIG_DIR", "PATH", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost", "github.localhost"})
_GH_S = 15.0


@dataclass(frozen=True)
class UserToken:
    token: str = field(repr=False)


@dataclass(frozen=True)
class AppInstallation:
    app_id: str
    key: str = field(repr=False)
    """The App's private key, as PEM."""
    installation: int


Credentials = UserToken | AppInstallation


def host_of(api: str) -> str:
    """The host as `gh` and people call it: github.com for https://api.github.com."""
    address = urlsplit(api)
    host = address.hostname or ""
    if not host or (address.scheme != "https" and host not in _LOOPBACK):
        raise UsageProblem(
            "forge-address", f"{api!r} is not an https address", help="set the forge's API to https://HOST/…"
        )
    is_on_github = host == "api.github.com" or host.endswith(".ghe.com")
    return host.removeprefix("api.") if is_on_github else host


def find_credentials(api: str, environment: Mapping[str, str], *, token_variable: str = "") -> Credentials:
    """The first of: an App, the named variable, GH_TOKEN or GITHUB_TOKEN, the login of `gh`."""
    host = host_of(api)
    if any(environment.get(name) for name in _APP) and _is_meant(host, environment):
        return _installation(environment)
    if token_variable:
        return _named(token_variable, environment)
    for name in _TOKENS if _is_meant(host, environment) else _ENTERPRISE_TOKENS:
        if token := environment.get(name, "").strip():
            return UserToken(token)
    return _token_of_gh(host, environment)


def _is_meant(host: str, environment: Mapping[str, str]) -> bool:
    """Like gh: GH_TOKEN is for GitHub itself. A repository chooses its remote's address, so that must not obtain it."""
    is_on_github = host == "github.com" or host.endswith(".ghe.com")
    return is_on_github or host in _LOOPBACK or host == environment.get("GH_HOST", "")


def _installation(environment: Mapping[str, str]) -> AppInstallation:
    missing = [name for name in _APP if not environment.get(name)]
    if missing:
        raise LoginNeeded("app-login", f"{missing[0]} is not set", help=f"an App needs all of {', '.join(_APP)}")
    if importlib.util.find_spec("jwt") is None:
        what = "logging in as an App needs packages that are not installed"
        raise LoginNeeded("app-login", what, help="`pip install 'reknit[app]'`")
    app_id, key, installation = (environment[name].strip() for name in _APP)
    if not installation.isdecimal():
        raise LoginNeeded(
            "app-login", f"{_APP[2]} is not a number", help="it is the last part of the installation's URL"
        )
    return AppInstallation(app_id, _key(key), int(installation))


def _key(given: str) -> str:
    if given.startswith("-----BEGIN"):
        return given.replace("\\n", "\n")  # many secret stores keep it in one line
    try:
        return read_plain(Path(given).expanduser()).decode("ascii")
    except (UsageProblem, OSError, ValueError) as problem:
        # The value is not shown: it may be a key that lost its first line.
        what = f"{_APP[1]} is neither a private key nor a file that can be read"
        raise LoginNeeded("app-login", what, help="give the PEM text or the path of the .pem file") from problem


def _named(variable: str, environment: Mapping[str, str]) -> UserToken:
    token = environment.get(variable, "").strip()
    if not token:
        raise LoginNeeded("forge-login", f"{variable} is not set", help=f"set {variable} to a GitHub token")
    return UserToken(token)


def _token_of_gh(host: str, environment: Mapping[str, str]) -> UserToken:
    env = {name: environment[name] for name in _GH_NEEDS if name in environment}
    command = ["gh", "auth", "token", "--hostname", host]
    try:
        ended = process.run(command, env={**env, "GH_PROMPT_DISABLED": "1"}, timeout_s=_GH_S)
    except (ToolMissing, process.ProcessTimeout):
        raise _no_login(host) from None
    token = ended.stdout.decode(errors="replace").strip()
    if ended.exit_code != 0 or not token:
        raise _no_login(host)
    return UserToken(token)


def _no_login(host: str) -> LoginNeeded:
    variable = "GH_TOKEN" if host == "github.com" else "GH_ENTERPRISE_TOKEN"
    return LoginNeeded(
        "forge-login", f"no login for {host!r}", help=f"run `gh auth login --hostname {host}`, or set {variable}"
    )
