"""Recognises the test runner in a command that the user wrote."""

import posixpath
import re
from collections.abc import Callable, Sequence

from reknit.core.testing.command import TestCommand
from reknit.core.testing.runners import compiled, javascript, python
from reknit.core.testing.runners.call import RunnerCall

_LAUNCHERS = ("uv", "poetry", "pipenv", "hatch", "pdm", "rye", "pixi")
_PYTHON = re.compile(r"python[\d.]{0,8}|pypy[\d.]{0,8}")
_PACKAGE_RUNNERS = (
    ("npx",),
    ("bunx",),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "exec"),
    ("npm", "exec"),
    ("yarn",),
)
_FINDERS: dict[str, Callable[[RunnerCall], TestCommand | None]] = {
    "vitest": javascript.vitest, "jest": javascript.jest, "mocha": javascript.mocha, "_mocha": javascript.mocha,
}  # fmt: skip
_JVM = {"mvn": compiled.maven, "mvnw": compiled.maven, "gradle": compiled.gradle, "gradlew": compiled.gradle}


def recognise(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...] = ()) -> TestCommand | None:
    """The command with reports and selection; None if no runner is known in it."""
    found = _python(words, origin, env) or _compiled(words, origin, env)
    return found or _javascript(words, origin, env)


def _python(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    start = 2 if posixpath.basename(words[0]) in _LAUNCHERS and words[1:2] == ("run",) else 0
    program = posixpath.basename(words[start]) if words[start:] else ""
    if program in ("pytest", "py.test"):
        return python.pytest(_call(words, start + 1, origin, env))
    if program == "manage.py":
        return _django(words, start, origin, env)
    if not _PYTHON.fullmatch(program):
        return None
    if tuple(words[start + 1 : start + 3]) == ("-m", "pytest"):
        return python.pytest(_call(words, start + 3, origin, env))
    if tuple(words[start + 1 : start + 3]) == ("-m", "unittest"):
        return python.unittest(_call(words, start + 3, origin, env))
    return _django(words, start + 1, origin, env)


def _django(words: Sequence[str], position: int, origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    program = words[position : position + 2]
    is_test = len(program) == 2 and posixpath.basename(program[0]) == "manage.py" and program[1] == "test"
    return python.django(_call(words, position + 2, origin, env)) if is_test else None


def _compiled(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    program = posixpath.basename(words[0])
    if program in ("go", "cargo") and words[1:2] == ("test",):
        build = compiled.go if program == "go" else compiled.cargo
        return build(_call(words, 2, origin, env))
    at = 1 if program in ("sh", "bash") and len(words) > 1 else 0
    jvm = _JVM.get(posixpath.basename(words[at]))
    is_test = {"test", "verify", "check", "build", "package", "install"} & set(words[at + 1 :])
    return jvm(_call(words, at + 1, origin, env)) if jvm and is_test else None


def _javascript(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    at = _after_package_runner(words)
    if at >= len(words):
        return None
    program = _name(words[at])
    if program in ("node", "tsx"):
        return _node(words, at, origin, env)
    if program == "playwright":
        is_test = words[at + 1 : at + 2] == ("test",)
        return javascript.playwright(_call(words, at + 2, origin, env)) if is_test else None
    if program == "react-scripts":
        return javascript.jest(_call(words, at + 2, origin, env)) if words[at + 1 : at + 2] == ("test",) else None
    find = _FINDERS.get(program)
    return find(_call(words, at + 1, origin, env)) if find else None


def _node(words: Sequence[str], at: int, origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    """node itself, or `node --options node_modules/.bin/jest`."""
    if "--test" in words[at + 1 :]:
        return javascript.node(_call(words, at + 1, origin, env))
    for position in range(at + 1, len(words)):
        find = _FINDERS.get(_name(words[position])) if "node_modules/" in words[position] else None
        if find:
            return find(_call(words, position + 1, origin, env))
        if not words[position].startswith("-"):
            return None
    return None


def _after_package_runner(words: Sequence[str]) -> int:
    for runner in _PACKAGE_RUNNERS:
        if tuple(words[: len(runner)]) == runner:
            at = len(runner)
            while at < len(words) and words[at].startswith("-"):
                at += 1
            return at
    return 0


def _name(word: str) -> str:
    """The runner that a word starts: `jest`, `node_modules/.bin/jest`, `node_modules/jest/bin/jest.js`."""
    *folders, name = word.split("/")
    package = folders[folders.index("node_modules") + 1] if "node_modules" in folders[:-1] else ""
    if package in _FINDERS:
        return package
    return name.partition(".")[0] if package else name


def _call(words: Sequence[str], count: int, origin: str, env: tuple[tuple[str, str], ...]) -> RunnerCall:
    return RunnerCall(tuple(words[:count]), tuple(words[count:]), origin, env)
