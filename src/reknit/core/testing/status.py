"""Decides the status of one test run and of its services. If exit code and reports disagree, it is `error`."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.box import CommandResult, EndReason
from reknit.core.services.failure import ServiceFailure
from reknit.core.services.service import find_server, to_service_id
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import CheckStatus, TestReport, TestResult, find_result

_LIMITS: dict[EndReason, str] = {
    "wall": "the test command took too long and was stopped",
    "idle": "the test command was silent for too long and was stopped",
    "output": "the test command wrote too much output and was stopped",
}
_NOT_STARTED = frozenset({125, 126, 127})
"""The box was not built, the program is not executable, or the program was not found."""
_EXIT_COUNTS_FAILURES = frozenset({"mocha"})
"""Runners whose exit code is the number of failed tests."""
_THRESHOLD = ("not reached", "not met", "does not meet")
_PYTEST_CUT_SHORT = frozenset({2, 3})
"""Exit codes of pytest after which a part of the suite did not run, even if the report looks complete."""
_CONFTEST = "ImportError while loading conftest "
_PYTEST_USAGE = 4
_PYTEST_EXITS = {
    2: "pytest was interrupted",
    3: "pytest had an internal error",
    4: "pytest was called with wrong arguments, or a named test does not exist",
    5: "pytest collected no tests",
}


@dataclass(frozen=True)
class FinishedTestRun:
    """One finished run: its exit, and the results in its reports."""

    runner: str
    reason: EndReason
    exit_code: int
    results: Mapping[str, TestResult]
    problem: str = ""
    """Reason why the reports could not be used; empty if they could."""
    required_tests: Sequence[str] = ()
    """Test ids that must have a result."""
    output: str = ""
    """Output of the command, at least its end."""


def explain_exit(reason: EndReason, exit_code: int) -> str:
    """Return why this exit says nothing about the tests; empty if it does."""
    if reason != "exit":
        return _LIMITS[reason]
    if exit_code in _NOT_STARTED:
        return f"the test command could not start (exit code {exit_code})"
    if exit_code < 0:
        return f"the test command was killed by signal {-exit_code}"
    return ""


def decide_status(run: FinishedTestRun) -> tuple[CheckStatus, str]:
    """Return the status, and for `error` why there is no result."""
    counts = run.runner in _EXIT_COUNTS_FAILURES and "failed" in run.results.values()
    exit_code = 1 if counts and run.exit_code in _NOT_STARTED else run.exit_code
    problem = explain_exit(run.reason, exit_code) or _explain_pytest_exit(run) or run.problem
    if problem:
        return "error", problem
    return _decide_by_results(run)


def _explain_pytest_exit(run: FinishedTestRun) -> str:
    """Return the meaning of pytest's exit code if it explains more than the report; else an empty text."""
    if run.runner != "pytest":
        return ""
    if run.exit_code not in _PYTEST_CUT_SHORT and "failed" in run.results.values():
        return ""
    conftest_problem = _find_broken_conftest(run.output) if run.exit_code == _PYTEST_USAGE else ""
    return conftest_problem or _PYTEST_EXITS.get(run.exit_code, "")


def _find_broken_conftest(output: str) -> str:
    """Return why a conftest could not be imported: pytest then exits as after wrong arguments."""
    lines = output.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith(_CONFTEST)), None)
    if start is None:
        return ""
    file = posixpath.basename(lines[start].removeprefix(_CONFTEST).strip("'. "))
    raised = next((line[1:].strip() for line in lines[start:] if line.startswith("E ")), "")
    return f"{file} could not be imported{f': {raised[:200]}' if raised else ''}"


def _decide_by_results(run: FinishedTestRun) -> tuple[CheckStatus, str]:
    results = set(run.results.values())
    if not results:
        return "error", "the test report names no test"
    if "failed" in results:
        if run.exit_code == 0:
            return "error", "the test report names failed tests, but the test command ended with exit code 0"
        return "fail", ""
    if run.exit_code != 0 and not _is_about_other_tests(run):
        why = f"the test command ended with exit code {run.exit_code}, but its report names no failed test"
        return "error", f"{why}{_find_threshold(run.output)}"
    if "passed" not in results:
        return "error", "every test was skipped"
    missing = [test for test in run.required_tests if find_result(test, run.results) is None]
    if missing:
        count = f"{len(missing)} of {len(run.required_tests)}"
        return "error", f"{count} chosen tests were not run, the first is {missing[0]}"
    return "pass", ""


def _is_about_other_tests(run: FinishedTestRun) -> bool:
    """Return True if the exit code 1 has a reason outside the chosen tests, which all passed.

    A few tests may miss a coverage threshold, or a project may contain none of them. The whole suite must end with 0.
    """
    return (
        bool(run.required_tests)
        and run.exit_code == 1
        and all(find_result(test, run.results) == "passed" for test in run.required_tests)
    )


def _find_threshold(output: str) -> str:
    """Return the line about a limit of the runner that failed the run."""
    for line in output.splitlines():
        if "overage" in line and any(words in line for words in _THRESHOLD):
            return f"; it says: {line.strip()[:200]}"
    return ""


def list_service_ids(command: TestCommand) -> tuple[str, ...]:
    """Return the ids of the project's own services. Known servers have none: no change could repair them."""
    return tuple(to_service_id(service) for service in command.services if find_server(service) is None)


def drop_service_ids(command: TestCommand, only: Sequence[str]) -> tuple[str, ...]:
    """Return the chosen tests without the services, which the test command does not know."""
    own = list_service_ids(command)
    return tuple(test for test in only if test not in own)


def are_only_services(command: TestCommand, only: Sequence[str]) -> bool:
    """Return True if nothing but services was chosen, so that the test command need not run."""
    return bool(only) and not drop_service_ids(command, only)


def add_services(command: TestCommand, ended: CommandResult, report: TestReport) -> TestReport:
    """Add the services that became ready to the report, unless the run has no result."""
    if ended.services != "ready" or report.status == "error":
        return report
    return replace(report, results={**report.results, **dict.fromkeys(list_service_ids(command), "passed")})


def report_services_alone(command: TestCommand, ended: CommandResult) -> TestReport:
    """Return the report of a run in which only services were chosen."""
    if ended.services != "ready":
        why = explain_exit(ended.reason, ended.exit_code) or "this box starts no services"
        return TestReport("error", command.evidence, seconds=ended.seconds, why=why)
    return add_services(command, ended, TestReport("pass", command.evidence, seconds=ended.seconds))


def report_unknown_services(command: TestCommand, ended: CommandResult, output_tail: str) -> TestReport:
    """Return the report of a run whose box failed before its services were ready."""
    why = explain_exit(ended.reason, ended.exit_code) or "the services of the tests could not be started"
    return TestReport("error", command.evidence, output_tail=output_tail, seconds=ended.seconds, why=why)


def report_failed_service(command: TestCommand, failure: ServiceFailure, seconds: float) -> TestReport:
    """Return the report of a run that a failed service stopped: red if the service is the project's own."""
    if not failure.is_of_project:
        return TestReport("error", command.evidence, output_tail=failure.log, seconds=seconds, why=failure.sentence)
    return TestReport(
        "fail",
        command.evidence,
        {to_service_id(failure.service): "failed"},
        {to_service_id(failure.service): failure.message},
        output_tail=failure.log,
        exit_code=failure.exit_code or 1,
        seconds=seconds,
    )
