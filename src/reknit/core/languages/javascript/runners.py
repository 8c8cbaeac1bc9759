"""Builds the commands of vitest, jest, mocha, `node --test` and Playwright, with reports and selection.

Coverage is switched off: a missed threshold must not make the tests fail.
"""

from collections.abc import Callable, Iterator, Sequence

from reknit.core.testing.command import (
    GLOB_WORD,
    JSON,
    JUNIT,
    NODE_REPORTER_WORD,
    SELECTION_WORD,
    WHOLE_WORD,
    ReportFormat,
    RunnerCall,
    TestCommand,
    drop_options,
    split_runner_call,
)

PLAYWRIGHT_CONFIGS = tuple(f"playwright.config.{end}" for end in ("ts", "js", "mts", "mjs", "cts", "cjs"))
_CI = ("CI", "true")
_FORMS: dict[str, ReportFormat] = {"jest": "jest", "mocha": "mocha", "playwright": "playwright"}
_WATCH = ("--watch", "--watchAll", "--ui", "--open", "--run")
_CHANGED = ("--changed", "--onlyChanged", "-o")
"""Options that select tests of uncommitted changes; a fresh tree has no such changes."""
_VITEST_MODES = ("run", "watch", "dev")
_NODE_VALUES = frozenset(
    {
        "--import", "--require", "-r", "--loader", "--experimental-loader", "--env-file", "--conditions", "-C",
        "--test-concurrency", "--test-timeout", "--test-shard", "--test-isolation", "--test-name-pattern",
        "--test-skip-pattern",
    }
)  # fmt: skip
"""Options of node whose value may be the next word."""
_PLAYWRIGHT_VALUES = frozenset(
    {
        "--config", "-c", "--project", "--grep", "-g", "--grep-invert", "-gv", "--workers", "-j",
        "--retries", "--timeout", "--global-timeout", "--shard", "--repeat-each", "--output", "--trace", "--tsconfig",
        "--browser", "--name",
    }
)  # fmt: skip
"""Options of Playwright whose value may be the next word."""
_JEST_VALUES = ("--outputFile", "--reporters", "--changedSince")
_GLOB_SIGNS = frozenset("*?")


def make_vitest_command(call: RunnerCall) -> TestCommand | None:
    """Return the command of vitest with a JUnit report; None for a mode that runs no tests."""
    arguments = call.arguments[1:] if call.arguments[:1] and call.arguments[0] in _VITEST_MODES else call.arguments
    if arguments[:1] and arguments[0] in ("bench", "list", "init", "related"):
        return None
    options = _drop_coverage(
        drop_options(arguments, (*_WATCH, "-w", *_CHANGED), ("--reporter", "--outputFile", "--bail"))
    )
    ours = ("--reporter=default", "--reporter=junit", f"--outputFile.junit={JUNIT}")
    argv = (*call.start, "run", *options, *ours, "--coverage.enabled=false", "--bail=0")
    return _make_command("vitest", argv, ("--testNamePattern={suite names}", "{file}"), call)


def make_jest_command(call: RunnerCall) -> TestCommand:
    """Return the command of jest with a JSON report."""
    options = _drop_coverage(
        drop_options(call.arguments, (*_WATCH, *_CHANGED, "--ci", "--json", "--bail", "-b"), _JEST_VALUES)
    )
    ours = ("--ci", "--json", f"--outputFile={JSON}", "--coverage=false", "--bail=0")
    return _make_command("jest", (*call.start, *options, *ours), ("--testNamePattern={names}", "{file pattern}"), call)


def make_mocha_command(call: RunnerCall) -> TestCommand:
    """Return the command of mocha with a JSON report."""
    dropped = ("--reporter", "-R", "--reporter-option", "--reporter-options", "-O")
    options = drop_options(call.arguments, (*_WATCH, "-w", "--bail", "-b"), dropped)
    ours = ("--reporter=json", f"--reporter-options=output={JSON}", "--no-bail")
    return _make_command("mocha", (*call.start, *map(_mark_glob, options), *ours), ("--grep={names}",), call)


def make_playwright_command(call: RunnerCall) -> TestCommand:
    """Return the command of Playwright with a JSON report."""
    options = drop_options(call.arguments, ("-x", "--ui", "--headed", "--debug"), ("--reporter", "--max-failures"))
    argv = (*call.start, *_mark_files(options), "--reporter=json", "--max-failures=0")
    env = tuple((f"PLAYWRIGHT_JSON_OUTPUT_{name}", JSON) for name in ("FILE", "NAME"))
    return _make_command("playwright", argv, ("--grep={title end}", "{file pattern}"), call, env)


def make_node_command(call: RunnerCall) -> TestCommand:
    """Return the command of `node --test`. `call.start`: `node`; its options end where the files begin."""
    dropped = ("--watch", "--test-only", "--experimental-test-coverage", "--test")
    reporters = ("--test-reporter", "--test-reporter-destination", "--test-coverage-include", "--test-coverage-exclude")
    arguments = drop_options(call.arguments, dropped, reporters)
    count = _count_options(arguments)
    reporter = (
        "--test",
        f"--test-reporter={NODE_REPORTER_WORD}",
        f"--test-reporter-destination={JUNIT}",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
    )
    files = (f"{WHOLE_WORD}{_mark_glob(word)}" for word in arguments[count:])
    argv = (*call.start, *reporter, *arguments[:count], SELECTION_WORD, *files)
    return _make_command("node", argv, ("--test-name-pattern={any names}", "{file}"), call)


def _make_command(
    runner: str, argv: tuple[str, ...], select: tuple[str, ...], call: RunnerCall, env: tuple[tuple[str, str], ...] = ()
) -> TestCommand:
    form = _FORMS.get(runner, "junit")
    return TestCommand(
        runner,
        argv,
        "junit" if form == "junit" else "report",
        JUNIT if form == "junit" else JSON,
        select,
        call.origin,
        tuple(dict((_CI, *call.env, *env)).items()),
        report_format=form,
        typed=call.typed,
    )


def _drop_coverage(arguments: Sequence[str]) -> tuple[str, ...]:
    values = {
        "--coverageReporters", "--coverageDirectory", "--coverageThreshold", "--coverageProvider",
        "--collectCoverageFrom", "--coverage.reporter", "--coverage.provider", "--coverage.include",
        "--coverage.exclude", "--coverage.reportsDirectory",
    }  # fmt: skip
    remaining = drop_options(arguments, (), values)
    return tuple(
        word for word in remaining if not word.startswith(("--coverage", "--collectCoverage", "--no-coverage"))
    )


def _mark_files(arguments: Sequence[str]) -> Iterator[str]:
    """Mark the files in the call of Playwright: it would run them in addition to the selected ones."""
    is_value = False
    for word in arguments:
        yield word if is_value or word.startswith("-") else f"{WHOLE_WORD}{word}"
        is_value = word in _PLAYWRIGHT_VALUES


def _count_options(arguments: Sequence[str]) -> int:
    """Return the number of words that are options of node."""
    count = 0
    while count < len(arguments) and arguments[count].startswith("-"):
        count += 2 if arguments[count] in _NODE_VALUES else 1
    return min(count, len(arguments))


def _mark_glob(word: str) -> str:
    """Mark a word that a shell would have replaced by file names."""
    return f"{GLOB_WORD}{word}" if not word.startswith("-") and _GLOB_SIGNS & set(word) else word


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
    "vitest": make_vitest_command, "jest": make_jest_command, "mocha": make_mocha_command, "_mocha": make_mocha_command,
}  # fmt: skip


def parse_command(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    """Return the command with reports and selection; None if it starts no runner of JavaScript."""
    at = _skip_package_runner(words)
    if at >= len(words):
        return None
    program = _runner_name(words[at])
    if program in ("node", "tsx"):
        return _parse_node_command(words, at, origin, env)
    if program == "playwright":
        is_test = words[at + 1 : at + 2] == ("test",)
        return make_playwright_command(split_runner_call(words, at + 2, origin, env)) if is_test else None
    if program == "react-scripts":
        return (
            make_jest_command(split_runner_call(words, at + 2, origin, env))
            if words[at + 1 : at + 2] == ("test",)
            else None
        )
    find = _FINDERS.get(program)
    return find(split_runner_call(words, at + 1, origin, env)) if find else None


def _parse_node_command(
    words: Sequence[str], at: int, origin: str, env: tuple[tuple[str, str], ...]
) -> TestCommand | None:
    """Parse a call of node itself, or of `node --options node_modules/.bin/jest`."""
    if "--test" in words[at + 1 :]:
        return make_node_command(split_runner_call(words, at + 1, origin, env))
    for position in range(at + 1, len(words)):
        find = _FINDERS.get(_runner_name(words[position])) if "node_modules/" in words[position] else None
        if find:
            return find(split_runner_call(words, position + 1, origin, env))
        if not words[position].startswith("-"):
            return None
    return None


def _skip_package_runner(words: Sequence[str]) -> int:
    for runner in _PACKAGE_RUNNERS:
        if tuple(words[: len(runner)]) == runner:
            at = len(runner)
            while at < len(words) and words[at].startswith("-"):
                at += 1
            return at
    return 0


def _runner_name(word: str) -> str:
    """Return the runner that a word starts: `jest`, `node_modules/.bin/jest`, `node_modules/jest/bin/jest.js`."""
    *folders, name = word.split("/")
    package = folders[folders.index("node_modules") + 1] if "node_modules" in folders[:-1] else ""
    if package in _FINDERS:
        return package
    return name.partition(".")[0] if package else name
