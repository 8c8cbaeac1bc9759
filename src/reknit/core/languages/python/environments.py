"""Builds the names that poetry, pdm, pipenv, hatch and conda give to a project's virtual environment."""

import base64
import hashlib
import re

from reknit.core.repository.manifest_text import get_table, normalize_package_name, read_toml
from reknit.core.testing.reported import read_text

_NAME_CHARS = 42
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


def build_poetry_name(pyproject: str, folder: str) -> str:
    """Return the name without `-py3.X`; empty without poetry. `folder`: that of pyproject.toml, links resolved."""
    tables = read_toml(pyproject)
    poetry = get_table(tables, "tool", "poetry")
    if not poetry and "poetry" not in read_text(get_table(tables, "build-system"), "build-backend"):
        return ""
    name = read_text(get_table(tables, "project"), "name") or read_text(poetry, "name") or "non-package-mode"
    plain = re.sub(r'[ $`!*@"\\\r\n\t]', "_", normalize_package_name(name))[:_NAME_CHARS]
    return f"{plain}-{_shorten_digest(hashlib.sha256(folder.encode()).digest())}"


def build_pipenv_name(pipfile: str) -> str:
    """Return the name of the environment for the Pipfile at this path."""
    plain = re.sub(r'[ &$`!*@"()\[\]\\\r\n\t]', "_", pipfile.rsplit("/", 2)[-2])[:_NAME_CHARS]
    return f"{plain}-{_shorten_digest(hashlib.sha256(pipfile.encode()).digest()[:6])}"


def build_pdm_prefix(folder: str) -> str:
    """Return the start of the names of a project's environments in pdm's own folder."""
    digest = hashlib.md5(folder.encode(), usedforsecurity=False).digest()
    return f"{folder.rsplit('/', 1)[-1]}-{_shorten_digest(digest)}-"


def build_hatch_path(pyproject: str, folder: str) -> str:
    """Return the path below hatch's folder of virtual environments; each folder in it is an environment."""
    tables = read_toml(pyproject)
    is_hatch = get_table(tables, "tool", "hatch") or "hatchling" in read_text(
        get_table(tables, "build-system"), "build-backend"
    )
    name = read_text(get_table(tables, "project"), "name")
    if not is_hatch or not _PLAIN_NAME.fullmatch(name):
        return ""
    return f"{normalize_package_name(name)}/{_shorten_digest(hashlib.sha256(folder.encode()).digest())}"


def read_conda_name(environment_file: str) -> str:
    """Return the name in `environment.yml`; empty if it has none, or `base`, which belongs to no project."""
    match = re.search(r"^name:[ \t]*[\"']?([A-Za-z0-9._-]{1,100})[\"']?[ \t]*(?:#.*)?$", environment_file, re.MULTILINE)
    name = match[1] if match else ""
    return name if name != "base" and _PLAIN_NAME.fullmatch(name) else ""


def read_pyenv_version(text: str) -> str:
    """Return the first version in a `.python-version` file; empty if it is not a plain name."""
    words = text.split()
    return words[0] if words and _PLAIN_NAME.fullmatch(words[0]) else ""


def _shorten_digest(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).decode()[:8]
