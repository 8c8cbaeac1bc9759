"""Runs a repository's tests in a box and reports the results."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.adapters.testing.boxed_command import make_harness_command, make_test_command, run_with_reporter
from reknit.adapters.testing.report_files import Entry, find_reports, read_reports
from reknit.core.box import OUTBOX, BoxView, CommandResult
from reknit.core.box_names import make_file_names
from reknit.core.languages.go import reports as go
from reknit.core.languages.go.reports import read_module_path
from reknit.core.languages.javascript.reports import find_printed_mocha
from reknit.core.languages.reports import read_stream, read_tests
from reknit.core.languages.rust import reports as cargo
from reknit.core.services.failure import ServiceFailure
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import STDOUT_WORD, ReportFormat, TestCommand, set_report_name
from reknit.core.testing.junit import MESSAGE_CHARS, OUTPUT_CHARS, redact_output
from reknit.core.testing.report import WHOLE_SUITE, TestReport, TestResult
from reknit.core.testing.reported import ReportedTests, replace_home
from reknit.core.testing.reporters import add_streaming_reporter
from reknit.core.testing.status import (
    FinishedTestRun,
    add_services,
    are_only_services,
    decide_status,
    drop_service_ids,
    explain_exit,
    report_failed_service,
    report_services_alone,
    report_unknown_services,
)
from reknit.core.text.untrusted_input import TEST_REPORT_LIMITS, UnfinishedWork
from reknit.ports.box import BoundedCalls, Box

STDERR_CHARS = 1500
READABLE_BYTES = 1_000_000


class TestCommandRunner:
    """Implements `ports.SuiteRunner`."""

    __test__ = False

    def __init__(self, calls: BoundedCalls) -> None:
        self._calls = calls

    async def run(
        self, command: TestCommand, view: BoxView, box: Box, *, only: Sequence[str] = (), outbox: str, wall_s: float,
        on_results: Callable[[bytes], None] | None = None,
    ) -> TestReport:  # fmt: skip
        if any(test.startswith("-") for test in only):
            return TestReport(
                "error", command.evidence, why="a test id that starts with a dash would be parsed as an option"
            )
        if not _is_folder(view.tree, command.folder):
            return TestReport("error", command.evidence, why=f"{command.folder} is not a folder in this commit")
        view = replace(view, services=command.services)
        name, *reporter = make_file_names(secrets.token_hex(8), 3)
        streaming = None if are_only_services(command, only) else add_streaming_reporter(command, *reporter)
        command = set_report_name(command, name)
        folder, glob = _find_report_place(command, view, outbox)
        old = find_reports(folder, glob) if command.report else frozenset[Entry]()
        plain = make_test_command(command, view, only, outbox, wall_s)
        if streaming is None:
            result, key = await box.run(view, plain), ""
        else:
            started = replace(make_test_command(streaming.command, view, only, outbox, wall_s), on_results=on_results)
            result, key = await run_with_reporter(box, view, streaming, started, plain)
        if result.reason == "exit" and isinstance(failure := result.services, ServiceFailure):
            return report_failed_service(command, replace(failure, log=redact_output(failure.log)), result.seconds)
        if result.services == "unknown":
            return report_unknown_services(command, result, _cut_output(result))
        if are_only_services(command, only):
            return report_services_alone(command, result)
        if command.evidence == "exit code":
            return add_services(command, result, _report_by_exit_code(result))
        if key:
            reported, problem = await self._read_stream(command, view, result, key)
        else:
            reported, problem = await self._read_documents(command, view, result, (folder, glob, old))
        reported = replace_home(reported, result.home)
        return add_services(
            command, result, _report_by_results(command, result, reported, problem, drop_service_ids(command, only))
        )

    async def call(
        self, command: TestCommand, view: BoxView, box: Box, harness: Harness, *, wall_s: float
    ) -> CommandResult:
        view = replace(view, services=command.services)
        return await box.run(view, make_harness_command(command, view, harness, wall_s))

    async def _read_stream(
        self, command: TestCommand, view: BoxView, result: CommandResult, key: str
    ) -> tuple[ReportedTests, str]:
        if not result.stream:
            return ReportedTests(), _explain_missing_report(result)
        roots = await asyncio.to_thread(_find_roots, command, view)
        form, stderr = command.report_format, result.stderr
        try:
            reported = await self._calls.run(TEST_REPORT_LIMITS, read_stream, form, result.stream, key, stderr, roots)
        except ValueError as error:
            return ReportedTests(), str(error)
        if isinstance(reported, UnfinishedWork):
            return ReportedTests(), f"reading the test results {reported.why}"
        return reported, "" if reported.results else _explain_missing_report(result)

    async def _read_documents(
        self, command: TestCommand, view: BoxView, result: CommandResult, place: tuple[str, str, frozenset[Entry]]
    ) -> tuple[ReportedTests, str]:
        """Return the contents of the reports, or why they cannot be used."""
        folder, glob, old = place
        stderr = b"" if command.report_format == "junit" else result.stderr
        try:
            if command.report == STDOUT_WORD:
                documents: tuple[bytes, ...] = (result.stdout,)
            else:
                documents = await asyncio.to_thread(read_reports, folder, glob, but=old)
            if command.report_format == "mocha":
                documents = documents or find_printed_mocha(result.stdout)
            roots = await asyncio.to_thread(_find_roots, command, view)
            reported = await self._calls.run(
                TEST_REPORT_LIMITS, read_tests, command.report_format, documents, stderr, roots
            )
        except ValueError as error:
            return ReportedTests(), str(error)
        if isinstance(reported, UnfinishedWork):
            return ReportedTests(), f"reading the test reports {reported.why}"
        return reported, "" if documents or reported.results else _explain_missing_report(result)


def _find_roots(command: TestCommand, view: BoxView) -> tuple[str, ...]:
    """Return prefixes of names in a report: the paths of the tree; for Go, the module path."""
    if command.report_format != "go":
        return tuple(str(Path(place, command.folder)) for place in (view.repository, view.tree))
    texts = read_reports(str(Path(view.tree, command.folder)), "go.mod")
    return tuple(read_module_path(text.decode("utf-8", "replace")) for text in texts)


def _is_folder(tree: str, folder: str) -> bool:
    """Return True if the path is a folder without a link in it, which could lead out of the tree."""
    place = Path(tree, folder)
    return place.is_dir() and place.resolve() == Path(tree).resolve() / folder


def _find_report_place(command: TestCommand, view: BoxView, outbox: str) -> tuple[str, str]:
    if command.report.startswith(OUTBOX):
        return outbox, command.report.removeprefix(OUTBOX).lstrip("/")
    return str(Path(view.tree, command.folder)), command.report


def _report_by_exit_code(ended: CommandResult) -> TestReport:
    tail = _cut_output(ended)
    why = explain_exit(ended.reason, ended.exit_code)
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


def _report_by_results(
    command: TestCommand, ended: CommandResult, reported: ReportedTests, problem: str, only: Sequence[str]
) -> TestReport:
    tail = _cut_output(ended, command)
    finished = FinishedTestRun(
        command.runner,
        ended.reason,
        ended.exit_code,
        reported.results,
        problem=problem,
        required_tests=only,
        output=tail,
    )
    status, why = decide_status(finished)
    return TestReport(
        status,
        command.evidence,
        reported.results,
        reported.messages,
        reported.files,
        exit_code=ended.exit_code,
        output_tail=tail,
        seconds=ended.seconds,
        why=why,
    )


def _explain_missing_report(ended: CommandResult) -> str:
    if b"No module named pytest" in ended.stderr:
        way = 'install it in .venv, or set checks.tests.run, e.g. "python3 -m unittest"'
        return f"pytest is not installed for the Python that the box sees; {way}"
    return f"the test command left no report (exit code {ended.exit_code})"


def _cut_output(ended: CommandResult, command: TestCommand | None = None) -> str:
    errors = redact_output(ended.stderr.decode("utf-8", "replace")).strip()[-STDERR_CHARS:]
    printed = _to_printed_output(ended.stdout, command.report_format if command else "junit")
    output = redact_output(printed).strip()[-(OUTPUT_CHARS - len(errors)) :]
    text = "\n".join(filter(None, (output, errors)))
    return text.replace(ended.home, "~") if ended.home else text


def _to_printed_output(stdout: bytes, form: ReportFormat) -> str:
    """Return the output as a person would have seen it; for Go and cargo, only the end of a huge one."""
    if form not in ("go", "cargo"):
        return stdout.decode("utf-8", "replace")
    end = stdout[-READABLE_BYTES:]
    return go.to_plain_output(end) if form == "go" else cargo.to_plain_output(end)
