"""The real agent binaries. The e2e suite is asked for by name, so a missing binary is a failure, not a skip."""

import importlib.util
import os
import shutil
from pathlib import Path

_PROJECT = Path(__file__).parents[2]


def claude() -> str:
    return _of_wheel("claude_agent_sdk", "_bundled/claude")


def codex() -> str:
    return _of_wheel("codex_cli_bin", "bin/codex")


def gemini() -> str:
    return _of_npm("gemini", package="@google/gemini-cli")


def opencode() -> str:
    return _of_npm("opencode", package="opencode-ai")


def eslint() -> str:
    return _of_npm("eslint", package="eslint")


def _of_wheel(module: str, inside: str) -> str:
    spec = importlib.util.find_spec(module)
    assert spec is not None, f"no module {module!r}: pip install 'reknit[e2e]' brings {Path(inside).name}"
    assert spec.origin is not None
    found = Path(spec.origin).parent / inside
    assert found.is_file(), f"{found} is missing: install 'reknit[e2e]' again"
    return str(found)


def _of_npm(name: str, *, package: str) -> str:
    named = os.environ.get("REKNIT_TEST_NPM")
    for folder in (Path(named), _PROJECT) if named else (_PROJECT,):
        found = folder / "node_modules" / ".bin" / name
        if found.is_file():
            return str(found)
    on_path = shutil.which(name)
    assert on_path is not None, (
        f"no {name!r}: run `npm install --prefix FOLDER {package}` and set REKNIT_TEST_NPM=FOLDER"
    )
    return on_path
