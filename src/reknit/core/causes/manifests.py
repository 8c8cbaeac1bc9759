"""Reads the manifests of a repository: declared packages, versions, scripts, submodules."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reknit.core.repository.manifest_text import get_table, normalize_package_name, read_json, read_toml

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
    """Return True if the file declares packages, or sets up the tests."""
    folder, name = posixpath.split(path)
    if name in (*PYTHON_MANIFESTS, *_ALSO, *_SET_UP) or _WORD_LISTS.fullmatch(name):
        return True
    return posixpath.basename(folder) in _REQUIREMENT_FOLDERS and name.endswith((".txt", ".in"))


def find_python_packages(texts: Mapping[str, str]) -> frozenset[str]:
    """Return the normalised name of every package that a manifest requires."""
    return frozenset(
        normalize_package_name(name)
        for path, text in texts.items()
        for name in _list_packages(posixpath.basename(path), text)
    )


def _list_packages(name: str, text: str) -> Iterator[str]:
    if name == "pyproject.toml":
        yield from _list_pyproject_packages(read_toml(text))
    elif name in ("setup.py", "noxfile.py"):
        yield from _QUOTED.findall(text)
    elif name.endswith((".txt", ".in", ".yml", ".yaml", ".cfg", ".ini")) or name == "Pipfile":
        yield from _LINE_NAME.findall(text)


def _list_pyproject_packages(data: Mapping[str, Any]) -> Iterator[str]:
    project, tool = get_table(data, "project"), get_table(data, "tool")
    lists = [project.get("dependencies"), get_table(data, "build-system").get("requires")]
    lists += [*get_table(project, "optional-dependencies").values(), *get_table(data, "dependency-groups").values()]
    lists += [*get_table(tool, "pdm", "dev-dependencies").values(), get_table(tool, "uv").get("dev-dependencies")]
    lists += [get_table(environment).get("dependencies") for environment in get_table(tool, "hatch", "envs").values()]
    for requirements in lists:
        yield from (
            match[0]
            for item in (requirements if isinstance(requirements, list) else ())
            if (match := _NAME.match(str(item)))
        )
    poetry = get_table(tool, "poetry")
    groups = [get_table(get_table(group), "dependencies") for group in get_table(poetry, "group").values()]
    for package_table in (get_table(poetry, "dependencies"), get_table(poetry, "dev-dependencies"), *groups):
        yield from package_table


def find_least_python(texts: Mapping[str, str]) -> tuple[int, int]:
    """Return the oldest Python that the project allows; (0, 0) if no manifest names one."""
    for path, text in texts.items():
        requirement = ""
        if path.endswith("pyproject.toml"):
            data = read_toml(text)
            requirement = str(get_table(data, "project").get("requires-python") or "")
            requirement = requirement or str(get_table(data, "tool", "poetry", "dependencies").get("python") or "")
        elif path.endswith(("setup.py", "setup.cfg")) and (match := _REQUIRES.search(text)):
            requirement = match[1]
        if version := _AT_LEAST.search(requirement):
            major, minor = (number for number in version.groups() if number is not None)
            return int(major), int(minor)
    return 0, 0


def is_installable(name: str, text: str) -> bool:
    """Return True if the manifest describes a package that pip can install."""
    if name == "pyproject.toml":
        data = read_toml(text)
        return bool({"project", "build-system"} & data.keys() or "poetry" in get_table(data, "tool"))
    return name == "setup.py" or (name == "setup.cfg" and "[metadata]" in text)


def find_python_scripts(texts: Mapping[str, str]) -> frozenset[str]:
    """Return the commands that an installation of the project creates."""
    scripts: set[str] = set()
    for path, text in texts.items():
        if path.endswith("pyproject.toml"):
            data = read_toml(text)
            scripts.update(get_table(data, "project", "scripts"))
            scripts.update(get_table(data, "tool", "poetry", "scripts"))
    return frozenset(scripts)


def find_node_packages(texts: Mapping[str, str]) -> frozenset[str]:
    """Return the name of every npm package that a package.json requires."""
    kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    return frozenset(name for data in _read_package_files(texts) for kind in kinds for name in get_table(data, kind))


def find_node_names(texts: Mapping[str, str]) -> frozenset[str]:
    """Return the names of the npm packages in this repository."""
    return frozenset(str(data["name"]) for data in _read_package_files(texts) if data.get("name"))


def find_submodules(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths of the Git submodules."""
    return tuple(path.strip('"').rstrip("/") for path in _SUBMODULE.findall(texts.get(".gitmodules", "")))


def _read_package_files(texts: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    return (read_json(text) for path, text in texts.items() if posixpath.basename(path) == "package.json")
