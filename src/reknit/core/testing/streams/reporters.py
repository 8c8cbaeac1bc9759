"""The same test command with a reporter of ours, which streams results: no path of a report is in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reknit.core.box import BOX_HOME
from reknit.core.services.service import env_of
from reknit.core.testing.command import NODE_REPORTER_WORD, UNITTEST_WORD, TestCommand
from reknit.core.testing.runners.call import JSON, JUNIT


@dataclass(frozen=True)
class StreamingCommand:
    command: TestCommand
    source: str
    """Which of our reporters it loads: a file of `adapters/testing`."""
    path: str
    """Where the command expects it, below HOME."""


@dataclass(frozen=True)
class _Reporter:
    source: str
    words: tuple[str, ...]
    """What the command has for reports in files."""
    ours: tuple[str, ...]
    """`{place}`: the reporter's path without its ending. `{name}`: its name alone."""


_UNITTEST = _Reporter("unittest_wrapper.py", ("-c", UNITTEST_WORD, JUNIT), ("{place}.py",))
_REPORTERS = {
    "pytest": _Reporter("pytest_reporter.py", ("-o", "junit_family=xunit1", f"--junitxml={JUNIT}"), ("-p", "{name}")),
    "unittest": _UNITTEST,
    "django": _UNITTEST,
    "node": _Reporter(
        "node_reporter.mjs",
        (f"--test-reporter={NODE_REPORTER_WORD}", f"--test-reporter-destination={JUNIT}"),
        ("--test-reporter={place}.mjs", "--test-reporter-destination=/dev/null"),
    ),
    "vitest": _Reporter(
        "vitest_reporter.mjs",
        ("--reporter=junit", f"--outputFile.junit={JUNIT}"),
        ("--reporter={place}.mjs",),
    ),
    "jest": _Reporter(
        "jest_reporter.cjs",
        ("--json", f"--outputFile={JSON}"),
        ("--reporters=default", "--reporters={place}.cjs"),
    ),
    "mocha": _Reporter(
        "mocha_reporter.cjs",
        ("--reporter=json", f"--reporter-options=output={JSON}"),
        ("--reporter={place}.cjs",),
    ),
}


def streaming(command: TestCommand, folder: str, name: str) -> StreamingCommand | None:
    """None: its reports can only be read from files, or printed. `folder`, `name`: of the reporter, below HOME."""
    reporter = _REPORTERS.get(command.runner)
    if reporter is None:
        return None
    place = f"{BOX_HOME}/{folder}/{name}"
    ours = [word.replace("{place}", place).replace("{name}", name) for word in reporter.ours]
    argv = _replaced(command.argv, reporter.words, ours)
    if argv is None:
        return None
    env = _with_module(command, f"{BOX_HOME}/{folder}") if command.runner == "pytest" else command.env
    ending = reporter.source.rpartition(".")[2]
    return StreamingCommand(replace(command, argv=argv, env=env), reporter.source, f"{folder}/{name}.{ending}")


def _replaced(argv: Sequence[str], words: Sequence[str], ours: Sequence[str]) -> tuple[str, ...] | None:
    for start in range(len(argv) - len(words) + 1):
        if tuple(argv[start : start + len(words)]) == tuple(words):
            return (*argv[:start], *ours, *argv[start + len(words) :])
    return None


def _with_module(command: TestCommand, folder: str) -> tuple[tuple[str, str], ...]:
    """The reporter removes its folder again, so tested code sees the paths that the user set."""
    given = {name: value for service in command.services for name, value in env_of(service).items()} | dict(command.env)
    path = ":".join(filter(None, (folder, given.get("PYTHONPATH", ""))))
    return tuple((dict(command.env) | {"PYTHONPATH": path}).items())
