"""Finds out how a repository's tests are run, from its file names and a few manifests."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from reknit.core.repository.paths import is_in_test_folder
from reknit.core.testing.command import TestCommand
from reknit.core.testing.command_line import parse_user_command
from reknit.core.testing.runners import compiled, javascript_project, python_project
from reknit.core.testing.runners.call import RunnerCall

__all__ = ["MANIFESTS", "detect", "parse_user_command", "project_root"]

Files = Mapping[str, str | None]

_PROJECT_MANIFESTS = (
    "pyproject.toml", "setup.py", "setup.cfg", "package.json", "go.mod", "Cargo.toml", "pom.xml",
    "build.gradle", "build.gradle.kts",
)  # fmt: skip
PYTHON_MANIFESTS = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements.txt", "Pipfile"})
"""Without one of these, a test file is that of a side script and does not make a Python project."""
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")

MANIFESTS: tuple[str, ...] = tuple(dict.fromkeys((*_PROJECT_MANIFESTS, *python_project.READ, *_MAKEFILES)))
"""Names of the files whose text `detect` needs."""

_TEST_TARGET = re.compile(r"^(test|check)\s*:(?!=)", re.M)


def detect(files: Files) -> tuple[TestCommand, ...]:
    """Every command that was found, the best first. `files`: all tracked paths, with the text of the manifests."""
    found = [command for find in _FINDERS for command in find(files)]
    if PYTHON_MANIFESTS.isdisjoint(files):
        found.sort(key=lambda command: command.origin.endswith(".py") and command.runner in ("pytest", "unittest"))
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


def _go(files: Files) -> Iterator[TestCommand]:
    if "go.mod" in files:
        yield compiled.go(RunnerCall(("go", "test"), ("./...",), "go.mod"))


def _cargo(files: Files) -> Iterator[TestCommand]:
    if "Cargo.toml" in files:
        yield compiled.cargo(RunnerCall(("cargo", "test"), (), "Cargo.toml"))


def _maven(files: Files) -> Iterator[TestCommand]:
    if "pom.xml" in files:
        yield compiled.maven(RunnerCall(("mvn",), ("-o", "-q", "test"), "pom.xml"))


def _gradle(files: Files) -> Iterator[TestCommand]:
    origin = next((name for name in ("build.gradle", "build.gradle.kts") if name in files), "")
    if origin:
        # `sh`, because a wrapper's executable bit is often lost.
        start = ("sh", "gradlew") if "gradlew" in files else ("gradle",)
        yield compiled.gradle(RunnerCall(start, ("--offline", "--continue", "test"), origin))


def _make(files: Files) -> Iterator[TestCommand]:
    """`make check` is GNU's name for it; if both exist, `make test` is used."""
    for name in _MAKEFILES:
        targets = sorted(set(_TEST_TARGET.findall(files.get(name) or "")), reverse=True)
        if targets:
            yield TestCommand("make", ("make", targets[0]), "exit code", origin=name)
            return


_FINDERS: tuple[Callable[[Files], Iterator[TestCommand]], ...] = (
    python_project.find,
    javascript_project.find,
    _go,
    _cargo,
    _maven,
    _gradle,
)
