"""What the results of tests depend on beside the tree: programs, packages, and what else the box shows."""

import hashlib
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from reknit import __version__
from reknit.adapters.process import find_program
from reknit.core.runs.spec import RunSpec

DEEPEST = 3
"""Levels below a carried or shown folder: `.venv/lib/python3.12/site-packages` changes with each package."""
MOST_PLACES = 5_000
"""If there are more, nothing is known."""
_LEVELS = {"node_modules": 1}
"""A package that is replaced is another folder."""
_PROGRAMS = ("python", "python3", "node", "go", "cargo", "java", "ruby", "php")
"""What a `make test` may start."""
_PACKAGES = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/node_modules")
_VARIABLES = (
    "PATH", "JAVA_HOME", "GOPATH", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "GRADLE_USER_HOME",
    "PLAYWRIGHT_BROWSERS_PATH", "PUPPETEER_CACHE_DIR",
)  # fmt: skip
"""Of the user, and known to a box: they say where programs and packages are."""


def environment_identity(spec: RunSpec) -> str:
    """Differs as soon as a package was installed or a program replaced; empty if that cannot be told."""
    if spec.setups:
        return ""  # what a set-up installs is not among the carried files
    facts = [f"{__version__} {' '.join(os.uname())} {' '.join(platform.libc_ver())} {spec.box}"]
    facts += [f"{name}={os.environ.get(name, '')}" for name in _VARIABLES]
    try:
        for place in _places(spec):
            facts.append(_of_file(place))
            if len(facts) > MOST_PLACES:
                return ""
    except OSError:  # a folder that cannot be read: the box shows it nevertheless
        return ""
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def _places(spec: RunSpec) -> Iterator[Path]:
    search = _path(spec)
    prefixes = {Path.home() / ".local"}
    for program in (*(project.argv[0] for project in spec.projects), *_PROGRAMS):
        found = Path(find_program(program, search) or program)
        yield found
        prefixes |= {path.parent.parent for path in (found, Path(os.path.realpath(found))) if path.parent.name == "bin"}
    for prefix in sorted(prefixes):
        for pattern in _PACKAGES:
            yield from sorted(prefix.glob(pattern))
    for entry in sorted((*spec.workspace.carry, *spec.workspace.show)):  # what is shown has an absolute path
        yield from _below(Path(spec.repository, entry), _LEVELS.get(Path(entry).name, DEEPEST))


def _path(spec: RunSpec) -> str:
    own = [str(Path(spec.repository, folder, "bin")) for folder in (".venv", "venv", "node_modules/.bin")]
    return os.pathsep.join([*own, os.environ.get("PATH", os.defpath)])


def _below(place: Path, levels: int) -> Iterator[Path]:
    yield place
    if levels and place.is_dir() and not place.is_symlink():
        for entry in sorted(os.scandir(place), key=lambda found: found.name):
            yield from _below(Path(entry.path), levels - 1)


def _of_file(place: Path) -> str:
    real = os.path.realpath(place)
    try:
        found = Path(real).stat()
    except FileNotFoundError:
        return f"{place} missing"
    return f"{place} {real} {found.st_size} {found.st_mtime_ns}"
