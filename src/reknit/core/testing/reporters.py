"""Adds a reporter of reknit to a test command. It streams the results, so tested code finds no report to change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reknit.core.box import BOX_HOME
from reknit.core.services.service import to_env
from reknit.core.testing.command import JSON, JUNIT, NODE_REPORTER_WORD, UNITTEST_WORD, TestCommand


@dataclass(frozen=True)
class StreamingCommand:
    """A test command that loads a reporter of reknit."""

    command: TestCommand
    source: str
    """The reporter's file in `adapters/testing`."""
    path: str
    """Path of the reporter below HOME, as the command expects it."""


@dataclass(frozen=True)
class _Reporter:
    source: str
    file_words: tuple[str, ...]
    """Words with which the command writes reports to files."""
    stream_words: tuple[str, ...]
    """Words that replace them. `{place}`: the reporter's path without its extension. `{name}`: its name alone."""


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


def add_streaming_reporter(command: TestCommand, folder: str, name: str) -> StreamingCommand | None:
    """Return the command with the reporter as `folder`/`name` below HOME; None if the runner has no such reporter."""
    reporter = _REPORTERS.get(command.runner)
    if reporter is None:
        return None
    place = f"{BOX_HOME}/{folder}/{name}"
    stream_words = [word.replace("{place}", place).replace("{name}", name) for word in reporter.stream_words]
    argv = _replace_words(command.argv, reporter.file_words, stream_words)
    if argv is None:
        return None
    env = _add_python_path(command, f"{BOX_HOME}/{folder}") if command.runner == "pytest" else command.env
    ending = reporter.source.rpartition(".")[2]
    return StreamingCommand(replace(command, argv=argv, env=env), reporter.source, f"{folder}/{name}.{ending}")


def _replace_words(argv: Sequence[str], old: Sequence[str], new: Sequence[str]) -> tuple[str, ...] | None:
    for start in range(len(argv) - len(old) + 1):
        if tuple(argv[start : start + len(old)]) == tuple(old):
            return (*argv[:start], *new, *argv[start + len(old) :])
    return None


def _add_python_path(command: TestCommand, folder: str) -> tuple[tuple[str, str], ...]:
    """Return the environment with the reporter's folder, which the reporter removes again."""
    environment = {name: value for service in command.services for name, value in to_env(service).items()} | dict(
        command.env
    )
    path = ":".join(filter(None, (folder, environment.get("PYTHONPATH", ""))))
    return tuple((dict(command.env) | {"PYTHONPATH": path}).items())
