"""Finds missing prerequisites of a project's tests before anything runs, so that they are reported at once."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from reknit.adapters.files.regular_files import read_text_if_any
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.process import find_program
from reknit.app.start.pythons.environment import SYSTEM, find_python
from reknit.app.start.pythons.installed import find_own_copy
from reknit.core.repository.prerequisites import Machine, Missing, find_missing, list_runner_programs
from reknit.core.services.known_servers import KNOWN, PROGRAMS_OUTSIDE_PATH, to_install_command
from reknit.core.services.service import Service, parse_program

_NODE_RUNNERS = ("jest", "mocha", "node", "npm", "playwright", "vitest")
_WITHOUT_PACKAGES = ("node", "npm")
"""Runners that need no package themselves."""
_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def check_prerequisites(
    repository: UserRepository, folder: str, runner: str, tracked: Sequence[str], environment: Mapping[str, str]
) -> tuple[Missing, ...]:
    """Return the missing programs, packages and submodules. Reads files only.

    `folder`: the project, below the repository's root. `runner`: the runner of its `TestCommand`.
    """
    root, tracked_paths = Path(repository.root), frozenset(tracked)
    path = environment.get("PATH", "")
    programs = {
        name
        for name in list_runner_programs(runner, folder, tracked_paths)
        if find_program(name, path) or _has_java(name, environment)
    }
    python = find_python(root, folder, environment) if runner in ("pytest", "unittest") else None
    machine = Machine(
        programs=programs,
        has_node_modules=runner not in _NODE_RUNNERS or _has_packages(root, folder, runner),
        python=python.path if python else "",
        environment=python.origin if python and python.origin != SYSTEM else "",
        has_pytest=python is None or python.has_pytest,
        hides_source=python is not None and find_own_copy(python.path, root / folder, tracked, folder) == "compiled",
        absent_submodules=_find_absent_submodules(repository) if ".gitmodules" in tracked_paths else (),
    )
    return find_missing(runner, folder, tracked_paths, machine)


def _find_absent_submodules(repository: UserRepository) -> tuple[str, ...]:
    from reknit.adapters.git import submodules  # late: few repositories have any

    return submodules.list_absent(repository.root, repository.head())


def find_missing_servers(services: Sequence[Service], environment: Mapping[str, str]) -> tuple[Missing, ...]:
    """Return well-known servers that are not installed. The box itself reports other missing programs."""
    path = environment.get("PATH", "")
    programs = dict.fromkeys(parse_program(service.run) for service in services)
    return tuple(
        Missing("program", f"{name} is not installed, and a service needs it", to_install_command(name))
        for name in programs
        if name in KNOWN and not find_program(name, path) and not _is_outside_path(name)
    )


def _is_outside_path(server: str) -> bool:
    return any(file for pattern in PROGRAMS_OUTSIDE_PATH for file in Path("/").glob(f"{pattern[1:]}/{server}"))


def _has_java(name: str, environment: Mapping[str, str]) -> bool:
    home = environment.get("JAVA_HOME", "")
    return name == "java" and bool(home) and Path(home, "bin", "java").is_file()


def _has_packages(root: Path, folder: str, runner: str) -> bool:
    """Return True if packages are installed, or the project needs none.

    They are in the project's folder or above it, with Yarn in `.pnp.cjs`.
    """
    place = root / folder
    folders = [place, *(parent for parent in place.parents if parent.is_relative_to(root))]
    if any((one / name).exists() for one in folders for name in ("node_modules", ".pnp.cjs", ".pnp.js")):
        return True
    return runner in _WITHOUT_PACKAGES and not any(_has_dependencies(one / "package.json") for one in folders)


def _has_dependencies(file: Path) -> bool:
    try:
        manifest = json.loads(read_text_if_any(file) or "{}")
    except (ValueError, RecursionError):
        return False  # npm will say what is wrong with it
    return isinstance(manifest, dict) and any(manifest.get(kind) for kind in _DEPENDENCIES)
