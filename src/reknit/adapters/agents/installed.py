"""Finds an installed agent CLI and its version, and hides files in the work tree from it."""

import contextlib
import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.files.folders import discard, temporary_folder
from reknit.adapters.files.regular_files import open_plain, read_plain
from reknit.core.errors import ToolMissingError, UsageError

_NODE = "node"
_PACKAGES = "/node_modules/"
_LARGEST_PROGRAM = 2_000_000_000
_VERSION_S = 30.0


@dataclass(frozen=True)
class InstalledCli:
    """An agent's CLI on this machine: its command line, and the files that a box must show."""

    argv: tuple[str, ...]
    show: tuple[str, ...]
    """Host paths, shown read-only at the same path."""
    programs: tuple[str, ...] = ()
    """Programs that the CLI needs, shown with their toolchain."""


def find_cli(name: str, path: str, *, title: str) -> InstalledCli:
    """Find the CLI by name on `path`, or by its own path.

    Return the real file: a link on PATH points outside what a box shows.
    """
    program = process.find_program(name, path)
    if not program:
        raise ToolMissingError("tool-missing", f"{name!r} is not on PATH: install {title} or set the agent's binary")
    real = os.path.realpath(program)
    root, packages, _ = real.partition(_PACKAGES)
    if not packages or not _is_script(real):
        return InstalledCli((real,), (real,))
    node = process.find_program(_NODE, path)
    if not node:
        raise ToolMissingError("tool-missing", f"{name!r} needs node, which is not on PATH")
    return InstalledCli((node, real), (f"{root}/node_modules",), (node,))


def _is_script(file: str) -> bool:
    with open_plain(file, most_bytes=_LARGEST_PROGRAM) as opened:
        return opened.read(2) == b"#!"


def _read_package_version(program: Path) -> str:
    for folder in program.parents:
        if _PACKAGES.strip("/") not in folder.parts:
            return ""
        with contextlib.suppress(UsageError, OSError, ValueError, TypeError, KeyError):
            return str(json.loads(read_plain(folder / "package.json"))["version"])
    return ""


def read_version(installed: InstalledCli) -> str:
    """Return the version of the CLI, or raise a ReknitError if it does not start.

    Read it from package.json if there is one: a node program takes seconds to print it. Otherwise run the CLI in an
    empty HOME, without the user's environment.
    """
    if packaged := _read_package_version(Path(installed.argv[-1])):
        return packaged
    with temporary_folder("reknit-") as home:
        env = {"HOME": home, "TMPDIR": home, "PATH": "/usr/bin:/bin", "DISABLE_AUTOUPDATER": "1", "NO_COLOR": "1"}
        result = process.run([*installed.argv, "--version"], env=env, cwd=home, timeout_s=_VERSION_S)
    number = re.search(rb"\d{1,9}\.\d{1,9}\.\d{1,9}", result.stdout)
    return number[0].decode() if number else ""


_GIT = ".git"
"""Folder that is not searched: its files are named after branches, which may have any name."""


def find_entries(tree: str, names: Collection[str]) -> Iterator[str]:
    """Yield the paths of the entries with these names, at any depth of the tree."""
    if not names:
        return
    for folder, folders, files in os.walk(tree):
        yield from (os.path.relpath(Path(folder, name), tree) for name in (*folders, *files) if name in names)
        folders[:] = [name for name in folders if name not in names and name != _GIT]


@contextlib.contextmanager
def hide_entries(tree: str, paths: Sequence[str], folder: str) -> Iterator[None]:
    """Move these entries to `folder` for the duration of the block.

    The CLI would treat them as its user's own: they could start programs, or change or forge its report. If the agent
    creates an entry at the same path, that one stays, so that the gate sees it.
    """
    away = Path(folder, "hidden")
    discard(away)
    moved: list[str] = []
    try:
        for path in paths:
            if os.path.lexists(Path(tree, path)):  # false if its parent has already been moved
                _move(Path(tree, path), away / path)
                moved.append(path)
        yield
    finally:
        for path in moved:
            if not os.path.lexists(Path(tree, path)):
                _move(away / path, Path(tree, path))
        discard(away)


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)
