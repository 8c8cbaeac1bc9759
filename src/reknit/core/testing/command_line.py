"""Turns the test command a user wrote in `checks.tests.run` into one that reknit can run and read."""

import posixpath
import re
import shlex
from collections.abc import Sequence

from reknit.core.testing.command import TestCommand

REPORT = "{outbox}/report.xml"
PYTEST_FLAGS = (
    "--rootdir=.",
    "--continue-on-collection-errors",
    "-p",
    "no:cacheprovider",
    "-o",
    "junit_family=xunit1",
    f"--junitxml={REPORT}",
)
SELECT = ("{id}",)
WHOLE = ("--maxfail=0",)
"""After the user's own arguments: a suite that stops at its first failure hides the rest."""

_ORIGIN = "checks.tests.run"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OPERATOR = re.compile(r"[();<>|&]+")
_PYTEST_WORDS = ("pytest", "py.test")
_LAUNCHERS = ("uv", "poetry", "pipenv", "hatch", "pdm", "rye", "pixi")
_REPORT_OPTION = re.compile(r"--junit-?xml(=|$)")


def parse_user_command(text: str, report: str = "") -> TestCommand:
    """`report`: the user's own glob of JUnit files. Raises ValueError with a sentence for people."""
    env, argv = _split(text)
    if report:
        _check_report(report)
        return TestCommand("command", argv, "junit", report, origin=_ORIGIN, env=env)
    position = _pytest_position(argv)
    if position < 0:
        return TestCommand("command", argv, "exit code", origin=_ORIGIN, env=env)
    before, after = argv[: position + 1], _without_report(argv[position + 1 :])
    return TestCommand("pytest", (*before, *PYTEST_FLAGS, *after, *WHOLE), "junit", REPORT, SELECT, _ORIGIN, env)


def as_typed(command: TestCommand) -> str:
    """The command as a person or an agent would type it, without what reknit adds to read its report."""
    words = list(command.argv)
    for added in (PYTEST_FLAGS, WHOLE):
        for start in range(len(words) - len(added) + 1):
            if tuple(words[start : start + len(added)]) == added:
                del words[start : start + len(added)]
                break
    return shlex.join(word for word in words if "{outbox}" not in word)


def _split(text: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    try:
        words = shlex.split(text)
        tokens = list(shlex.shlex(text, posix=True, punctuation_chars=True))
    except ValueError as error:
        raise ValueError(f"{_ORIGIN} = {text!r} cannot be split into words: {error}") from error
    shell = [token for token in tokens if _OPERATOR.fullmatch(token)] + [sign for sign in "$`" if sign in text]
    if shell:
        what = f"{_ORIGIN} = {text!r} runs without a shell, so {shell[0]!r} has no meaning"
        raise ValueError(f"{what}; put it into a script and run that")
    count = next((number for number, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    if count == len(words):
        raise ValueError(f"{_ORIGIN} = {text!r} names no program")
    pairs = (word.partition("=") for word in words[:count])
    return tuple((name, value) for name, _, value in pairs), tuple(words[count:])


def _pytest_position(argv: Sequence[str]) -> int:
    """Position of the word `pytest` if it is the program that runs; otherwise -1."""
    start = 2 if posixpath.basename(argv[0]) in _LAUNCHERS and argv[1:2] == ("run",) else 0
    words = argv[start:]
    if words and posixpath.basename(words[0]) in _PYTEST_WORDS:
        return start
    is_python = len(words) >= 3 and posixpath.basename(words[0]).startswith("python")
    return start + 2 if is_python and words[1] == "-m" and words[2] == "pytest" else -1


def _without_report(arguments: Sequence[str]) -> tuple[str, ...]:
    """reknit reads its own report; a second option would replace it."""
    kept: list[str] = []
    waiting = False
    for argument in arguments:
        if waiting:
            waiting = False
        elif _REPORT_OPTION.match(argument):
            waiting = "=" not in argument
        else:
            kept.append(argument)
    return tuple(kept)


def _check_report(report: str) -> None:
    path = report.removeprefix("{outbox}/")
    if posixpath.isabs(path) or ".." in path.split("/"):
        raise ValueError(f"checks.tests.report = {report!r} must name files below the repository or {{outbox}}")
