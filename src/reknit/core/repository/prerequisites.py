"""What a project's tests need and this machine does not have, and the command that gets it; decided before any run."""

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["program", "packages", "python", "submodule"]

_PROGRAMS = {
    "cargo": ("cargo",),
    "go": ("go",),
    "gradle": ("gradle", "java"),
    "jest": ("npx",),
    "make": ("make",),
    "maven": ("mvn", "java"),
    "mocha": ("npx",),
    "node": ("node",),
    "npm": ("npm",),
    "playwright": ("npx",),
    "vitest": ("npx",),
}
_WRAPPERS = {"gradle": "gradlew", "mvn": "mvnw"}
_NODE = dict.fromkeys(("node", "npm", "npx"), "Node.js")
_PACKAGED_WITH = {**_NODE, "java": "a JDK", "mvn": "Maven", "go": "Go", "cargo": "Rust"}
_NODE_LOCKS = {
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "yarn.lock": "yarn install",
    "bun.lock": "bun install",
    "bun.lockb": "bun install",
    "package-lock.json": "npm ci",
    "npm-shrinkwrap.json": "npm ci",
}
_PYTHON_LOCKS = {
    "uv.lock": "uv sync",
    "poetry.lock": "poetry install",
    "pdm.lock": "pdm install",
    "Pipfile.lock": "pipenv install --dev",
    "Pipfile": "pipenv install --dev",
    "environment.yml": "conda env create -f environment.yml",
}
_REQUIREMENTS = ("requirements-dev.txt", "dev-requirements.txt", "requirements.txt")
_SHOWN = 3


@dataclass(frozen=True)
class Missing:
    kind: Kind
    what: str
    """A sentence without a full stop."""
    command: str
    """What to type in the repository's root; for a program: what to install."""


@dataclass(frozen=True)
class Machine:
    """What was found on this machine for one project."""

    programs: Collection[str]
    has_node_modules: bool = True
    """In the project's folder or above; or the project needs none."""
    python: str = ""
    """The interpreter its tests would run with; empty: none."""
    environment: str = ""
    """Where it was found; empty: it is the system's own."""
    has_pytest: bool = True
    absent_submodules: Sequence[str] = ()
    hides_source: bool = False
    """The environment has a compiled copy of the project, and tests would import that."""


def programs_of(runner: str, folder: str, tracked: Collection[str]) -> tuple[str, ...]:
    """What must be installed; a wrapper script in the project needs no installed program."""
    return tuple(
        name
        for name in _PROGRAMS.get(runner, ())
        if name not in _WRAPPERS or _nearest((_WRAPPERS[name],), folder, tracked) is None
    )


def what_is_missing(runner: str, folder: str, tracked: Collection[str], machine: Machine) -> tuple[Missing, ...]:
    """In the order in which to fix it: packages cannot be installed without the program that does it."""
    found = [_program(name) for name in programs_of(runner, folder, tracked) if name not in machine.programs]
    if machine.absent_submodules:
        found.append(_submodules(machine.absent_submodules))
    if not machine.has_node_modules:
        found.append(
            Missing("packages", "node_modules is missing", _typed(_NODE_LOCKS, "npm install", folder, tracked))
        )
    if runner in ("pytest", "unittest") and not machine.python:
        found.append(Missing("python", "python3 is not installed", "install Python 3, or put it on PATH"))
    elif runner == "pytest" and not machine.has_pytest:
        where = f"pytest is not installed in {machine.environment}"
        what = where if machine.environment else "this project has no Python environment with pytest"
        found.append(Missing("python", what, _pip(folder, tracked, machine)))
    if machine.hides_source:
        what = (
            f"{machine.environment or machine.python} has a compiled copy of this project, and tests would import that"
        )
        found.append(Missing("python", what, _in_folder(folder, f"{shlex.quote(machine.python)} -m pip install -e .")))
    return tuple(found)


def _program(name: str) -> Missing:
    package = _PACKAGED_WITH.get(name, name)
    return Missing("program", f"{name} is not installed", f"install {package}, or put {name} on PATH")


def _submodules(absent: Sequence[str]) -> Missing:
    named = ", ".join(absent[:_SHOWN]) + (f" and {len(absent) - _SHOWN} more" if len(absent) > _SHOWN else "")
    which = f"the submodule {named} is" if len(absent) == 1 else f"the submodules {named} are"
    return Missing("submodule", f"{which} not checked out", "git submodule update --init --recursive")


def _pip(folder: str, tracked: Collection[str], machine: Machine) -> str:
    """The project's own tool, or pip: in its environment, or in a new one, since a system's Python may refuse it."""
    if by_tool := _typed(_PYTHON_LOCKS, "", folder, tracked):
        return by_tool
    listed = [name for name in _REQUIREMENTS if (f"{folder}/{name}" if folder else name) in tracked]
    packages = " ".join([*(f"-r {name}" for name in listed[:1]), "pytest"])
    if machine.environment:
        return _in_folder(folder if listed else "", f"{shlex.quote(machine.python)} -m pip install {packages}")
    return _in_folder(folder, f"python3 -m venv .venv && .venv/bin/pip install {packages}")


def _typed(locks: dict[str, str], default: str, folder: str, tracked: Collection[str]) -> str:
    """The command for the nearest lock file, in that file's folder."""
    nearest = _nearest(tuple(locks), folder, tracked)
    if nearest is None:
        return _in_folder(folder, default) if default else ""
    place, _, name = nearest.rpartition("/")
    return _in_folder(place, locks[name])


def _in_folder(folder: str, command: str) -> str:
    return f"cd {shlex.quote(folder)} && {command}" if folder else command


def _nearest(names: Sequence[str], folder: str, tracked: Collection[str]) -> str | None:
    """The first of these files in the folder, or else in the nearest folder above it."""
    parts = folder.split("/") if folder else []
    for count in range(len(parts), -1, -1):
        below = "".join(f"{part}/" for part in parts[:count])
        for name in names:
            if below + name in tracked:
                return below + name
    return None
