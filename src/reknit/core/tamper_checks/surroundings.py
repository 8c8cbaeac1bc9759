"""Files beside the targets that the checks need to read: what tests share, and how the project is built."""

import posixpath
from collections.abc import Iterable, Sequence

MOST_FILES = 80
_SCRIPTS = ("js", "ts", "mjs", "mts", "cjs", "cts", "json")
_NAMES = frozenset(
    {
        "conftest.py",
        "pyproject.toml",
        "pytest.ini",
        "tox.ini",
        "setup.cfg",
        "go.mod",
        "Cargo.toml",
        "package.json",
        "tsconfig.json",
        "pom.xml",
        *(f"{tool}.config.{end}" for tool in ("vitest", "vite", "jest") for end in _SCRIPTS),
        *(f".mocharc.{end}" for end in ("cjs", "js", "json", "jsonc", "yaml", "yml")),
    }
)


def surroundings(files: Iterable[str], tracked: Sequence[str]) -> tuple[str, ...]:
    """The files themselves, and those of these names in their folder and above it."""
    asked = tuple(dict.fromkeys(files))
    folders = {folder for file in asked for folder in _upwards(posixpath.dirname(file))}
    found = (path for path in tracked if posixpath.basename(path) in _NAMES and posixpath.dirname(path) in folders)
    return tuple(dict.fromkeys((*asked, *found)))[:MOST_FILES]


def _upwards(folder: str) -> Iterable[str]:
    yield folder
    while folder:
        folder = posixpath.dirname(folder)
        yield folder
