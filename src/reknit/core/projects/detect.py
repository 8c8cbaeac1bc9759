"""Detects how a repository's tests are run: from its files, or from the command that the user wrote."""

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from reknit.core.languages.registry import LANGUAGES, recognise
from reknit.core.repository.paths import is_in_test_folder
from reknit.core.testing.command import Files, TestCommand

_ORIGIN = "checks.tests.run"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OPERATOR = re.compile(r"[();<>|&]+")
PYTHON_MANIFESTS = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements.txt", "Pipfile"})
"""Without one of these, a test file belongs to a side script and does not make a Python project."""
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TEST_TARGET = re.compile(r"^(test|check)\s*:(?!=)", re.M)


def list_manifests() -> tuple[str, ...]:
    """Return the names of the files whose text `detect` needs."""
    names = [name for language in LANGUAGES for name in (*language.manifests, *language.settings)]
    return tuple(dict.fromkeys((*names, *_MAKEFILES)))


def parse_user_command(text: str, report: str = "") -> TestCommand:
    """Parse `checks.tests.run`. `report`: the user's glob of JUnit files. Raise ValueError for people."""
    folder, env, argv = _split_command(text)
    if report:
        check_report(report)
        return TestCommand("command", argv, "junit", report, origin=_ORIGIN, env=env, folder=folder)
    command = recognise(argv, _ORIGIN, env)
    if command:
        return replace(command, folder=folder)
    return TestCommand("command", argv, "exit code", origin=_ORIGIN, env=env, folder=folder)


def _split_command(text: str) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the folder, the environment, and the words of the command."""
    try:
        words = shlex.split(text)
        tokens = list(shlex.shlex(text, posix=True, punctuation_chars=True))
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}") from error
    folder = ""
    if words[:1] == ["cd"] and words[2:3] == ["&&"]:
        folder, words = _parse_folder(words[1]), words[3:]
        tokens.remove("&&")
    shell = [token for token in tokens if _OPERATOR.fullmatch(token)] + [sign for sign in "$`" if sign in text]
    if shell:
        raise ValueError(f"runs without a shell, so {shell[0]!r} has no meaning; put it into a script and run that")
    count = next((number for number, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    if count == len(words):
        raise ValueError("names no program")
    pairs = (word.partition("=") for word in words[:count])
    return folder, tuple((name, value) for name, _, value in pairs), tuple(words[count:])


def _parse_folder(place: str) -> str:
    if posixpath.isabs(place) or ".." in place.split("/") or place.startswith(("~", "-")):
        raise ValueError("may only change to a folder of the repository, without `..`")
    folder = posixpath.normpath(place)
    return "" if folder == "." else folder


def check_report(report: str) -> None:
    """Raise ValueError if the glob leaves the repository and the outbox."""
    path = report.removeprefix("{outbox}/")
    if posixpath.isabs(path) or ".." in path.split("/"):
        raise ValueError("must name files below the repository or {outbox}")


def detect(files: Files) -> tuple[TestCommand, ...]:
    """Return every possible command, the best first. `files`: all tracked paths, with the text of the manifests."""
    commands = [command for language in LANGUAGES for command in language.find_commands(files, recognise)]
    if PYTHON_MANIFESTS.isdisjoint(files):
        commands.sort(key=lambda command: command.origin.endswith(".py") and command.runner in ("pytest", "unittest"))
    return (*commands, *_detect_make(files))


def find_project_root(test_file: str, tracked: Iterable[str]) -> str:
    """Return the folder of the nearest manifest above a test file; empty: the repository's root.

    A manifest inside a test folder is skipped: the tested code is outside.
    """
    paths = frozenset(tracked)
    parts = posixpath.dirname(test_file).split("/")
    for length in range(len(parts), 0, -1):
        folder = "/".join(parts[:length])
        manifests = (posixpath.join(folder, name) for language in LANGUAGES for name in language.manifests)
        if any(path in paths and not is_in_test_folder(path) for path in manifests):
            return folder
    return ""


def _detect_make(files: Files) -> Iterator[TestCommand]:
    """Detect the test target. `make check` is GNU's name for it; if both exist, `make test` is used."""
    for name in _MAKEFILES:
        targets = sorted(set(_TEST_TARGET.findall(files.get(name) or "")), reverse=True)
        if targets:
            yield TestCommand("make", ("make", targets[0]), "exit code", origin=name)
            return
