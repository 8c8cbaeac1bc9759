"""Parses the test script of a package.json, to find the test runner between lint, audit and build."""

import fnmatch
import itertools
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.testing.command import ParseCommand, TestCommand

Environment = tuple[tuple[str, str], ...]

_MAX_SCRIPT_DEPTH = 5
"""Maximum depth of scripts that call scripts."""
_MAX_STEPS = 50
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
"""Runners without a readable report; the exit code of the script decides."""
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
"""Program that starts a shell from node. The box looks at the first program of a command, which must be node."""


@dataclass(frozen=True)
class _Step:
    words: tuple[str, ...]
    env: Environment = ()


def parse_script(
    scripts: Mapping[str, str], origin: str, parse_command: ParseCommand, script: str = "test"
) -> TestCommand | None:
    """Return the test runner that this script starts, after the builds it needs; None if none is known."""
    steps = list(itertools.islice(_parse_steps(scripts, script, ()), _MAX_STEPS))
    commands = [
        (number, command)
        for number, step in enumerate(steps)
        if (command := _parse_runner(step, origin, parse_command))
    ]
    if not commands:
        return None
    # playwright needs browsers and a server
    number, command = min(commands, key=lambda pair: pair[1].runner == "playwright")
    builds = [_to_shell(step) for step in steps[:number] if _is_build(step.words)]
    return _run_after(builds, command) if builds else command


def has_own_runner(scripts: Mapping[str, str]) -> bool:
    """Return True if `npm test` starts a runner without a readable report: jest or vitest then has another purpose."""
    steps = itertools.islice(_parse_steps(scripts, "test", ()), _MAX_STEPS)
    return any(posixpath.basename(word) in _WITHOUT_REPORT for step in steps for word in step.words[:3])


def _run_after(builds: Sequence[str], command: TestCommand) -> TestCommand:
    before = " && ".join(builds)
    argv = ("node", "-e", _SHELL, "--", f'{before} && exec "$@"', *command.argv)
    return replace(command, argv=argv, typed=f"{before} && {command.typed}")


def _parse_steps(
    scripts: Mapping[str, str], name: str, above: tuple[str, ...], more: Sequence[str] = ()
) -> Iterator[_Step]:
    """Yield each simple command that a script runs, in order. Commands of a called script replace the call."""
    if name in above or len(above) > _MAX_SCRIPT_DEPTH:
        return
    if f"pre{name}" in scripts:
        yield from _parse_steps(scripts, f"pre{name}", (*above, name))
    commands = _split_commands(scripts.get(name, ""))
    for position, words in enumerate(commands, 1):
        step = _unwrap((*words, *(more if position == len(commands) else ())))
        script_calls = _find_called_scripts(step.words, scripts)
        if script_calls and not _is_build(step.words):
            for other, arguments in script_calls:
                inner = _parse_steps(scripts, other, (*above, name), arguments)
                yield from (replace(inner_step, env=(*step.env, *inner_step.env)) for inner_step in inner)
        elif step.words:
            yield step


def _split_commands(script: str) -> list[tuple[str, ...]]:
    """Split at `&&` and `;`. Leave out commands that need more of a shell."""
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


def _unwrap(words: Sequence[str]) -> _Step:
    """Remove assignments, cross-env, coverage tools and the like around the command."""
    env: list[tuple[str, str]] = []
    remaining_words = list(words)
    while remaining_words:
        name = posixpath.basename(remaining_words[0])
        if _ASSIGNMENT.match(remaining_words[0]):
            variable, _, value = remaining_words.pop(0).partition("=")
            env.append((variable, value))
        elif name in _WRAPPERS:
            runner_positions = (at for at, word in enumerate(remaining_words[1:], 1) if _starts_program(word))
            remaining_words = remaining_words[next(runner_positions, len(remaining_words)) :]
        else:
            break
    return _Step(tuple(remaining_words), tuple(env))


def _starts_program(word: str) -> bool:
    name = posixpath.basename(word)
    return name in _KNOWN | _WITHOUT_REPORT | _MANAGERS | _SCRIPT_RUNNERS | _WRAPPERS or bool(_ASSIGNMENT.match(word))


def _find_called_scripts(words: Sequence[str], scripts: Mapping[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the scripts that this command runs, with the arguments it adds to them."""
    if not words:
        return []
    if words[0] in _SCRIPT_RUNNERS:
        names = [word for word in words[1:] if not word.startswith("-")]
        return [(name, ()) for pattern in names for name in scripts if fnmatch.fnmatchcase(name, pattern)]
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


def _parse_runner(step: _Step, origin: str, parse_command: ParseCommand) -> TestCommand | None:
    words = step.words
    if words[0] not in ("node", "npx") and "/" not in words[0]:
        while words[:1] and words[0] in (*_MANAGERS, "exec", "dlx"):
            words = words[1:]
        words = ("npx", "--no-install", *words)
    elif words[0] == "npx":
        words = ("npx", "--no-install", *(word for word in words[1:] if word not in ("--no-install", "-y", "--yes")))
    command = parse_command(words, origin, step.env)
    return command if command and command.runner not in ("pytest", "unittest", "django") else None


def _is_build(words: Sequence[str]) -> bool:
    """Return True if it is a build, whose result tests may need; linters, type checks and audits build nothing."""
    names = [posixpath.basename(word) for word in words[:3]]
    if names[0] in _MANAGERS:
        return any(_BUILD_NAME.search(name) for name in names[1:])
    return "--noEmit" not in words and bool(_BUILDERS & set(names))


def _to_shell(step: _Step) -> str:
    is_packaged = step.words[0] in _BUILDERS - _SYSTEM
    words = ("npx", "--no-install", *step.words) if is_packaged else step.words
    return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in step.env), shlex.join(words)])
