"""The names that poetry, pdm, pipenv, hatch and conda give to a project's virtual environment."""

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from reknit.core.repository.manifest_text import normalized, read_toml, table

_NAME_CHARS = 42
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


def poetry_name(pyproject: str, folder: str) -> str:
    """Without the ending `-py3.X`; empty if poetry is not used. `folder`: where pyproject.toml is, links resolved."""
    tables = read_toml(pyproject)
    poetry = table(tables, "tool", "poetry")
    if not poetry and "poetry" not in _text(table(tables, "build-system"), "build-backend"):
        return ""
    name = _text(table(tables, "project"), "name") or _text(poetry, "name") or "non-package-mode"
    plain = re.sub(r'[ $`!*@"\\\r\n\t]', "_", normalized(name))[:_NAME_CHARS]
    return f"{plain}-{_short(hashlib.sha256(folder.encode()).digest())}"


def pipenv_name(pipfile: str) -> str:
    """`pipfile`: its path."""
    plain = re.sub(r'[ &$`!*@"()\[\]\\\r\n\t]', "_", pipfile.rsplit("/", 2)[-2])[:_NAME_CHARS]
    return f"{plain}-{_short(hashlib.sha256(pipfile.encode()).digest()[:6])}"


def pdm_prefix(folder: str) -> str:
    """What the names of a project's environments in pdm's own folder begin with."""
    digest = hashlib.md5(folder.encode(), usedforsecurity=False).digest()
    return f"{folder.rsplit('/', 1)[-1]}-{_short(digest)}-"


def hatch_place(pyproject: str, folder: str) -> str:
    """Relative to hatch's folder of virtual environments; each folder in it is one environment."""
    tables = read_toml(pyproject)
    is_hatch = table(tables, "tool", "hatch") or "hatchling" in _text(table(tables, "build-system"), "build-backend")
    name = _text(table(tables, "project"), "name")
    if not is_hatch or not _PLAIN_NAME.fullmatch(name):
        return ""
    return f"{normalized(name)}/{_short(hashlib.sha256(folder.encode()).digest())}"


def conda_name(environment_file: str) -> str:
    """The environment that `environment.yml` names; empty if it names none, or `base`, which belongs to no project."""
    found = re.search(r"^name:[ \t]*[\"']?([A-Za-z0-9._-]{1,100})[\"']?[ \t]*(?:#.*)?$", environment_file, re.MULTILINE)
    name = found[1] if found else ""
    return name if name != "base" and _PLAIN_NAME.fullmatch(name) else ""


def pyenv_version(text: str) -> str:
    """The first version that a `.python-version` file names; empty if it is not a plain name."""
    words = text.split()
    return words[0] if words and _PLAIN_NAME.fullmatch(words[0]) else ""


def _short(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).decode()[:8]


def _text(values: Mapping[str, Any], name: str) -> str:
    found = values.get(name)
    return found if isinstance(found, str) else ""
