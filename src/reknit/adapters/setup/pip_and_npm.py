"""Reads the user's configuration of pip, npm and yarn, and makes one without logins for a box."""

import base64
import configparser
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from reknit.adapters.files.regular_files import read_text_if_any
from reknit.adapters.setup.user_files import ClientConfiguration, UserFiles, make_basic_login, read_registry
from reknit.core.setup.registries import Registry, find_hidden_parts, hide_parts

PYPI, PYPI_FILES = "https://pypi.org/simple", "https://files.pythonhosted.org"
_SECTIONS = ("global", "install", "download")
_FILES_AT_THE_TOP = ("/files/", "/packages/", "/+f/")
"""Folders of package files on hosts that have their index at `/simple`."""
_TRUE_WORDS = ("1", "true", "yes", "on")


def read_pip_configuration(user: UserFiles) -> ClientConfiguration:
    """Return pip's registries and settings."""
    settings = _read_pip_settings(user)
    is_offline = settings.get("no-index", "").lower() in _TRUE_WORDS
    index = "" if is_offline else settings.get("index-url") or PYPI
    more = [] if is_offline else settings.get("extra-index-url", "").split()
    links = settings.get("find-links", "").split()
    registries = [registry for url in (index, *more) for registry in list_index_registries(user, url)]
    registries += [_make_links_registry(registry) for url in links if (registry := read_registry(url))]
    plain = {str(registry.origin.host) for registry in registries if registry.origin.scheme == "http"}
    env = {
        "PIP_INDEX_URL": remove_login(index),
        "PIP_EXTRA_INDEX_URL": " ".join(map(remove_login, more)),
        "PIP_FIND_LINKS": " ".join(map(remove_login, links)),
        "PIP_NO_INDEX": "1" if is_offline else "",
        "PIP_TRUSTED_HOST": " ".join(sorted(plain)),
    }
    certificates = tuple(filter(None, [settings.get("cert", "")]))
    return ClientConfiguration(
        add_file_host(registries), {name: value for name, value in env.items() if value}, {}, certificates
    )


def list_index_registries(user: UserFiles, url: str) -> list[Registry]:
    """Return the index and the folders of its files as registries, so that a login is not sent to the whole host."""
    registry = read_registry(url)
    if registry is None:
        return []
    above = registry.path.removesuffix("simple/").removesuffix("+")
    login = registry.login or user.find_netrc_login(registry.origin)
    is_at_the_top = above == "/" != registry.path
    paths = (registry.path, *_FILES_AT_THE_TOP) if login and is_at_the_top else (above,)
    return [replace(registry, path=path, login=login) for path in paths]


def _make_links_registry(page: Registry) -> Registry:
    """Return the folder of a page with links as a registry; at the top of a host, only the page itself."""
    folder = page.path.rstrip("/").rpartition("/")[0]
    return replace(page, path=f"{folder}/") if folder and page.path.endswith((".html/", ".htm/")) else page


def add_file_host(registries: list[Registry]) -> tuple[Registry, ...]:
    """Add the host of PyPI's files, which is not the host of its index."""
    is_pypi = any(registry.origin.url == "https://pypi.org" for registry in registries)
    files = read_registry(PYPI_FILES)
    return (*registries, *([files] if is_pypi and files else ()))


def remove_login(url: str) -> str:
    """Return the address without its login; empty if it cannot be read. A file path is returned as it is."""
    is_address = "://" in url or url.startswith("//")
    if not is_address or url.startswith("file:"):
        return url
    if read_registry(url) is None:
        return ""
    parts = urlsplit(url.strip())
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{hide_parts(parts.path, find_hidden_parts(parts.path))}"


def _read_pip_settings(user: UserFiles) -> dict[str, str]:
    settings: dict[str, str] = {}
    for path in _list_pip_files(user):
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(read_text_if_any(path))
        except configparser.Error:
            continue  # pip itself reports what is wrong with it
        for section in _SECTIONS:
            if parser.has_section(section):
                settings |= {name.replace("_", "-"): value for name, value in parser.items(section)}
    prefix = "PIP_"
    variables = {
        name.removeprefix(prefix).lower().replace("_", "-"): value
        for name, value in user.environment.items()
        if name.startswith(prefix) and value
    }
    return settings | variables


def _list_pip_files(user: UserFiles) -> Iterator[Path]:
    """Yield pip's files, the weakest first."""
    config_file = user.environment.get("PIP_CONFIG_FILE")
    if config_file == os.devnull:
        return
    yield from (Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf"))
    yield from (user.home / ".pip" / "pip.conf", user.config / "pip" / "pip.conf")
    if config_file:
        yield Path(config_file)


NPM, YARN = "https://registry.npmjs.org/", "https://registry.yarnpkg.com/"
_VARIABLE = re.compile(r"\$\{([^}]{1,100})\}")
_QUIET = "audit=false\nfund=false\nupdate-notifier=false\n"


def read_npm_configuration(user: UserFiles) -> ClientConfiguration:
    """Return npm's registries and settings."""
    return _read_configuration(user, NPM)


def read_yarn_configuration(user: UserFiles) -> ClientConfiguration:
    """Return yarn's registries and settings."""
    configuration = _read_configuration(user, YARN)
    own = configuration.files[".npmrc"].partition("\n")[0].removeprefix("registry=")
    plain = own.startswith("http://")
    env = {"YARN_NPM_REGISTRY_SERVER": own.rstrip("/"), "YARN_ENABLE_TELEMETRY": "0", "YARN_REGISTRY": own}
    return replace(configuration, env=env | ({"YARN_UNSAFE_HTTP_WHITELIST": "*"} if plain else {}))


def _read_configuration(user: UserFiles, default_registry: str) -> ClientConfiguration:
    settings = _read_npm_settings(user)
    scopes = {name: url for name, url in settings.items() if name.startswith("@") and name.endswith(":registry")}
    names = {"registry": settings.get("registry") or default_registry, **scopes}
    registries = [
        replace(registry, login=registry.login or _find_login(settings, registry, is_default=name == "registry"))
        for name, url in names.items()
        if (registry := read_registry(url))
    ]
    text = "".join(f"{name}={remove_login(url)}\n" for name, url in names.items())
    certificates = tuple(filter(None, [settings.get("cafile", "")]))
    return ClientConfiguration(tuple(registries), {}, {".npmrc": text + _QUIET}, certificates)


def _find_login(settings: Mapping[str, str], registry: Registry, *, is_default: bool) -> str:
    """Find a login in npm's order: for the address itself, then for each folder above it."""
    path = registry.path
    while True:
        if login := _read_login(settings, f"//{registry.origin}{path}:") or _read_login(
            settings, f"//{registry.origin}{path.rstrip('/')}:"
        ):
            return login
        if path == "/":
            return _read_login(settings, "") if is_default else ""
        path = path.rstrip("/").rpartition("/")[0] + "/"


def _read_login(settings: Mapping[str, str], prefix: str) -> str:
    if token := settings.get(f"{prefix}_authToken"):
        return f"Bearer {token}"
    if both := settings.get(f"{prefix}_auth"):
        return f"Basic {both}"
    user, word = settings.get(f"{prefix}username"), settings.get(f"{prefix}_password")
    if not user or not word:
        return ""
    try:
        return make_basic_login(user, base64.b64decode(word).decode("utf-8", "replace"))
    except ValueError:  # npm itself reports what is wrong with it
        return ""


def _read_npm_settings(user: UserFiles) -> dict[str, str]:
    settings: dict[str, str] = {}
    for path in _list_npm_files(user):
        for line in read_text_if_any(path).splitlines():
            name, is_one, value = line.strip().partition("=")
            if is_one and not name.startswith(("#", ";")):
                settings[name.strip()] = _expand(value.strip().strip("\"'"), user.environment)
    prefix = "npm_config_"
    for name, value in user.environment.items():
        if name.lower().startswith(prefix) and value:
            key = name[len(prefix) :]
            settings[key if key.startswith(("/", "@")) else key.lower()] = value
    return settings


def _expand(value: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: environment.get(match[1], ""), value)


def _list_npm_files(user: UserFiles) -> Iterator[Path]:
    """Yield npm's files, the weakest first. The repository's own file is left out: the box has it in the tree."""
    yield from (Path("/etc/npmrc"), Path("/usr/etc/npmrc"))
    config_file = user.environment.get("NPM_CONFIG_USERCONFIG") or user.environment.get("npm_config_userconfig")
    yield Path(config_file) if config_file else user.home / ".npmrc"
