"""Looks at Python installations and virtual environments by their files; no code of them is executed."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from reknit.adapters.box.bubblewrap.prefixes import is_below, is_python
from reknit.adapters.files.regular_files import read_text_if_any
from reknit.adapters.process import find_program
from reknit.core.languages.python.environments import read_pyenv_version


def find_interpreter(environment: Path) -> str:
    """Return `bin/python` of a virtual or conda environment; empty if it is none."""
    is_one = (environment / "pyvenv.cfg").is_file() or (environment / "conda-meta").is_dir()
    program = environment / "bin" / "python"
    return str(program) if is_one and is_python(program) else ""


def has_pytest(program: str, home: Path) -> bool:
    """Return True if this interpreter can import pytest, or if it is a script that may start any other one."""
    if Path(program).parent.name == "shims":
        return True
    return any(_holds_pytest(folder) for folder in _package_folders(Path(program), home))


def _holds_pytest(folder: Path) -> bool:
    return (folder / "pytest" / "__init__.py").is_file() or any(folder.glob("pytest-*.dist-info"))


def _package_folders(program: Path, home: Path) -> Iterator[Path]:
    prefix = program.parent.parent
    config = read_text_if_any(prefix / "pyvenv.cfg")
    yield from prefix.glob("lib/python3*/site-packages")
    if config and not re.search(r"^include-system-site-packages\s*=\s*true\s*$", config, re.IGNORECASE | re.MULTILINE):
        return
    real = Path(os.path.realpath(program))
    version = real.name if re.fullmatch(r"python3\.\d+", real.name) else "python3*"
    base = real.parent.parent
    for pattern in (f"lib/{version}/site-packages", "lib/python3/dist-packages", f"local/lib/{version}/dist-packages"):
        yield from base.glob(pattern)
    yield from (home / ".local").glob(f"lib/{version}/site-packages")


def find_system_python(folders: Sequence[Path], repository: Path, environment: Mapping[str, str]) -> str:
    """Return the `python3` on PATH; empty if there is none.

    For pyenv and similar tools, return the version that these folders request.
    """
    entries = environment.get("PATH", os.defpath).split(":")
    program = find_program("python3", ":".join(entry for entry in entries if not is_below(entry, str(repository))))
    if Path(program).parent.name != "shims":
        return program
    home = Path(environment.get("HOME", "/"))
    pyenv = Path(environment.get("PYENV_ROOT", home / ".pyenv"))
    asdf = Path(environment.get("ASDF_DATA_DIR", home / ".asdf"))
    managers = (pyenv / "versions", asdf / "installs" / "python", home / ".local/share/mise/installs/python")
    for version in _list_requested_versions(folders, [pyenv / "version", home / ".tool-versions"], environment):
        for versions in managers:
            for prefix in (versions / version, *sorted(versions.glob(f"{version}.*"), key=_as_numbers, reverse=True)):
                if is_python(prefix / "bin" / "python3"):
                    return str(prefix / "bin" / "python3")
    return program


def _list_requested_versions(
    folders: Sequence[Path], defaults: Sequence[Path], environment: Mapping[str, str]
) -> Iterator[str]:
    """Yield the requested versions. The first that is installed is used."""
    texts = [environment.get("PYENV_VERSION", "")]
    for folder in folders:
        texts.append(read_text_if_any(folder / ".python-version"))
        texts.append(_parse_tool_versions(read_text_if_any(folder / ".tool-versions")))
    texts += [
        _parse_tool_versions(read_text_if_any(file)) if file.name == ".tool-versions" else read_text_if_any(file)
        for file in defaults
    ]
    yield from filter(None, map(read_pyenv_version, texts))


def _parse_tool_versions(tool_versions: str) -> str:
    lines = (line.split() for line in tool_versions.splitlines())
    return next((words[1] for words in lines if len(words) > 1 and words[0] == "python"), "")


def _as_numbers(path: Path) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"\d+", path.name))


SOURCES = "src"
"""Source folder. In other layouts tests start beside the packages, which come before those of the environment."""
OwnCopy = Literal["none", "plain", "compiled"]
"""`compiled` has extension modules that the source lacks, so the source cannot replace the copy."""


def find_own_copy(program: str, project: Path, tracked: Sequence[str], folder: str = "") -> OwnCopy:
    """Look for a copy of the project in its own environment, as tox installs it: tests import it instead of the source.

    `folder`: the project, as in `tracked`. Links, as `flit install -s` makes them, are no copy.
    """
    below = f"{folder}/{SOURCES}/" if folder else f"{SOURCES}/"
    modules = [path.removeprefix(below) for path in tracked if path.startswith(below) and path.endswith(".py")]
    for site in Path(program).parent.parent.glob("lib/python3*/site-packages"):
        copied = [path for path in modules if _is_copy(site, path)]
        if 2 * len(copied) >= len(modules) > 0:  # one path alone may be another package's
            return "compiled" if any(_find_compiled_only(site, project / SOURCES, copied)) else "plain"
    return "none"


def _is_copy(site: Path, path: str) -> bool:
    place = site / path
    return place.is_file() and place.resolve() == site.resolve() / path


def _find_compiled_only(site: Path, sources: Path, copied: Sequence[str]) -> Iterator[Path]:
    folders = {Path(path).parent for path in copied} - {Path()}
    for folder in folders:
        for built in (site / folder).glob("*.so"):
            if not (sources / folder / built.name).exists():
                yield built
