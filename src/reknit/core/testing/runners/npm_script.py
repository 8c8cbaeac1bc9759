"""Takes the test script of a package.json apart, to find the test runner between lint, audit and build."""

import fnmatch
import itertools
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.testing.command import TestCommand
from reknit.core.testing.runners.recognise import recognise

Environment = tuple[tuple[str, str], ...]

_DEEPEST = 5
"""Scripts that call scripts."""
_MOST_STEPS = 50
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,200}=")
_SEPARATORS = frozenset({"&&", ";"})
_OPERATOR = re.compile(r"[();<>|&]{1,20}")
_MANAGERS = frozenset({"npm", "yarn", "pnpm", "bun"})
_SCRIPT_RUNNERS = frozenset({"run-s", "run-p", "npm-run-all", "npm-run-all2"})
_WRAPPERS = frozenset({"c8", "nyc", "cross-env", "cross-env-shell", "env", "dotenv", "time"})
_KNOWN = frozenset({"vitest", "jest", "mocha", "_mocha", "playwright", "node", "tsx", "react-scripts", "npx"})
_WITHOUT_REPORT = frozenset(
    {"ava", "tape", "tap", "uvu", "qunit", "jasmine", "lab", "borp", "karma", "wtr", "cypress", "deno"}
)
"""Runners that are judged by the exit code of the script."""
_SYSTEM = frozenset({"cp", "mkdir", "rm", "ln", "mv"})
_BUILDERS = _SYSTEM | {
    "tsc", "tsup", "webpack", "rollup", "esbuild", "babel", "swc", "tsdown", "parcel", "prisma", "copyfiles", "shx",
    "rimraf", "mkdirp", "del-cli",
}  # fmt: skip
_BUILD_NAME = re.compile(r"(?:^|[:-])(?:build|compile|transpile|bundle|codegen|generate|prepare)(?:$|[:-])")
_SHELL = (
    'const {spawnSync} = require("node:child_process");'
    'const done = spawnSync("sh", ["-c", process.argv[1], "sh", ...process.argv.slice(2)], {stdio: "inherit"});'
    "process.exit(done.status ?? 1)"
)
"""Starts a shell from node: the box shows the program that a command starts with, which must be node's."""


@dataclass(frozen=True)
class _Step:
    words: tuple[str, ...]
    env: Environment = ()


def take_apart(scripts: Mapping[str, str], origin: str, script: str = "test") -> TestCommand | None:
    """The test runner that this script starts, with the builds it needs before; None: none is known."""
    steps = list(itertools.islice(_steps(scripts, script, ()), _MOST_STEPS))
    found = [(number, command) for number, step in enumerate(steps) if (command := _runner(step, origin))]
    if not found:
        return None
    number, command = min(found, key=lambda each: each[1].runner == "playwright")  # it needs browsers and a server
    builds = [_as_shell(step) for step in steps[:number] if _is_build(step.words)]
    return _after(builds, command) if builds else command


def has_own_runner(scripts: Mapping[str, str]) -> bool:
    """Whether `npm test` starts a runner that is not read: jest or vitest is there for another purpose."""
    steps = itertools.islice(_steps(scripts, "test", ()), _MOST_STEPS)
    return any(posixpath.basename(word) in _WITHOUT_REPORT for step in steps for word in step.words[:3])


def _after(builds: Sequence[str], command: TestCommand) -> TestCommand:
    before = " && ".join(builds)
    argv = ("node", "-e", _SHELL, "--", f'{before} && exec "$@"', *command.argv)
    return replace(command, argv=argv, typed=f"{before} && {command.typed}")


def _steps(scripts: Mapping[str, str], name: str, above: tuple[str, ...], more: Sequence[str] = ()) -> Iterator[_Step]:
    """Every simple command that a script runs, in order; scripts that it calls are replaced by their own."""
    if name in above or len(above) > _DEEPEST:
        return
    if f"pre{name}" in scripts:
        yield from _steps(scripts, f"pre{name}", (*above, name))
    commands = _commands(scripts.get(name, ""))
    for position, words in enumerate(commands, 1):
        step = _unwrapped((*words, *(more if position == len(commands) else ())))
        called = _called(step.words, scripts)
        if called and not _is_build(step.words):
            for other, arguments in called:
                inner = _steps(scripts, other, (*above, name), arguments)
                yield from (replace(each, env=(*step.env, *each.env)) for each in inner)
        elif step.words:
            yield step


def _commands(script: str) -> list[tuple[str, ...]]:
    """The commands between `&&` and `;`. One that needs more of a shell is left out."""
    lexer = shlex.shlex(script, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        tokens = list(lexer)
    except ValueError:
        return []
    commands: list[list[str]] = [[]]
    for token in tokens:
        if token in _SEPARATORS:
            commands.append([])
        else:
            commands[-1].append(token)
    return [tuple(words) for words in commands if words and not any(map(_needs_shell, words))]


def _needs_shell(word: str) -> bool:
    return bool(_OPERATOR.fullmatch(word)) or "$" in word or "`" in word


def _unwrapped(words: Sequence[str]) -> _Step:
    """Without assignments, cross-env, coverage tools and the like around the command."""
    env: list[tuple[str, str]] = []
    left = list(words)
    while left:
        name = posixpath.basename(left[0])
        if _ASSIGNMENT.match(left[0]):
            variable, _, value = left.pop(0).partition("=")
            env.append((variable, value))
        elif name in _WRAPPERS:
            known = (at for at, word in enumerate(left[1:], 1) if _starts_something(word))
            left = left[next(known, len(left)) :]
        else:
            break
    return _Step(tuple(left), tuple(env))


def _starts_something(word: str) -> bool:
    name = posixpath.basename(word)
    return name in _KNOWN | _WITHOUT_REPORT | _MANAGERS | _SCRIPT_RUNNERS | _WRAPPERS or bool(_ASSIGNMENT.match(word))


def _called(words: Sequence[str], scripts: Mapping[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """The scripts that this command runs, with the arguments it adds to them."""
    if not words:
        return []
    if words[0] in _SCRIPT_RUNNERS:
        names = [word for word in words[1:] if not word.startswith("-")]
        return [(name, ()) for pattern in names for name in _matching(pattern, scripts)]
    if words[0] not in _MANAGERS:
        return []
    rest = [word for word in words[1:] if word not in ("-s", "--silent")]
    verb, others = (rest[0], rest[1:]) if rest else ("", [])
    if verb in ("run", "run-script") and others:
        verb, others = others[0], others[1:]
    elif words[0] == "npm":
        verb = {"t": "test", "tst": "test", "test": "test", "start": "start"}.get(verb, "")
    arguments = tuple(word for word in others if word != "--")
    return [(verb, arguments)] if verb in scripts else []


def _matching(pattern: str, scripts: Mapping[str, str]) -> list[str]:
    return [name for name in scripts if fnmatch.fnmatchcase(name, pattern)]


def _runner(step: _Step, origin: str) -> TestCommand | None:
    words = step.words
    if words[0] not in ("node", "npx") and "/" not in words[0]:
        while words[:1] and words[0] in (*_MANAGERS, "exec", "dlx"):
            words = words[1:]
        words = ("npx", "--no-install", *words)
    elif words[0] == "npx":
        words = ("npx", "--no-install", *(word for word in words[1:] if word not in ("--no-install", "-y", "--yes")))
    found = recognise(words, origin, step.env)
    return found if found and found.runner not in ("pytest", "unittest", "django") else None


def _is_build(words: Sequence[str]) -> bool:
    """Tests may run what a build makes; linters, type checks and audits make nothing."""
    names = [posixpath.basename(word) for word in words[:3]]
    if names[0] in _MANAGERS:
        return any(_BUILD_NAME.search(name) for name in names[1:])
    return "--noEmit" not in words and bool(_BUILDERS & set(names))


def _as_shell(step: _Step) -> str:
    is_packaged = step.words[0] in _BUILDERS - _SYSTEM
    words = ("npx", "--no-install", *step.words) if is_packaged else step.words
    return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in step.env), shlex.join(words)])
