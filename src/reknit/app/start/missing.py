"""Looks for what a project's tests need before anything runs, so that its absence is reported at once."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.process import find_program
from reknit.app.start.pythons.environment import SYSTEM, python_of
from reknit.app.start.pythons.installed import text_of
from reknit.app.start.pythons.own_copy import own_copy
from reknit.core.repository.prerequisites import Machine, Missing, programs_of, what_is_missing
from reknit.core.services.known_servers import KNOWN, install_command
from reknit.core.services.postgres import PROGRAMS_OUTSIDE_PATH
from reknit.core.services.service import Service, program_of

_NODE_RUNNERS = ("jest", "mocha", "node", "npm", "playwright", "vitest")
_WITHOUT_PACKAGES = ("node", "npm")
"""Runners that need no package themselves."""
_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def missing(
    repository: UserRepository, folder: str, runner: str, tracked: Sequence[str], environment: Mapping[str, str]
) -> tuple[Missing, ...]:
    """`folder`: the project, below the repository's root. `runner`: as in `TestCommand`. Reads files only."""
    root, known = Path(repository.root), frozenset(tracked)
    path = environment.get("PATH", "")
    found = {
        name for name in programs_of(runner, folder, known) if find_program(name, path) or _java(name, environment)
    }
    python = python_of(root, folder, environment) if runner in ("pytest", "unittest") else None
    machine = Machine(
        programs=found,
        has_node_modules=runner not in _NODE_RUNNERS or _has_packages(root, folder, runner),
        python=python.path if python else "",
        environment=python.origin if python and python.origin != SYSTEM else "",
        has_pytest=python is None or python.has_pytest,
        hides_source=python is not None and own_copy(python.path, root / folder, tracked, folder) == "compiled",
        absent_submodules=_absent_submodules(repository) if ".gitmodules" in known else (),
    )
    return what_is_missing(runner, folder, known, machine)


def _absent_submodules(repository: UserRepository) -> tuple[str, ...]:
    from reknit.adapters.git import submodules  # late: few repositories have any

    return submodules.absent(repository.root, repository.head())


def missing_servers(services: Sequence[Service], environment: Mapping[str, str]) -> tuple[Missing, ...]:
    """Well-known servers that are not installed; whether another program is there, the box says."""
    path = environment.get("PATH", "")
    programs = dict.fromkeys(program_of(service.run) for service in services)
    return tuple(
        Missing("program", f"{name} is not installed, and a service needs it", install_command(name))
        for name in programs
        if name in KNOWN and not find_program(name, path) and not _is_outside_path(name)
    )


def _is_outside_path(server: str) -> bool:
    return any(file for pattern in PROGRAMS_OUTSIDE_PATH for file in Path("/").glob(f"{pattern[1:]}/{server}"))


def _java(name: str, environment: Mapping[str, str]) -> bool:
    home = environment.get("JAVA_HOME", "")
    return name == "java" and bool(home) and Path(home, "bin", "java").is_file()


def _has_packages(root: Path, folder: str, runner: str) -> bool:
    """They are installed in the project's folder or above it, with Yarn in `.pnp.cjs`; or the project needs none."""
    place = root / folder
    folders = [place, *(parent for parent in place.parents if parent.is_relative_to(root))]
    if any((one / name).exists() for one in folders for name in ("node_modules", ".pnp.cjs", ".pnp.js")):
        return True
    return runner in _WITHOUT_PACKAGES and not any(_has_dependencies(one / "package.json") for one in folders)


def _has_dependencies(file: Path) -> bool:
    try:
        manifest = json.loads(text_of(file) or "{}")
    except (ValueError, RecursionError):
        return False  # npm will say what is wrong with it
    return isinstance(manifest, dict) and any(manifest.get(kind) for kind in _DEPENDENCIES)
