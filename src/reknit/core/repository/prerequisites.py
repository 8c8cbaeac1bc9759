"""Finds what a project's tests need and this machine lacks, with the command that gets it, before any run."""

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

MissingKind = Literal["program", "packages", "python", "submodule"]

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
    """One missing prerequisite, and the command that gets it."""

    kind: MissingKind
    problem: str
    """A sentence without a full stop."""
    command: str
    """Command to type in the repository's root; for a program: its name to install."""


@dataclass(frozen=True)
class Machine:
    """Facts about this machine that matter for one project."""

    programs: Collection[str]
    has_node_modules: bool = True
    """True if node_modules is in the project's folder or above, or the project needs none."""
    python: str = ""
    """The interpreter its tests would run with; empty: none."""
    environment: str = ""
    """Folder of the environment with the interpreter; empty: it is the system's own."""
    has_pytest: bool = True
    absent_submodules: Sequence[str] = ()
    hides_source: bool = False
    """The environment has a compiled copy of the project, and tests would import that."""


def list_runner_programs(runner: str, folder: str, tracked: Collection[str]) -> tuple[str, ...]:
    """Return the programs to install. A wrapper script in the project replaces an installed program."""
    return tuple(
        name
        for name in _PROGRAMS.get(runner, ())
        if name not in _WRAPPERS or _find_nearest((_WRAPPERS[name],), folder, tracked) is None
    )


def find_missing(runner: str, folder: str, tracked: Collection[str], machine: Machine) -> tuple[Missing, ...]:
    """Return missing prerequisites in the order to fix them: packages need their program first."""
    missing = [
        _missing_program(name) for name in list_runner_programs(runner, folder, tracked) if name not in machine.programs
    ]
    if machine.absent_submodules:
        missing.append(_missing_submodules(machine.absent_submodules))
    if not machine.has_node_modules:
        missing.append(
            Missing(
                "packages", "node_modules is missing", _find_lock_command(_NODE_LOCKS, "npm install", folder, tracked)
            )
        )
    if runner in ("pytest", "unittest") and not machine.python:
        missing.append(Missing("python", "python3 is not installed", "install Python 3, or put it on PATH"))
    elif runner == "pytest" and not machine.has_pytest:
        no_pytest = f"pytest is not installed in {machine.environment}"
        problem = no_pytest if machine.environment else "this project has no Python environment with pytest"
        missing.append(Missing("python", problem, _find_install_command(folder, tracked, machine)))
    if machine.hides_source:
        problem = (
            f"{machine.environment or machine.python} has a compiled copy of this project, and tests would import that"
        )
        missing.append(
            Missing("python", problem, _prefix_folder(folder, f"{shlex.quote(machine.python)} -m pip install -e ."))
        )
    return tuple(missing)


def _missing_program(name: str) -> Missing:
    package = _PACKAGED_WITH.get(name, name)
    return Missing("program", f"{name} is not installed", f"install {package}, or put {name} on PATH")


def _missing_submodules(absent: Sequence[str]) -> Missing:
    names = ", ".join(absent[:_SHOWN]) + (f" and {len(absent) - _SHOWN} more" if len(absent) > _SHOWN else "")
    subject = f"the submodule {names} is" if len(absent) == 1 else f"the submodules {names} are"
    return Missing("submodule", f"{subject} not checked out", "git submodule update --init --recursive")


def _find_install_command(folder: str, tracked: Collection[str], machine: Machine) -> str:
    """Return the command of the project's own tool, or pip in its environment or in a new one."""
    if by_tool := _find_lock_command(_PYTHON_LOCKS, "", folder, tracked):
        return by_tool
    requirement_files = [name for name in _REQUIREMENTS if (f"{folder}/{name}" if folder else name) in tracked]
    packages = " ".join([*(f"-r {name}" for name in requirement_files[:1]), "pytest"])
    if machine.environment:
        return _prefix_folder(
            folder if requirement_files else "", f"{shlex.quote(machine.python)} -m pip install {packages}"
        )
    return _prefix_folder(folder, f"python3 -m venv .venv && .venv/bin/pip install {packages}")


def _find_lock_command(locks: dict[str, str], default: str, folder: str, tracked: Collection[str]) -> str:
    """Return the command for the nearest lock file, in that file's folder."""
    nearest = _find_nearest(tuple(locks), folder, tracked)
    if nearest is None:
        return _prefix_folder(folder, default) if default else ""
    place, _, name = nearest.rpartition("/")
    return _prefix_folder(place, locks[name])


def _prefix_folder(folder: str, command: str) -> str:
    return f"cd {shlex.quote(folder)} && {command}" if folder else command


def _find_nearest(names: Sequence[str], folder: str, tracked: Collection[str]) -> str | None:
    """Return the first of these files in the folder, or else in the nearest folder above it."""
    parts = folder.split("/") if folder else []
    for count in range(len(parts), -1, -1):
        below = "".join(f"{part}/" for part in parts[:count])
        for name in names:
            if below + name in tracked:
                return below + name
    return None


_NEEDED = {
    "Cargo.toml": ("cargo",),
    "build.gradle": ("gradle", "java"),
    "build.gradle.kts": ("gradle", "java"),
    "go.mod": ("go",),
    "package.json": ("node", "npx"),
    "pom.xml": ("mvn", "java"),
}
MANIFESTS = tuple(_NEEDED)


def list_toolchain_programs(names: Collection[str]) -> tuple[str, ...]:
    """Return the programs that these manifests imply: tests may start them from a script."""
    return tuple(dict.fromkeys(program for name in MANIFESTS if name in names for program in _NEEDED[name]))
