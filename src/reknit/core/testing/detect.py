"""Finds out how a repository's tests are run, from its file names and a few manifests."""

import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from reknit.core.repository.paths import is_foreign, is_in_test_folder
from reknit.core.testing.command import TestCommand
from reknit.core.testing.command_line import PYTEST_FLAGS, REPORT, SELECT, WHOLE, parse_user_command

__all__ = ["MANIFESTS", "detect", "parse_user_command", "project_root"]

Files = Mapping[str, str | None]

_PROJECT_MANIFESTS = (
    "pyproject.toml", "setup.py", "setup.cfg", "package.json", "go.mod", "Cargo.toml", "pom.xml",
    "build.gradle", "build.gradle.kts",
)  # fmt: skip
_PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
_PYTHON_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements.txt", "Pipfile")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")

MANIFESTS: tuple[str, ...] = (*_PROJECT_MANIFESTS, *_PYTEST_FILES, "tox.ini", *_MAKEFILES)
"""Names of the files whose text `detect` needs."""

_PYTEST_SECTION = {"tox.ini": re.compile(r"^\[pytest\]", re.M), "setup.cfg": re.compile(r"^\[tool:pytest\]", re.M)}
_PYTHON_TEST = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_TEST_TARGET = re.compile(r"^test\s*:(?!=)", re.M)


def detect(files: Files) -> tuple[TestCommand, ...]:
    """Every command that was found, the best first. `files`: all tracked paths, with the text of the manifests."""
    found = [command for find in _FINDERS for command in find(files)]
    if found and not any(manifest in files for manifest in _PYTHON_MANIFESTS):
        # Test files of a side script do not make a Python project.
        found.sort(key=lambda command: command.runner == "pytest" and command.origin not in _PYTEST_FILES)
    return (*found, *_make(files))


def project_root(test_file: str, tracked: Iterable[str]) -> str:
    """The folder of the nearest manifest above a test file; empty: the repository's root.

    A manifest inside a test folder is skipped: what it tests is outside.
    """
    paths = frozenset(tracked)
    parts = posixpath.dirname(test_file).split("/")
    for length in range(len(parts), 0, -1):
        folder = "/".join(parts[:length])
        manifests = (posixpath.join(folder, name) for name in _PROJECT_MANIFESTS)
        if any(path in paths and not is_in_test_folder(path) for path in manifests):
            return folder
    return ""


def _pytest(files: Files) -> Iterator[TestCommand]:
    origin = _pytest_origin(files)
    if origin:
        yield TestCommand(
            "pytest", ("python", "-m", "pytest", "-q", *PYTEST_FLAGS, *WHOLE), "junit", REPORT, SELECT, origin
        )


def _pytest_origin(files: Files) -> str:
    if "pytest" in _section(_toml(files.get("pyproject.toml")), "tool"):
        return "pyproject.toml"
    for name in _PYTEST_FILES:
        if name in files:
            return name
    for name, section in _PYTEST_SECTION.items():
        if section.search(files.get(name) or ""):
            return name
    tests = (path for path in files if _PYTHON_TEST.search(path) and not is_foreign(path))
    return min(tests, key=lambda path: (path.count("/"), path), default="")


def _javascript(files: Files) -> Iterator[TestCommand]:
    package = _json(files.get("package.json"))
    needs = {**_section(package, "dependencies"), **_section(package, "devDependencies")}
    script = str(_section(package, "scripts").get("test", ""))
    origin = "package.json"
    env: tuple[tuple[str, str], ...] = (("CI", "true"),)
    if "vitest" in needs:
        reporters = ("--reporter=default", "--reporter=junit", f"--outputFile.junit={REPORT}")
        yield TestCommand(
            "vitest", ("npx", "--no-install", "vitest", "run", *reporters), "junit", REPORT, (), origin, env
        )
    elif "jest" in needs and "jest-junit" in needs:
        names = {
            "OUTPUT_FILE": REPORT,
            "CLASSNAME": "{filepath}",
            "TITLE": "{classname} {title}",
            "ADD_FILE_ATTRIBUTE": "true",
        }
        env += tuple((f"JEST_JUNIT_{name}", value) for name, value in names.items())
        argv = ("npx", "--no-install", "jest", "--ci", "--reporters=default", "--reporters=jest-junit")
        yield TestCommand("jest", argv, "junit", REPORT, (), origin, env)
    elif "jest" in needs:
        yield TestCommand("jest", ("npx", "--no-install", "jest", "--ci"), "exit code", origin=origin, env=env)
    elif script and "no test specified" not in script:
        yield TestCommand("npm", (_package_manager(files), "test"), "exit code", origin=origin, env=env)


def _package_manager(files: Files) -> str:
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
    return next((manager for lock, manager in locks.items() if lock in files), "npm")


def _go(files: Files) -> Iterator[TestCommand]:
    if "go.mod" in files:
        yield TestCommand("go", ("go", "test", "./..."), "exit code", origin="go.mod")


def _cargo(files: Files) -> Iterator[TestCommand]:
    if "Cargo.toml" in files:
        yield TestCommand("cargo", ("cargo", "test", "--offline"), "exit code", origin="Cargo.toml")


def _maven(files: Files) -> Iterator[TestCommand]:
    if "pom.xml" in files:
        report = "**/target/surefire-reports/*.xml"
        yield TestCommand("maven", ("mvn", "-o", "-q", "test"), "junit", report, origin="pom.xml")


def _gradle(files: Files) -> Iterator[TestCommand]:
    origin = next((name for name in ("build.gradle", "build.gradle.kts") if name in files), "")
    if origin:
        # `sh`, because a wrapper's executable bit is often lost.
        start = ("sh", "gradlew") if "gradlew" in files else ("gradle",)
        yield TestCommand(
            "gradle", (*start, "--offline", "test"), "junit", "**/build/test-results/**/*.xml", origin=origin
        )


def _make(files: Files) -> Iterator[TestCommand]:
    for name in _MAKEFILES:
        if _TEST_TARGET.search(files.get(name) or ""):
            yield TestCommand("make", ("make", "test"), "exit code", origin=name)
            return


_FINDERS: tuple[Callable[[Files], Iterator[TestCommand]], ...] = (_pytest, _javascript, _go, _cargo, _maven, _gradle)


def _toml(text: str | None) -> dict[str, Any]:
    try:
        return tomllib.loads(text or "")
    except (ValueError, RecursionError):
        return {}


def _json(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _section(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = value.get(name)
    return section if isinstance(section, dict) else {}
