"""The real linters and type checkers whose reports are read. A missing one is a failure, not a skip."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from reknit.adapters.process import Completed, run

_PROJECT = Path(__file__).parents[2]


def ruff() -> str:
    return _beside_python("ruff")


def mypy() -> str:
    return _beside_python("mypy")


def eslint(project: Path = _PROJECT) -> str:
    return _of_npm("eslint", project)


def pyright(project: Path = _PROJECT) -> str:
    return _of_npm("pyright", project)


def semgrep(project: Path = _PROJECT) -> str:
    """In an environment of its own: its pins are not ours."""
    found = project / ".tools" / "bin" / "semgrep"
    assert found.is_file(), f"{found} is missing: run `make tools`"
    return str(found)


def print_of(argv: Sequence[str], folder: Path) -> Completed:
    """What a tool prints when it is run in that folder, which is its home too: nobody's settings are read."""
    path = [str(Path(argv[0]).parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    env = {
        "PATH": os.pathsep.join(path),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "SEMGREP_SEND_METRICS": "off",
        "SEMGREP_ENABLE_VERSION_CHECK": "0",
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
    }
    return run(argv, env=env, cwd=str(folder), timeout_s=150)


def _beside_python(name: str) -> str:
    found = Path(sys.executable).with_name(name)
    assert found.is_file(), f"{found} is missing: run `make install`"
    return str(found)


def _of_npm(name: str, project: Path) -> str:
    named = os.environ.get("REKNIT_TEST_NPM")
    for folder in (Path(named), project) if named else (project,):
        found = folder / "node_modules" / ".bin" / name
        if found.is_file():
            return str(found)
    on_path = shutil.which(name)
    assert on_path is not None, f"no {name!r}: run `make agents`"
    return on_path
