"""Runs a repository's tests in a box and reports the results."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from reknit.adapters.testing.report_files import Entry, find_reports, read_reports
from reknit.core.box import OUTBOX, BoxView, Command, CommandLimits, CommandResult
from reknit.core.testing.command import TestCommand
from reknit.core.testing.junit import JUnit
from reknit.core.testing.junit_messages import MESSAGE_CHARS, OUTPUT_CHARS, read_junit, safe_output
from reknit.core.testing.report import WHOLE_SUITE, TestReport, TestResult
from reknit.core.testing.status import FinishedTestRun, problem_of_exit, status_of
from reknit.core.text.work_limits import TEST_REPORT_LIMITS, Unfinished
from reknit.ports.bounded import BoundedCalls
from reknit.ports.box import Box

STDERR_CHARS = 1500
LONGEST_SELECTION = 100_000
"""Characters of test ids on one command line; if there are more, the whole suite runs, which includes them."""
_PLACE = "{outbox}"
_ENV = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}


class TestCommandRunner:
    __test__ = False

    def __init__(self, calls: BoundedCalls) -> None:
        self._calls = calls

    async def run(
        self, command: TestCommand, view: BoxView, box: Box, *, only: Sequence[str] = (), outbox: str, wall_s: float
    ) -> TestReport:
        if any(test.startswith("-") for test in only):
            return TestReport(
                "error", command.evidence, why="a test id that starts with a dash would be parsed as an option"
            )
        if not _is_folder(view.tree, command.folder):
            return TestReport("error", command.evidence, why=f"{command.folder} is not a folder in this commit")
        boxed = _boxed(command, view, only, outbox, wall_s)
        if command.evidence == "exit code":
            return _by_exit_code(await box.run(view, boxed))
        folder, glob = _report_place(command, view, outbox)
        old = find_reports(folder, glob)
        ended = await box.run(view, boxed)
        junit, problem = await self._read(folder, glob, old, ended)
        return _by_report(command, ended, junit, problem, only)

    async def _read(self, folder: str, glob: str, old: frozenset[Entry], ended: CommandResult) -> tuple[JUnit, str]:
        """The contents of the reports, or why they cannot be used."""
        try:
            documents = await asyncio.to_thread(read_reports, folder, glob, but=old)
            found = await self._calls.run(TEST_REPORT_LIMITS, read_junit, documents)
        except ValueError as error:
            return JUnit(), str(error)
        if isinstance(found, Unfinished):
            return JUnit(), f"reading the test reports {found.why}"
        return found, "" if documents else _no_report(ended)


def _is_folder(tree: str, folder: str) -> bool:
    """Not one that is reached through a link, which could lead out of the tree."""
    place = Path(tree, folder)
    return place.is_dir() and place.resolve() == Path(tree).resolve() / folder


def _boxed(command: TestCommand, view: BoxView, only: Sequence[str], outbox: str, wall_s: float) -> Command:
    program, *arguments = (word.replace(_PLACE, OUTBOX) for word in command.argv)
    chosen = _selection(command.select, only) if sum(map(len, only)) <= LONGEST_SELECTION else []
    return Command(
        argv=(_interpreter(view) if program == "python" else program, *arguments, *chosen),
        env=_ENV | {name: value.replace(_PLACE, OUTBOX) for name, value in command.env},
        outbox=outbox,
        limits=CommandLimits(wall_s=wall_s, idle_s=wall_s),
        folder=command.folder,
    )


def _selection(select: Sequence[str], only: Sequence[str]) -> list[str]:
    words: list[str] = []
    for word in select if only else ():
        words += [word.replace("{id}", test) for test in only] if "{id}" in word else [word]
    return words


def _interpreter(view: BoxView) -> str:
    """If the repository has no virtual environment, the system may have no `python`."""
    places = (Path(view.repository, folder, "bin", "python") for folder in (".venv", "venv"))
    return "python" if any(os.path.lexists(place) for place in places) else "python3"


def _report_place(command: TestCommand, view: BoxView, outbox: str) -> tuple[str, str]:
    if command.report.startswith(_PLACE):
        return outbox, command.report.removeprefix(_PLACE).lstrip("/")
    return str(Path(view.tree, command.folder)), command.report


def _by_exit_code(ended: CommandResult) -> TestReport:
    tail = _output_tail(ended)
    why = problem_of_exit(ended.reason, ended.exit_code)
    result: TestResult = "failed" if ended.exit_code else "passed"
    return TestReport(
        "error" if why else "fail" if ended.exit_code else "pass",
        "exit code",
        {} if why else {WHOLE_SUITE: result},
        {WHOLE_SUITE: tail[-MESSAGE_CHARS:]} if ended.exit_code and not why else {},
        exit_code=ended.exit_code,
        output_tail=tail,
        seconds=ended.seconds,
        why=why,
    )


def _by_report(
    command: TestCommand, ended: CommandResult, junit: JUnit, problem: str, only: Sequence[str]
) -> TestReport:
    status, why = status_of(
        FinishedTestRun(command.runner, ended.reason, ended.exit_code, junit.results, problem=problem, wanted=only)
    )
    return TestReport(
        status,
        "junit",
        junit.results,
        junit.messages,
        junit.files,
        exit_code=ended.exit_code,
        output_tail=_output_tail(ended),
        seconds=ended.seconds,
        why=why,
    )


def _no_report(ended: CommandResult) -> str:
    if b"No module named pytest" in ended.stderr:
        way = 'install it in .venv, or set checks.tests.run, e.g. "python3 -m unittest"'
        return f"pytest is not installed for the Python that the box sees; {way}"
    return f"the test command left no report (exit code {ended.exit_code})"


def _output_tail(ended: CommandResult) -> str:
    errors = safe_output(ended.stderr.decode("utf-8", "replace")).strip()[-STDERR_CHARS:]
    output = safe_output(ended.stdout.decode("utf-8", "replace")).strip()[-(OUTPUT_CHARS - len(errors)) :]
    return "\n".join(filter(None, (output, errors)))
