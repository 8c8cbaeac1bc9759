"""vitest, jest, mocha, `node --test` and Playwright, with reports and selection.

Coverage is off: its thresholds say nothing about the tests, and must not decide about them.
"""

from collections.abc import Iterator, Sequence

from reknit.core.testing.command import (
    GLOB_WORD,
    NODE_REPORTER_WORD,
    SELECTION_WORD,
    WHOLE_WORD,
    ReportFormat,
    TestCommand,
)
from reknit.core.testing.runners.call import JSON, JUNIT, RunnerCall, without

PLAYWRIGHT_CONFIGS = tuple(f"playwright.config.{end}" for end in ("ts", "js", "mts", "mjs", "cts", "cjs"))
_CI = ("CI", "true")
_FORMS: dict[str, ReportFormat] = {"jest": "jest", "mocha": "mocha", "playwright": "playwright"}
_WATCH = ("--watch", "--watchAll", "--ui", "--open", "--run")
_CHANGED = ("--changed", "--onlyChanged", "-o")
"""Only what differs from the last commit: nothing in a fresh tree."""
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


def vitest(call: RunnerCall) -> TestCommand | None:
    arguments = call.arguments[1:] if call.arguments[:1] and call.arguments[0] in _VITEST_MODES else call.arguments
    if arguments[:1] and arguments[0] in ("bench", "list", "init", "related"):
        return None
    kept = _without_coverage(without(arguments, (*_WATCH, "-w", *_CHANGED), ("--reporter", "--outputFile", "--bail")))
    ours = ("--reporter=default", "--reporter=junit", f"--outputFile.junit={JUNIT}")
    argv = (*call.start, "run", *kept, *ours, "--coverage.enabled=false", "--bail=0")
    return _command("vitest", argv, ("--testNamePattern={suite names}", "{file}"), call)


def jest(call: RunnerCall) -> TestCommand:
    kept = _without_coverage(
        without(call.arguments, (*_WATCH, *_CHANGED, "--ci", "--json", "--bail", "-b"), _JEST_VALUES)
    )
    ours = ("--ci", "--json", f"--outputFile={JSON}", "--coverage=false", "--bail=0")
    return _command("jest", (*call.start, *kept, *ours), ("--testNamePattern={names}", "{file pattern}"), call)


def mocha(call: RunnerCall) -> TestCommand:
    dropped = ("--reporter", "-R", "--reporter-option", "--reporter-options", "-O")
    kept = without(call.arguments, (*_WATCH, "-w", "--bail", "-b"), dropped)
    ours = ("--reporter=json", f"--reporter-options=output={JSON}", "--no-bail")
    return _command("mocha", (*call.start, *map(_expanded, kept), *ours), ("--grep={names}",), call)


def playwright(call: RunnerCall) -> TestCommand:
    kept = without(call.arguments, ("-x", "--ui", "--headed", "--debug"), ("--reporter", "--max-failures"))
    argv = (*call.start, *_chosen_before(kept), "--reporter=json", "--max-failures=0")
    env = tuple((f"PLAYWRIGHT_JSON_OUTPUT_{name}", JSON) for name in ("FILE", "NAME"))
    return _command("playwright", argv, ("--grep={title end}", "{file pattern}"), call, env)


def node(call: RunnerCall) -> TestCommand:
    """`call.start`: `node`; the options of node end where the files begin."""
    dropped = ("--watch", "--test-only", "--experimental-test-coverage", "--test")
    reporters = ("--test-reporter", "--test-reporter-destination", "--test-coverage-include", "--test-coverage-exclude")
    arguments = without(call.arguments, dropped, reporters)
    count = _options(arguments)
    reporter = (
        "--test",
        f"--test-reporter={NODE_REPORTER_WORD}",
        f"--test-reporter-destination={JUNIT}",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
    )
    files = (f"{WHOLE_WORD}{_expanded(word)}" for word in arguments[count:])
    argv = (*call.start, *reporter, *arguments[:count], SELECTION_WORD, *files)
    return _command("node", argv, ("--test-name-pattern={any names}", "{file}"), call)


def _command(
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


def _without_coverage(arguments: Sequence[str]) -> tuple[str, ...]:
    values = {
        "--coverageReporters", "--coverageDirectory", "--coverageThreshold", "--coverageProvider",
        "--collectCoverageFrom", "--coverage.reporter", "--coverage.provider", "--coverage.include",
        "--coverage.exclude", "--coverage.reportsDirectory",
    }  # fmt: skip
    kept = without(arguments, (), values)
    return tuple(word for word in kept if not word.startswith(("--coverage", "--collectCoverage", "--no-coverage")))


def _chosen_before(arguments: Sequence[str]) -> Iterator[str]:
    """Marks the files that Playwright is called with: it would run them beside those that are chosen."""
    is_value = False
    for word in arguments:
        yield word if is_value or word.startswith("-") else f"{WHOLE_WORD}{word}"
        is_value = word in _PLAYWRIGHT_VALUES


def _options(arguments: Sequence[str]) -> int:
    """How many words are options of node."""
    count = 0
    while count < len(arguments) and arguments[count].startswith("-"):
        count += 2 if arguments[count] in _NODE_VALUES else 1
    return min(count, len(arguments))


def _expanded(word: str) -> str:
    """Marks a word that a shell would have replaced by file names."""
    return f"{GLOB_WORD}{word}" if not word.startswith("-") and _GLOB_SIGNS & set(word) else word
