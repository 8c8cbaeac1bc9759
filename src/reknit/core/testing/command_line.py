"""Turns the test command a user wrote in `checks.tests.run` into one that reknit can run and read."""

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

from reknit.core.testing.command import TestCommand
from reknit.core.testing.runners.python import PYTEST_FLAGS, WHOLE
from reknit.core.testing.runners.recognise import recognise

_ORIGIN = "checks.tests.run"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OPERATOR = re.compile(r"[();<>|&]+")


def parse_user_command(text: str, report: str = "") -> TestCommand:
    """`report`: the user's own glob of JUnit files. Raises ValueError with a sentence for people."""
    folder, env, argv = _split(text)
    if report:
        check_report(report)
        return TestCommand("command", argv, "junit", report, origin=_ORIGIN, env=env, folder=folder)
    known = recognise(argv, _ORIGIN, env)
    if known:
        return replace(known, folder=folder)
    return TestCommand("command", argv, "exit code", origin=_ORIGIN, env=env, folder=folder)


def as_typed(command: TestCommand) -> str:
    """The command as a person or an agent would type it, without what reknit adds to read its report."""
    place = f"cd {shlex.quote(command.folder)} && " if command.folder else ""
    return place + (command.typed or _without_ours(command.argv))


def _without_ours(argv: Sequence[str]) -> str:
    """For commands that were stored without `typed`."""
    words = list(argv)
    for added in (PYTEST_FLAGS, WHOLE):
        for start in range(len(words) - len(added) + 1):
            if tuple(words[start : start + len(added)]) == added:
                del words[start : start + len(added)]
                break
    return shlex.join(word for word in words if "{outbox}" not in word)


def _split(text: str) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The folder, the environment, and the words of the command."""
    try:
        words = shlex.split(text)
        tokens = list(shlex.shlex(text, posix=True, punctuation_chars=True))
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}") from error
    folder = ""
    if words[:1] == ["cd"] and words[2:3] == ["&&"]:
        folder, words = _folder(words[1]), words[3:]
        tokens.remove("&&")
    shell = [token for token in tokens if _OPERATOR.fullmatch(token)] + [sign for sign in "$`" if sign in text]
    if shell:
        raise ValueError(f"runs without a shell, so {shell[0]!r} has no meaning; put it into a script and run that")
    count = next((number for number, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    if count == len(words):
        raise ValueError("names no program")
    pairs = (word.partition("=") for word in words[:count])
    return folder, tuple((name, value) for name, _, value in pairs), tuple(words[count:])


def _folder(place: str) -> str:
    if posixpath.isabs(place) or ".." in place.split("/") or place.startswith(("~", "-")):
        raise ValueError("may only change to a folder of the repository, without `..`")
    folder = posixpath.normpath(place)
    return "" if folder == "." else folder


def check_report(report: str) -> None:
    path = report.removeprefix("{outbox}/")
    if posixpath.isabs(path) or ".." in path.split("/"):
        raise ValueError("must name files below the repository or {outbox}")
