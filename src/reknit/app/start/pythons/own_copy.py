"""A copy of the project in its own environment, as tox installs it: tests import that instead of the source."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

SOURCES = "src"
"""In any other layout the tests are started beside the packages, which come before those of the environment."""
OwnCopy = Literal["none", "plain", "compiled"]
"""`compiled`: with extension modules that the source lacks, so that it cannot take the copy's place."""


def own_copy(program: str, project: Path, tracked: Sequence[str], folder: str = "") -> OwnCopy:
    """`folder`: of the project, as in `tracked`. Links, as of `flit install -s`, are no copy."""
    below = f"{folder}/{SOURCES}/" if folder else f"{SOURCES}/"
    modules = [path.removeprefix(below) for path in tracked if path.startswith(below) and path.endswith(".py")]
    for site in Path(program).parent.parent.glob("lib/python3*/site-packages"):
        copied = [path for path in modules if _is_copy(site, path)]
        if 2 * len(copied) >= len(modules) > 0:  # one path alone may be another package's
            return "compiled" if any(_uncompiled(site, project / SOURCES, copied)) else "plain"
    return "none"


def _is_copy(site: Path, path: str) -> bool:
    place = site / path
    return place.is_file() and place.resolve() == site.resolve() / path


def _uncompiled(site: Path, sources: Path, copied: Sequence[str]) -> Iterator[Path]:
    folders = {Path(path).parent for path in copied} - {Path()}
    for folder in folders:
        for built in (site / folder).glob("*.so"):
            if not (sources / folder / built.name).exists():
                yield built
