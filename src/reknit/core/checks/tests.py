"""The tests of one commit for the pull-request loop: red, flaky or without a result, and whether a fix holds."""

from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding
from reknit.core.testing.report import WHOLE_SUITE, TestReport

TAIL_LINES = 50
TOLD = 100
"""Failures that keep their message; for the others the name is enough."""
MESSAGE_CHARS = 3_000


def settle(whole: TestReport, again: TestReport | None) -> TestsResult:
    """`again`: a second run of the whole suite. A test that is red once and green once is flaky and is not fixed.

    A test that is always red in its suite may be green alone, so running it alone is no second opinion.
    """
    if whole.status == "error":
        return _unseen(whole)
    red = sorted(whole.failed)
    if again is not None and again.status == "error":
        return _unseen(again)
    flaky = tuple(test for test in red if again is not None and again.result_of(test) == "passed")
    failed = [test for test in red if test not in flaky]
    return TestsResult(
        status="fail" if failed else "pass",
        findings=tuple(_finding(number, test, whole) for number, test in enumerate(failed, 1)),
        passed=len(whole.passed),
        flaky=flaky,
        test_files=tuple(sorted(set(whole.files.values()))),
        passing=tuple(sorted(whole.passed)),
        output_tail=_tail(whole) if failed else "",
        seconds=whole.seconds + (again.seconds if again else 0.0),
    )


def why_not(before: TestsResult, after: TestsResult, *, asked: bool) -> str:
    """Why a fix does not hold; empty: it does. `asked`: the fix was meant to turn red tests green."""
    if after.status == "error":
        return f"the tests gave no result after the change: {after.why}\n{after.output_tail[-1500:]}"
    if before.status == "error":
        return ""
    red_before = {finding.subject for finding in before.findings} | set(before.flaky)
    broken = [finding for finding in after.findings if finding.subject not in red_before]
    if broken:
        named = ", ".join(finding.subject for finding in broken[:3])
        return f"{len(broken)} test(s) are red that were not before: {named}\n{broken[0].message[:1500]}"
    lost = sorted(set(before.passing) - set(after.passing) - set(after.flaky))
    if lost:
        return f"{len(lost)} test(s) that passed before no longer ran: {', '.join(lost[:3])}"
    if asked and not any(_passes(finding.subject, after) for finding in before.findings):
        words = next((finding.message for finding in after.findings), "it no longer ran")
        return f"{before.findings[0].subject} still does not pass\n{words[:1500]}"
    return ""


def _passes(test: str, seen: TestsResult) -> bool:
    """A file that could not be loaded stands for all tests that now run in it."""
    return test in seen.passing or any(each.startswith(f"{test}::") for each in seen.passing)


def _unseen(report: TestReport) -> TestsResult:
    why = report.why or "the test command gave no result"
    message = f"{why}\n{report.output_tail[-MESSAGE_CHARS:]}".strip()
    finding = Finding("T-1", "tests", "test-command", WHOLE_SUITE, message=message)
    return TestsResult("error", (finding,), output_tail=_tail(report), why=why, seconds=report.seconds)


def _finding(number: int, test: str, report: TestReport) -> Finding:
    words = report.messages.get(test, report.output_tail)[:MESSAGE_CHARS] if number <= TOLD else ""
    return Finding(f"T-{number}", "tests", "test-failed", test, report.files.get(test, ""), message=words)


def _tail(report: TestReport) -> str:
    return "\n".join(report.output_tail.splitlines()[-TAIL_LINES:])
