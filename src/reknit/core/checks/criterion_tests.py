"""Judges an acceptance criterion by the project's own tests. What the environment broke says nothing about the work."""

from reknit.core.causes.left_out import left_out_text
from reknit.core.checks.status import TestsResult
from reknit.core.planning.criteria import ProjectTests
from reknit.core.planning.criterion_facts import CriterionResult
from reknit.core.testing.report import WHOLE_SUITE, is_asked
from reknit.core.text.format import counted, words

_SHOWN = 160


def judge_tests(check: ProjectTests, seen: TestsResult) -> CriterionResult:
    if seen.status == "error":
        return CriterionResult("unverified", f"the tests gave no result: {words(seen.why, _SHOWN)}")
    red = [test for finding in seen.findings for test in finding.tests]
    if check.test and WHOLE_SUITE in (*red, *seen.passing):
        return CriterionResult("unverified", "the test command does not say which tests it ran")
    if failed := _asked(check, red):
        return CriterionResult("failed", f"{counted(len(failed), 'test')} failed: {words(', '.join(failed), _SHOWN)}")
    if seen.left_out:
        return CriterionResult(
            "unverified", f"not all tests could run here: {words(left_out_text(seen.left_out), _SHOWN)}"
        )
    if flaky := _asked(check, seen.flaky):
        return CriterionResult("unverified", f"red only sometimes: {words(', '.join(flaky), _SHOWN)}")
    passed = _asked(check, seen.passing)
    if not passed:
        return CriterionResult("unverified", "no such test was run")
    return CriterionResult("passed", f"{counted(len(passed), 'test')} passed")


def _asked(check: ProjectTests, tests: tuple[str, ...] | list[str]) -> list[str]:
    path = check.test.rstrip("/")
    return [test for test in tests if not path or is_asked(test, (path,))]
