"""Looks at Python installations and virtual environments by their files; nothing of them is executed."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reknit.adapters.box.bubblewrap.prefixes import is_below, is_python
from reknit.adapters.files.regular_files import read_plain_text
from reknit.adapters.process import find_program
from reknit.core.errors import UsageProblem
from reknit.core.repository.python_environments import pyenv_version


def interpreter_of(environment: Path) -> str:
    """`bin/python` of a virtual or conda environment; empty if it is none."""
    is_one = (environment / "pyvenv.cfg").is_file() or (environment / "conda-meta").is_dir()
    program = environment / "bin" / "python"
    return str(program) if is_one and is_python(program) else ""


def has_pytest(program: str, home: Path) -> bool:
    """Whether this interpreter can import pytest. True if it cannot be known, as for a script that starts another."""
    if Path(program).parent.name == "shims":
        return True
    return any(_holds_pytest(folder) for folder in _package_folders(Path(program), home))


def _holds_pytest(folder: Path) -> bool:
    return (folder / "pytest" / "__init__.py").is_file() or any(folder.glob("pytest-*.dist-info"))


def _package_folders(program: Path, home: Path) -> Iterator[Path]:
    prefix = program.parent.parent
    config = text_of(prefix / "pyvenv.cfg")
    yield from prefix.glob("lib/python3*/site-packages")
    if config and not re.search(r"^include-system-site-packages\s*=\s*true\s*$", config, re.IGNORECASE | re.MULTILINE):
        return
    real = Path(os.path.realpath(program))
    version = real.name if re.fullmatch(r"python3\.\d+", real.name) else "python3*"
    base = real.parent.parent
    for pattern in (f"lib/{version}/site-packages", "lib/python3/dist-packages", f"local/lib/{version}/dist-packages"):
        yield from base.glob(pattern)
    yield from (home / ".local").glob(f"lib/{version}/site-packages")


def system_python(folders: Sequence[Path], repository: Path, environment: Mapping[str, str]) -> str:
    """The `python3` on PATH; for pyenv and its like the version that these folders ask for. Empty: there is none."""
    entries = environment.get("PATH", os.defpath).split(":")
    found = find_program("python3", ":".join(entry for entry in entries if not is_below(entry, str(repository))))
    if Path(found).parent.name != "shims":
        return found
    home = Path(environment.get("HOME", "/"))
    pyenv = Path(environment.get("PYENV_ROOT", home / ".pyenv"))
    asdf = Path(environment.get("ASDF_DATA_DIR", home / ".asdf"))
    managers = (pyenv / "versions", asdf / "installs" / "python", home / ".local/share/mise/installs/python")
    for version in _wanted_versions(folders, [pyenv / "version", home / ".tool-versions"], environment):
        for versions in managers:
            for prefix in (versions / version, *sorted(versions.glob(f"{version}.*"), key=_as_numbers, reverse=True)):
                if is_python(prefix / "bin" / "python3"):
                    return str(prefix / "bin" / "python3")
    return found


def _wanted_versions(
    folders: Sequence[Path], defaults: Sequence[Path], environment: Mapping[str, str]
) -> Iterator[str]:
    """The first that is installed is used."""
    texts = [environment.get("PYENV_VERSION", "")]
    for folder in folders:
        texts.append(text_of(folder / ".python-version"))
        texts.append(_of_python(text_of(folder / ".tool-versions")))
    texts += [_of_python(text_of(file)) if file.name == ".tool-versions" else text_of(file) for file in defaults]
    yield from filter(None, map(pyenv_version, texts))


def _of_python(tool_versions: str) -> str:
    lines = (line.split() for line in tool_versions.splitlines())
    return next((words[1] for words in lines if len(words) > 1 and words[0] == "python"), "")


def _as_numbers(path: Path) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"\d+", path.name))


def text_of(file: Path) -> str:
    """Empty if it is missing or not a file of ordinary size."""
    try:
        return read_plain_text(file, errors="replace")
    except (OSError, UsageProblem):
        return ""
