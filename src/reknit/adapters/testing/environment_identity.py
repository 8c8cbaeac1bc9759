"""Computes an identity of everything besides the tree that test results depend on, such as programs and packages."""

import hashlib
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from reknit import __version__
from reknit.adapters.process import find_program
from reknit.core.runs.spec import RunSpec

DEEPEST = 3
"""Levels that are read below a carried or shown folder, down to `.venv/lib/python3.12/site-packages`."""
MAX_PATHS = 5_000
"""Maximum number of files and folders; with more, the identity is unknown."""
_LEVELS = {"node_modules": 1}
"""Levels for special folders: a new version of a package is another folder at the top."""
_PROGRAMS = ("python", "python3", "node", "go", "cargo", "java", "ruby", "php")
"""Programs that a `make test` may start."""
_PACKAGES = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/node_modules")
_VARIABLES = (
    "PATH", "JAVA_HOME", "GOPATH", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "GRADLE_USER_HOME",
    "PLAYWRIGHT_BROWSERS_PATH", "PUPPETEER_CACHE_DIR",
)  # fmt: skip
"""Variables of the user that name the places of programs and packages in a box."""


def identify_environment(spec: RunSpec) -> str:
    """Return an identity that changes when packages or programs change; empty if that cannot be known."""
    if spec.setups.commands:
        return ""  # what a set-up installs is not among the carried files
    facts = [f"{__version__} {' '.join(os.uname())} {' '.join(platform.libc_ver())} {spec.box}"]
    facts += [f"{name}={os.environ.get(name, '')}" for name in _VARIABLES]
    try:
        for place in _list_places(spec):
            facts.append(_describe_file(place))
            if len(facts) > MAX_PATHS:
                return ""
    except OSError:  # the box shows this folder although we cannot read it
        return ""
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def _list_places(spec: RunSpec) -> Iterator[Path]:
    search = _search_path(spec)
    prefixes = {Path.home() / ".local"}
    for program in (*(project.argv[0] for project in spec.projects), *_PROGRAMS):
        program_path = Path(find_program(program, search) or program)
        yield program_path
        prefixes |= {
            path.parent.parent
            for path in (program_path, Path(os.path.realpath(program_path)))
            if path.parent.name == "bin"
        }
    for prefix in sorted(prefixes):
        for pattern in _PACKAGES:
            yield from sorted(prefix.glob(pattern))
    for entry in sorted((*spec.workspace.carry, *spec.workspace.show)):  # what is shown has an absolute path
        yield from _walk(Path(spec.repository, entry), _LEVELS.get(Path(entry).name, DEEPEST))


def _search_path(spec: RunSpec) -> str:
    own = [str(Path(spec.repository, folder, "bin")) for folder in (".venv", "venv", "node_modules/.bin")]
    return os.pathsep.join([*own, os.environ.get("PATH", os.defpath)])


def _walk(place: Path, levels: int) -> Iterator[Path]:
    yield place
    if levels and place.is_dir() and not place.is_symlink():
        for entry in sorted(os.scandir(place), key=lambda entry: entry.name):
            yield from _walk(Path(entry.path), levels - 1)


def _describe_file(place: Path) -> str:
    real = os.path.realpath(place)
    try:
        facts = Path(real).stat()
    except FileNotFoundError:
        return f"{place} missing"
    return f"{place} {real} {facts.st_size} {facts.st_mtime_ns}"
