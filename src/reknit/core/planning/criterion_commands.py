"""Judges an acceptance criterion by how its command ended, or by the project's tests."""

from collections.abc import Mapping

from reknit.core.box import CommandResult
from reknit.core.planning.criteria import CommandCheck, ProjectTests
from reknit.core.planning.criterion_facts import CriterionResult
from reknit.core.services.failure import ServiceFailure
from reknit.core.testing.report import WHOLE_SUITE, TestReport, TestResult, is_asked
from reknit.core.text.format import counted, words

_STOPPED = {"wall": "took too long", "idle": "was silent for too long", "output": "printed too much"}
_NOT_STARTED = frozenset({125, 126, 127})
"""The box was not built, the program is not executable, the program was not found."""
_SHOWN = 160


def judge_command(check: CommandCheck, ended: CommandResult) -> CriterionResult:
    """What the machine lacks says nothing about the work."""
    if why := _why_no_result(ended):
        return CriterionResult("unverified", f"the command {why}")
    printed = ended.stdout.decode("utf-8", "replace")
    is_right = ended.exit_code != 0 if check.exit_code is None else ended.exit_code == check.exit_code
    if not is_right:
        said = words((ended.stderr.decode("utf-8", "replace").strip() or printed.strip())[-_SHOWN:])
        return CriterionResult("failed", f"exit code {ended.exit_code}" + (f": {said}" if said else ""))
    if check.prints and check.prints not in printed:
        return CriterionResult("failed", f"it did not print `{words(check.prints, _SHOWN)}`")
    return CriterionResult("passed", f"exit code {ended.exit_code}")


def _why_no_result(ended: CommandResult) -> str:
    if ended.reason != "exit":
        return _STOPPED[ended.reason]
    if isinstance(ended.services, ServiceFailure) or ended.services == "unknown":
        return "was not started: a service beside it was not ready"
    if ended.exit_code in _NOT_STARTED:
        return f"could not start (exit code {ended.exit_code})"
    return f"was killed by signal {-ended.exit_code}" if ended.exit_code < 0 else ""


def judge_tests(check: ProjectTests, report: TestReport) -> CriterionResult:
    if report.status not in ("pass", "fail"):
        return CriterionResult("unverified", f"the tests gave no result: {words(report.why, _SHOWN)}")
    if not check.test:
        return _judged(report.results, report.status == "pass")
    if WHOLE_SUITE in report.results:
        return CriterionResult("unverified", "the test command does not say which tests it ran")
    path = check.test.rstrip("/")
    asked = {
        test: result
        for test, result in report.results.items()
        if is_asked(test, (path,)) or report.files.get(test, "") == path
    }
    return _judged(asked, "failed" not in asked.values())


def _judged(results: Mapping[str, TestResult], is_green: bool) -> CriterionResult:
    passed = sum(result == "passed" for result in results.values())
    failed = [test for test, result in results.items() if result == "failed"]
    if not is_green and not failed:
        return CriterionResult("failed", "the tests are red")
    if failed:
        return CriterionResult("failed", f"{counted(len(failed), 'test')} failed: {words(', '.join(failed), _SHOWN)}")
    if not passed:
        return CriterionResult("unverified", "no such test was run")
    return CriterionResult("passed", f"{counted(passed, 'test')} passed")
