"""Runs a repository's tests in a box and reports the results."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reknit.adapters.testing.boxed_command import boxed
from reknit.adapters.testing.boxed_harness import boxed_harness
from reknit.adapters.testing.report_files import Entry, find_reports, read_reports
from reknit.adapters.testing.result_stream import run_with_reporter
from reknit.core.box import BoxView, CommandResult
from reknit.core.box_names import file_names
from reknit.core.services.failure import ServiceFailure
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import OUTBOX_WORD, STDOUT_WORD, ReportFormat, TestCommand, with_report_name
from reknit.core.testing.formats import cargo, go, mocha
from reknit.core.testing.formats.go import module_path
from reknit.core.testing.junit_messages import MESSAGE_CHARS, OUTPUT_CHARS, safe_output
from reknit.core.testing.report import WHOLE_SUITE, TestReport, TestResult
from reknit.core.testing.reported import ReportedTests, without_home
from reknit.core.testing.reports import read_tests
from reknit.core.testing.services import (
    chosen_tests,
    is_about_services,
    services_alone,
    services_unknown,
    with_services,
    without_services,
)
from reknit.core.testing.status import FinishedTestRun, problem_of_exit, status_of
from reknit.core.testing.streams.read import read_stream
from reknit.core.testing.streams.reporters import streaming
from reknit.core.text.work_limits import TEST_REPORT_LIMITS, Unfinished
from reknit.ports.bounded import BoundedCalls
from reknit.ports.box import Box

STDERR_CHARS = 1500
READABLE_BYTES = 1_000_000


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
        view = replace(view, services=command.services)
        name, *reporter = file_names(secrets.token_hex(8), 3)
        made = None if is_about_services(command, only) else streaming(command, *reporter)
        command = with_report_name(command, name)
        folder, glob = _report_place(command, view, outbox)
        old = find_reports(folder, glob) if command.report else frozenset[Entry]()
        plain = boxed(command, view, only, outbox, wall_s)
        if made is None:
            ended, key = await box.run(view, plain), ""
        else:
            ended, key = await run_with_reporter(
                box, view, made, boxed(made.command, view, only, outbox, wall_s), plain
            )
        if ended.reason == "exit" and isinstance(failure := ended.services, ServiceFailure):
            return without_services(command, replace(failure, log=safe_output(failure.log)), ended.seconds)
        if ended.services == "unknown":
            return services_unknown(command, ended, _output_tail(ended))
        if is_about_services(command, only):
            return services_alone(command, ended)
        if command.evidence == "exit code":
            return with_services(command, ended, _by_exit_code(ended))
        if key:
            found, problem = await self._read_stream(command, view, ended, key)
        else:
            found, problem = await self._read(command, view, ended, (folder, glob, old))
        found = without_home(found, ended.home)
        return with_services(command, ended, _by_report(command, ended, found, problem, chosen_tests(command, only)))

    async def call(
        self, command: TestCommand, view: BoxView, box: Box, harness: Harness, *, wall_s: float
    ) -> CommandResult:
        view = replace(view, services=command.services)
        return await box.run(view, boxed_harness(command, view, harness, wall_s))

    async def _read_stream(
        self, command: TestCommand, view: BoxView, ended: CommandResult, key: str
    ) -> tuple[ReportedTests, str]:
        if not ended.stream:
            return ReportedTests(), _no_report(ended)
        roots = await asyncio.to_thread(_roots, command, view)
        form, stderr = command.report_format, ended.stderr
        try:
            found = await self._calls.run(TEST_REPORT_LIMITS, read_stream, form, ended.stream, key, stderr, roots)
        except ValueError as error:
            return ReportedTests(), str(error)
        if isinstance(found, Unfinished):
            return ReportedTests(), f"reading the test results {found.why}"
        return found, "" if found.results else _no_report(ended)

    async def _read(
        self, command: TestCommand, view: BoxView, ended: CommandResult, place: tuple[str, str, frozenset[Entry]]
    ) -> tuple[ReportedTests, str]:
        """The contents of the reports, or why they cannot be used."""
        folder, glob, old = place
        stderr = b"" if command.report_format == "junit" else ended.stderr
        try:
            if command.report == STDOUT_WORD:
                documents: tuple[bytes, ...] = (ended.stdout,)
            else:
                documents = await asyncio.to_thread(read_reports, folder, glob, but=old)
            if command.report_format == "mocha":
                documents = documents or mocha.printed(ended.stdout)
            roots = await asyncio.to_thread(_roots, command, view)
            found = await self._calls.run(
                TEST_REPORT_LIMITS, read_tests, command.report_format, documents, stderr, roots
            )
        except ValueError as error:
            return ReportedTests(), str(error)
        if isinstance(found, Unfinished):
            return ReportedTests(), f"reading the test reports {found.why}"
        return found, "" if documents or found.results else _no_report(ended)


def _roots(command: TestCommand, view: BoxView) -> tuple[str, ...]:
    """What absolute names in a report begin with: the tree is shown at the repository's path; for Go, the module."""
    if command.report_format != "go":
        return tuple(str(Path(place, command.folder)) for place in (view.repository, view.tree))
    texts = read_reports(str(Path(view.tree, command.folder)), "go.mod")
    return tuple(module_path(text.decode("utf-8", "replace")) for text in texts)


def _is_folder(tree: str, folder: str) -> bool:
    """Not one that is reached through a link, which could lead out of the tree."""
    place = Path(tree, folder)
    return place.is_dir() and place.resolve() == Path(tree).resolve() / folder


def _report_place(command: TestCommand, view: BoxView, outbox: str) -> tuple[str, str]:
    if command.report.startswith(OUTBOX_WORD):
        return outbox, command.report.removeprefix(OUTBOX_WORD).lstrip("/")
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
    command: TestCommand, ended: CommandResult, found: ReportedTests, problem: str, only: Sequence[str]
) -> TestReport:
    tail = _output_tail(ended, command)
    seen = FinishedTestRun(
        command.runner, ended.reason, ended.exit_code, found.results, problem=problem, wanted=only, output=tail
    )
    status, why = status_of(seen)
    return TestReport(
        status,
        command.evidence,
        found.results,
        found.messages,
        found.files,
        exit_code=ended.exit_code,
        output_tail=tail,
        seconds=ended.seconds,
        why=why,
    )


def _no_report(ended: CommandResult) -> str:
    if b"No module named pytest" in ended.stderr:
        way = 'install it in .venv, or set checks.tests.run, e.g. "python3 -m unittest"'
        return f"pytest is not installed for the Python that the box sees; {way}"
    return f"the test command left no report (exit code {ended.exit_code})"


def _output_tail(ended: CommandResult, command: TestCommand | None = None) -> str:
    errors = safe_output(ended.stderr.decode("utf-8", "replace")).strip()[-STDERR_CHARS:]
    printed = _printed(ended.stdout, command.report_format if command else "junit")
    output = safe_output(printed).strip()[-(OUTPUT_CHARS - len(errors)) :]
    text = "\n".join(filter(None, (output, errors)))
    return text.replace(ended.home, "~") if ended.home else text


def _printed(stdout: bytes, form: ReportFormat) -> str:
    """What a person would have seen; of a huge output, only the end is worth the time."""
    if form not in ("go", "cargo"):
        return stdout.decode("utf-8", "replace")
    end = stdout[-READABLE_BYTES:]
    return go.readable(end) if form == "go" else cargo.readable(end)
