"""Finds an installed agent CLI: how to start it, and which of its files a box must show."""

import contextlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.files.regular_files import open_plain, read_plain
from reknit.core.errors import ToolMissing, UsageProblem

_NODE = "node"
_PACKAGES = "/node_modules/"
_LARGEST_PROGRAM = 2_000_000_000
_VERSION_S = 30.0


@dataclass(frozen=True)
class InstalledCli:
    argv: tuple[str, ...]
    show: tuple[str, ...]
    """Host paths, shown read-only at the same path."""
    programs: tuple[str, ...] = ()
    """Programs it needs, shown with their toolchain."""


def find(name: str, path: str, *, title: str) -> InstalledCli:
    """By name on `path`, or by its own path. Uses the real file: a link on PATH points outside what a box shows."""
    found = process.find_program(name, path)
    if not found:
        raise ToolMissing("tool-missing", f"{name!r} is not on PATH: install {title} or set the agent's binary")
    real = os.path.realpath(found)
    root, packages, _ = real.partition(_PACKAGES)
    if not packages or not _is_script(real):
        return InstalledCli((real,), (real,))
    node = process.find_program(_NODE, path)
    if not node:
        raise ToolMissing("tool-missing", f"{name!r} needs node, which is not on PATH")
    return InstalledCli((node, real), (f"{root}/node_modules",), (node,))


def _is_script(file: str) -> bool:
    with open_plain(file, most_bytes=_LARGEST_PROGRAM) as opened:
        return opened.read(2) == b"#!"


def _packaged_version(program: Path) -> str:
    for folder in program.parents:
        if _PACKAGES.strip("/") not in folder.parts:
            return ""
        with contextlib.suppress(UsageProblem, OSError, ValueError, TypeError, KeyError):
            return str(json.loads(read_plain(folder / "package.json"))["version"])
    return ""


def version(installed: InstalledCli) -> str:
    """Runs the CLI in an empty HOME without the user's environment. Raises a ReknitError if it does not start.

    A node program takes seconds to print its version, but its package.json has it too.
    """
    if packaged := _packaged_version(Path(installed.argv[-1])):
        return packaged
    with temporary_folder("reknit-") as home:
        env = {"HOME": home, "TMPDIR": home, "PATH": "/usr/bin:/bin", "DISABLE_AUTOUPDATER": "1", "NO_COLOR": "1"}
        result = process.run([*installed.argv, "--version"], env=env, cwd=home, timeout_s=_VERSION_S)
    number = re.search(rb"\d{1,9}\.\d{1,9}\.\d{1,9}", result.stdout)
    return number[0].decode() if number else ""
