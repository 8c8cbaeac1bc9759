"""npm's configuration, also used by pnpm, bun and yarn: files and variables of the user, as a box may see it."""

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from reknit.adapters.setup.clients.pip import without_login
from reknit.adapters.setup.clients.user_files import ClientConfiguration, UserFiles, basic, read_registry
from reknit.core.setup.registries import Registry

NPM, YARN = "https://registry.npmjs.org/", "https://registry.yarnpkg.com/"
_VARIABLE = re.compile(r"\$\{([^}]{1,100})\}")
_QUIET = "audit=false\nfund=false\nupdate-notifier=false\n"


def npm_configuration(user: UserFiles) -> ClientConfiguration:
    return _configuration(user, NPM)


def yarn_configuration(user: UserFiles) -> ClientConfiguration:
    found = _configuration(user, YARN)
    own = found.files[".npmrc"].partition("\n")[0].removeprefix("registry=")
    plain = own.startswith("http://")
    env = {"YARN_NPM_REGISTRY_SERVER": own.rstrip("/"), "YARN_ENABLE_TELEMETRY": "0", "YARN_REGISTRY": own}
    return replace(found, env=env | ({"YARN_UNSAFE_HTTP_WHITELIST": "*"} if plain else {}))


def _configuration(user: UserFiles, usual: str) -> ClientConfiguration:
    settings = _settings(user)
    scopes = {name: url for name, url in settings.items() if name.startswith("@") and name.endswith(":registry")}
    names = {"registry": settings.get("registry") or usual, **scopes}
    found = [
        replace(registry, login=registry.login or _login(settings, registry, is_usual=name == "registry"))
        for name, url in names.items()
        if (registry := read_registry(url))
    ]
    text = "".join(f"{name}={without_login(url)}\n" for name, url in names.items())
    certificates = tuple(filter(None, [settings.get("cafile", "")]))
    return ClientConfiguration(tuple(found), {}, {".npmrc": text + _QUIET}, certificates)


def _login(settings: Mapping[str, str], registry: Registry, *, is_usual: bool) -> str:
    """As npm looks it up: for the address itself, then for each folder above it."""
    path = registry.path
    while True:
        if login := _login_at(settings, f"//{registry.origin}{path}:") or _login_at(
            settings, f"//{registry.origin}{path.rstrip('/')}:"
        ):
            return login
        if path == "/":
            return _login_at(settings, "") if is_usual else ""
        path = path.rstrip("/").rpartition("/")[0] + "/"


def _login_at(settings: Mapping[str, str], prefix: str) -> str:
    if token := settings.get(f"{prefix}_authToken"):
        return f"Bearer {token}"
    if both := settings.get(f"{prefix}_auth"):
        return f"Basic {both}"
    user, word = settings.get(f"{prefix}username"), settings.get(f"{prefix}_password")
    if not user or not word:
        return ""
    try:
        return basic(user, base64.b64decode(word).decode("utf-8", "replace"))
    except ValueError:  # npm itself would say what is wrong with it
        return ""


def _settings(user: UserFiles) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in _files(user):
        for line in user.text(path).splitlines():
            name, is_one, value = line.strip().partition("=")
            if is_one and not name.startswith(("#", ";")):
                found[name.strip()] = _expanded(value.strip().strip("\"'"), user.environment)
    prefix = "npm_config_"
    for name, value in user.environment.items():
        if name.lower().startswith(prefix) and value:
            given = name[len(prefix) :]
            found[given if given.startswith(("/", "@")) else given.lower()] = value
    return found


def _expanded(value: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: environment.get(match[1], ""), value)


def _files(user: UserFiles) -> Iterator[Path]:
    """The weakest first. A repository's own file is in its tree, and counts only for what a box asks."""
    yield from (Path("/etc/npmrc"), Path("/usr/etc/npmrc"))
    named = user.environment.get("NPM_CONFIG_USERCONFIG") or user.environment.get("npm_config_userconfig")
    yield Path(named) if named else user.home / ".npmrc"
