"""pip's configuration: files and variables of the user, as a box may see it."""

import configparser
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from reknit.adapters.setup.clients.user_files import ClientConfiguration, UserFiles, read_registry
from reknit.core.setup.hidden import hidden_parts, shown
from reknit.core.setup.registries import Registry

PYPI, PYPI_FILES = "https://pypi.org/simple", "https://files.pythonhosted.org"
_SECTIONS = ("global", "install", "download")
_FILES_AT_THE_TOP = ("/files/", "/packages/", "/+f/")
"""Where registries have their files if their pages are at `/simple`."""
_YES = ("1", "true", "yes", "on")


def pip_configuration(user: UserFiles) -> ClientConfiguration:
    settings = _settings(user)
    is_offline = settings.get("no-index", "").lower() in _YES
    index = "" if is_offline else settings.get("index-url") or PYPI
    more = [] if is_offline else settings.get("extra-index-url", "").split()
    links = settings.get("find-links", "").split()
    found = [registry for url in (index, *more) for registry in index_registries(user, url)]
    found += [_links_registry(registry) for url in links if (registry := read_registry(url))]
    plain = {str(registry.origin.host) for registry in found if registry.origin.scheme == "http"}
    env = {
        "PIP_INDEX_URL": without_login(index),
        "PIP_EXTRA_INDEX_URL": " ".join(map(without_login, more)),
        "PIP_FIND_LINKS": " ".join(map(without_login, links)),
        "PIP_NO_INDEX": "1" if is_offline else "",
        "PIP_TRUSTED_HOST": " ".join(sorted(plain)),
    }
    certificates = tuple(filter(None, [settings.get("cert", "")]))
    return ClientConfiguration(
        with_files(found), {name: value for name, value in env.items() if value}, {}, certificates
    )


def index_registries(user: UserFiles, url: str) -> list[Registry]:
    """Return what a login is for: the pages below `simple`, and the files beside them, never all of the host."""
    found = read_registry(url)
    if found is None:
        return []
    above = found.path.removesuffix("simple/").removesuffix("+")
    login = found.login or user.netrc_login(found.origin)
    is_at_the_top = above == "/" != found.path
    paths = (found.path, *_FILES_AT_THE_TOP) if login and is_at_the_top else (above,)
    return [replace(found, path=path, login=login) for path in paths]


def _links_registry(page: Registry) -> Registry:
    """Return what a login for a page of links is for: its folder; at the top of a host, the page alone."""
    folder = page.path.rstrip("/").rpartition("/")[0]
    return replace(page, path=f"{folder}/") if folder and page.path.endswith((".html/", ".htm/")) else page


def with_files(found: list[Registry]) -> tuple[Registry, ...]:
    """PyPI keeps its files on another host."""
    is_pypi = any(registry.origin.url == "https://pypi.org" for registry in found)
    files = read_registry(PYPI_FILES)
    return (*found, *([files] if is_pypi and files else ()))


def without_login(url: str) -> str:
    """The address as a box may see it; a path of the host stays as it is. Empty: it cannot be read."""
    is_address = "://" in url or url.startswith("//")
    if not is_address or url.startswith("file:"):
        return url
    if read_registry(url) is None:
        return ""
    parts = urlsplit(url.strip())
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{shown(parts.path, hidden_parts(parts.path))}"


def _settings(user: UserFiles) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in _files(user):
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(user.text(path))
        except configparser.Error:
            continue  # pip itself will say what is wrong with it
        for section in _SECTIONS:
            if parser.has_section(section):
                found |= {name.replace("_", "-"): value for name, value in parser.items(section)}
    prefix = "PIP_"
    variables = {
        name.removeprefix(prefix).lower().replace("_", "-"): value
        for name, value in user.environment.items()
        if name.startswith(prefix) and value
    }
    return found | variables


def _files(user: UserFiles) -> Iterator[Path]:
    """The weakest first."""
    named = user.environment.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return
    yield from (Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf"))
    yield from (user.home / ".pip" / "pip.conf", user.config / "pip" / "pip.conf")
    if named:
        yield Path(named)
