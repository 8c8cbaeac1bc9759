"""What a repository's manifests declare: packages, versions, scripts, submodules."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reknit.core.repository.manifest_text import normalized, read_json, read_toml, table

PYTHON_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "tox.ini", "noxfile.py")
_WORD_LISTS = re.compile(r"(?:requirements|constraints|dev-requirements)[\w.-]*\.(?:txt|in)|environment[\w.-]*\.ya?ml")
_REQUIREMENT_FOLDERS = frozenset({"requirements", "reqs", "deps"})
_ALSO = (
    "package.json",
    ".gitmodules",
    "go.mod",
    "Cargo.toml",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yaml",
)
_SET_UP = (
    "conftest.py", "pytest.ini", ".env", ".env.test", ".env.example", "vitest.config.ts", "jest.config.js",
    "playwright.config.ts", "playwright.config.js", "playwright.config.mjs",
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
_QUOTED = re.compile(r"[\"']([A-Za-z0-9][A-Za-z0-9._-]{0,80})")
_LINE_NAME = re.compile(r"^[ \t]{0,12}(?:- {0,4})?([A-Za-z0-9][A-Za-z0-9._-]{0,80})", re.M)
_SUBMODULE = re.compile(r"^[ \t]{0,8}path[ \t]{0,4}=[ \t]{0,4}(\S{1,400})", re.M)
_AT_LEAST = re.compile(r">= ?(\d)\.(\d{1,2})|~= ?(\d)\.(\d{1,2})|\^(\d)\.(\d{1,2})")
_REQUIRES = re.compile(r"python_requires ?= ?[\"']?([^\"'\n]{1,60})")


def is_manifest(path: str) -> bool:
    """Whether its text says what must be installed, or how tests are set up."""
    folder, name = posixpath.split(path)
    if name in (*PYTHON_MANIFESTS, *_ALSO, *_SET_UP) or _WORD_LISTS.fullmatch(name):
        return True
    return posixpath.basename(folder) in _REQUIREMENT_FOLDERS and name.endswith((".txt", ".in"))


def python_packages(texts: Mapping[str, str]) -> frozenset[str]:
    """Normalised names of every package that a manifest asks for."""
    return frozenset(
        normalized(name) for path, text in texts.items() for name in _declared_in(posixpath.basename(path), text)
    )


def _declared_in(name: str, text: str) -> Iterator[str]:
    if name == "pyproject.toml":
        yield from _of_pyproject(read_toml(text))
    elif name in ("setup.py", "noxfile.py"):
        yield from _QUOTED.findall(text)
    elif name.endswith((".txt", ".in", ".yml", ".yaml", ".cfg", ".ini")) or name == "Pipfile":
        yield from _LINE_NAME.findall(text)


def _of_pyproject(data: Mapping[str, Any]) -> Iterator[str]:
    project, tool = table(data, "project"), table(data, "tool")
    lists = [project.get("dependencies"), table(data, "build-system").get("requires")]
    lists += [*table(project, "optional-dependencies").values(), *table(data, "dependency-groups").values()]
    lists += [*table(tool, "pdm", "dev-dependencies").values(), table(tool, "uv").get("dev-dependencies")]
    lists += [table(each).get("dependencies") for each in table(tool, "hatch", "envs").values()]
    for one in lists:
        yield from (found[0] for item in (one if isinstance(one, list) else ()) if (found := _NAME.match(str(item))))
    poetry = table(tool, "poetry")
    groups = [table(table(each), "dependencies") for each in table(poetry, "group").values()]
    for named in (table(poetry, "dependencies"), table(poetry, "dev-dependencies"), *groups):
        yield from named


def python_needed(texts: Mapping[str, str]) -> tuple[int, int]:
    """The oldest Python the project allows; (0, 0) if it does not say."""
    for path, text in texts.items():
        said = ""
        if path.endswith("pyproject.toml"):
            data = read_toml(text)
            said = str(table(data, "project").get("requires-python") or "")
            said = said or str(table(data, "tool", "poetry", "dependencies").get("python") or "")
        elif path.endswith(("setup.py", "setup.cfg")) and (found := _REQUIRES.search(text)):
            said = found[1]
        if least := _AT_LEAST.search(said):
            major, minor = (number for number in least.groups() if number is not None)
            return int(major), int(minor)
    return 0, 0


def is_installable(name: str, text: str) -> bool:
    if name == "pyproject.toml":
        data = read_toml(text)
        return bool({"project", "build-system"} & data.keys() or "poetry" in table(data, "tool"))
    return name == "setup.py" or (name == "setup.cfg" and "[metadata]" in text)


def python_scripts(texts: Mapping[str, str]) -> frozenset[str]:
    """Commands that installing the project would create."""
    found: set[str] = set()
    for path, text in texts.items():
        if path.endswith("pyproject.toml"):
            data = read_toml(text)
            found.update(table(data, "project", "scripts"))
            found.update(table(data, "tool", "poetry", "scripts"))
    return frozenset(found)


def node_packages(texts: Mapping[str, str]) -> frozenset[str]:
    kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    return frozenset(name for data in _package_files(texts) for kind in kinds for name in table(data, kind))


def node_names(texts: Mapping[str, str]) -> frozenset[str]:
    """Names of the packages in this repository itself."""
    return frozenset(str(data["name"]) for data in _package_files(texts) if data.get("name"))


def submodules(texts: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(path.strip('"').rstrip("/") for path in _SUBMODULE.findall(texts.get(".gitmodules", "")))


def _package_files(texts: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    return (read_json(text) for path, text in texts.items() if posixpath.basename(path) == "package.json")
