"""Test commands: how a repository's tests are run, and the runner call that the user wrote."""

import posixpath
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.box import OUTBOX
from reknit.core.services.service import Service

Evidence = Literal["junit", "exit code", "report"]
"""`report`: the runner's own JSON or text."""
ReportFormat = Literal["junit", "jest", "mocha", "playwright", "go", "cargo"]
_REPORT = f"{OUTBOX}/report."
STDOUT_WORD = "{stdout}"
"""Value of `TestCommand.report` for a runner that prints its report."""
WHOLE_WORD = "{whole}"
"""Start of a word of `argv` that is left out when single tests are chosen."""
GLOB_WORD = "{glob}"
"""Start of a word of `argv` that is a pattern: a shell would replace it by the matching files."""
SELECTION_WORD = "{selection}"
"""Word of `argv` that the arguments for chosen tests replace; without it, they go to the end."""
UNITTEST_WORD = "{unittest}"
"""Word of `argv` for the source of reknit's program that runs unittest or Django and writes JUnit."""
NODE_REPORTER_WORD = "{node reporter}"
"""Word of `argv` for the address of reknit's JUnit reporter for `node --test`."""
JUNIT = f"{OUTBOX}/report.xml"
JSON = f"{OUTBOX}/report.json"
Files = Mapping[str, str | None]
"""Every tracked path -> its text if it is a manifest, else None."""


def choose_evidence(kinds: Iterable[Evidence]) -> Evidence:
    """Return the best evidence of several projects; only `exit code` does not tell the tests apart."""
    return next((evidence for evidence in kinds if evidence != "exit code"), "exit code")


@dataclass(frozen=True)
class TestCommand:
    """The test command of a project; found by `core/projects/detect.py` or set by the user."""

    __test__ = False
    runner: str
    """pytest, unittest, django, vitest, jest, mocha, node, playwright, go, cargo, maven, gradle; npm and make, judged
    by their exit code; or `command` if the user set another one."""
    argv: tuple[str, ...]
    """Command line of the whole suite. `{outbox}` stands for the folder where reports are written."""
    evidence: Evidence
    report: str = ""
    """Glob of report files: below the outbox if it starts with `{outbox}`, otherwise below the tree; or `{stdout}`."""
    select: tuple[str, ...] = ()
    """Arguments that run only chosen tests, see `core/testing/selection.py`. Empty: cannot select."""
    origin: str = ""
    """File that the command was read from, relative to `folder`: `pyproject.toml`."""
    env: tuple[tuple[str, str], ...] = ()
    folder: str = ""
    """Working folder below the repository's root; empty: the root. Test ids and the report are relative to it."""
    report_format: ReportFormat = "junit"
    typed: str = ""
    """Command line as a person types it; empty: the same as `argv`, see `to_command_line`."""
    services: tuple[Service, ...] = ()
    """Services that run beside the tests, in the same box."""
    within: tuple[str, ...] = ()
    """Files and folders below `folder` that this command tests, if another runner tests the rest; empty: all."""

    @property
    def manifest(self) -> str:
        """Return the path of the file that the command was read from, relative to the repository."""
        return posixpath.join(self.folder, self.origin)


def set_report_name(command: TestCommand, name: str) -> TestCommand:
    """Return the command with this name for its report, so that tested code cannot guess the path."""

    def replace_name(text: str) -> str:
        return text.replace(_REPORT, f"{OUTBOX}/{name}.")

    return replace(
        command,
        argv=tuple(replace_name(word) for word in command.argv),
        env=tuple((variable, replace_name(value)) for variable, value in command.env),
        report=replace_name(command.report),
    )


def to_command_line(command: TestCommand) -> str:
    """Return the command for people and agents, without the options that reknit adds."""
    place = f"cd {shlex.quote(command.folder)} && " if command.folder else ""
    return place + (command.typed or shlex.join(word for word in command.argv if OUTBOX not in word))


@dataclass(frozen=True)
class RunnerCall:
    """A call of a test runner as the user wrote it, split where reknit adds its own options."""

    start: tuple[str, ...]
    """The words up to the runner: `npx --no-install jest`."""
    arguments: tuple[str, ...] = ()
    origin: str = ""
    env: tuple[tuple[str, str], ...] = ()

    @property
    def typed(self) -> str:
        return shlex.join((*self.start, *self.arguments))


def split_runner_call(words: Sequence[str], count: int, origin: str, env: tuple[tuple[str, str], ...]) -> RunnerCall:
    """Return the call whose runner ends after `count` words."""
    return RunnerCall(tuple(words[:count]), tuple(words[count:]), origin, env)


def drop_options(arguments: Iterable[str], flags: Collection[str], with_value: Collection[str] = ()) -> tuple[str, ...]:
    """Return the arguments without these options: `--flag`, `--option value` and `--option=value`."""
    remaining: list[str] = []
    is_value = False
    for argument in arguments:
        name = argument.partition("=")[0]
        if is_value:
            is_value = False
        elif name in with_value:
            is_value = "=" not in argument
        elif name not in flags:
            remaining.append(argument)
    return tuple(remaining)


ParseCommand = Callable[[Sequence[str], str, tuple[tuple[str, str], ...]], TestCommand | None]
"""Parses the words of a command, its origin and its environment; returns None for an unknown runner."""
