"""What the results of tests depend on beside the tree: programs, and what the repository ignores and the box shows."""

import hashlib
import os
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

from reknit.core.runs.spec import RunSpec

DEEPEST = 3
"""Folders below a carried one: `.venv/lib/python3.12/site-packages` changes with each package."""
MOST_PLACES = 5_000
"""If there are more, nothing is known."""


def environment_identity(spec: RunSpec) -> str:
    """Differs as soon as a package was installed or a program replaced; empty if that cannot be told."""
    if spec.setups:
        return ""  # what a set-up installs is not among the carried files
    places = [f"{platform.node()} {platform.platform()} {spec.box}"]
    for project in spec.projects:
        program = shutil.which(project.argv[0], path=_path(spec)) or project.argv[0]
        places.append(_of_file(Path(program)))
    for entry in sorted(spec.workspace.carry):
        for place in _below(Path(spec.repository, entry), DEEPEST):
            places.append(_of_file(place))
            if len(places) > MOST_PLACES:
                return ""
    return hashlib.sha256("\n".join(places).encode("utf-8", "surrogateescape")).hexdigest()


def _path(spec: RunSpec) -> str:
    own = [str(Path(spec.repository, folder, "bin")) for folder in (".venv", "venv", "node_modules/.bin")]
    return os.pathsep.join([*own, os.environ.get("PATH", os.defpath)])


def _below(place: Path, levels: int) -> Iterator[Path]:
    yield place
    if levels and place.is_dir() and not place.is_symlink():
        for entry in sorted(os.scandir(place), key=lambda found: found.name):
            if entry.is_dir(follow_symlinks=False):
                yield from _below(Path(entry.path), levels - 1)


def _of_file(place: Path) -> str:
    try:
        real = place.resolve()
        found = real.stat()
    except OSError:
        return f"{place} missing"
    return f"{place} {real} {found.st_size} {found.st_mtime_ns}"
