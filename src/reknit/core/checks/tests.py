"""Judges the tests of one commit: red, flaky or without a result, and whether a fix holds."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from reknit.core.causes.cause import LeftOut, leave_out_suite, list_left_out, render_left_out
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.checks.status import FinishedStatus, TestsResult
from reknit.core.evidence.failure_groups import find_headline, mask_values
from reknit.core.finding import Finding
from reknit.core.languages.causes import RedTest, find_cause_of_no_result, find_causes
from reknit.core.runs.event import Event
from reknit.core.tamper_checks.failures import find_failure_kind
from reknit.core.testing.report import WHOLE_SUITE, TestReport, find_unmatched
from reknit.core.text.format import format_seconds, to_one_line

TAIL_LINES = 50
_NO_FACTS = TreeFacts()
_LIKELY_OWN_CAUSES = ("timeout", "memory")
"""Environment causes that the change itself may be to blame for, such as an endless loop."""
MAX_MESSAGES = 100
"""Failures that keep their message; for the others the name is enough."""
MESSAGE_CHARS = 3_000


def describe_suite_run(commit: str, *, alone: bool) -> str:
    """Describe a run of the suite, for the list of test runs."""
    return f"{'what is red, alone' if alone else 'the whole suite'}, on {commit[:7]}"


def is_all_red(red: Sequence[str], alone: TestReport) -> bool:
    """Return True if all these tests fail alone too, so that the whole suite need not run again."""
    return alone.status == "fail" and all(alone.find_result(test) == "failed" for test in red)


def list_always_red(whole: TestReport, again: TestReport | None) -> list[str]:
    """Return the tests that fail in both runs. `again`: a second run of the red tests, or of the suite."""
    return [test for test in sorted(whole.failed) if again is None or again.find_result(test) != "passed"]


def list_suite_only(tests: Sequence[str], whole: TestReport, alone: Sequence[TestReport]) -> tuple[str, ...]:
    """Return the tests that alone neither pass nor fail as in the suite: only the suite can judge them."""
    return tuple(test for test in tests if not any(_passes_or_fails_alike(test, whole, report) for report in alone))


def _passes_or_fails_alike(test: str, whole: TestReport, alone: TestReport) -> bool:
    """Return True if the test passes alone, or fails with the same kind and headline, apart from values.

    Without a message nobody can compare, so the failures count as alike.
    """
    messages = [report.messages.get(test, "")[:MESSAGE_CHARS] for report in (whole, alone)]
    lines = [message.split("\n") for message in messages]
    has_same_form = (
        len(
            {
                (find_failure_kind("\n".join(message_lines)), mask_values(message_lines[find_headline(message_lines)]))
                for message_lines in lines
            }
        )
        == 1
    )
    result = alone.find_result(test)
    return result == "passed" or (result == "failed" and ("" in messages or has_same_form))


def judge_commit_tests(whole: TestReport, again: TestReport | None, facts: TreeFacts = _NO_FACTS) -> TestsResult:
    """Combine two runs of the tests into one result: red, flaky, or left out for the environment."""
    failed_run = next((report for report in (whole, again) if report and report.status == "error"), None)
    if failed_run:
        return _make_error_result(failed_run, facts)
    red = list_always_red(whole, again)
    flaky = tuple(sorted(whole.failed.difference(red)))
    red_tests = [RedTest(test, whole.messages.get(test, whole.output_tail), whole.files.get(test, "")) for test in red]
    causes = find_causes(red_tests, facts, passed=len(whole.passed))
    failed = [test for test in red if causes[test].verdict != "environment"]
    return TestsResult(
        status="fail" if red else "pass",
        findings=tuple(_make_finding(number, test, whole) for number, test in enumerate(failed, 1)),
        passed=len(whole.passed),
        flaky=flaky,
        test_files=whole.test_files,
        passing=tuple(sorted(whole.passed)),
        output_tail=_get_tail(whole) if red else "",
        seconds=whole.seconds + (again.seconds if again else 0.0),
        left_out=list_left_out(causes),
    )


def add_unready_projects(result: TestsResult, unready: Sequence[LeftOut]) -> TestsResult:
    """Add projects whose tests cannot run here: without them nothing is known to be green."""
    if not unready:
        return result
    status: FinishedStatus = "fail" if result.status == "pass" else result.status
    return replace(result, status=status, left_out=(*result.left_out, *unready))


def mark_unproven(result: TestsResult, tests: Collection[str]) -> TestsResult:
    """Move tests for which no fix could be proven to the flaky ones: no agent is paid for them again."""
    if not tests or result.status == "error":
        return result
    findings = tuple(finding for finding in result.findings if finding.subject not in tests)
    status: FinishedStatus = "fail" if findings or result.left_out else "pass"
    return replace(result, status=status, findings=findings, flaky=tuple(sorted({*result.flaky, *tests})))


def explain_broken_fix(before: TestsResult, after: TestsResult, *, must_turn_green: bool) -> str:
    """Return why a fix does not hold; empty: it does. `must_turn_green`: the fix must turn a red test green."""
    if after.status == "error":
        return f"the tests gave no result after the change: {after.why}\n{after.output_tail[-1500:]}"
    if before.status == "error":
        return ""
    old, new = ({*_list_red(result), *result.flaky, *result.passing} for result in (before, after))
    if new_failures := find_unmatched(_list_red(after), {*_list_red(before), *before.flaky}, ran=new, others_ran=old):
        message = next((finding.message for finding in after.findings if finding.subject == new_failures[0]), "")
        return (
            f"{len(new_failures)} test(s) are red that were not before: {', '.join(new_failures[:3])}\n{message[:1500]}"
        )
    if lost_tests := find_unmatched(before.passing, {*after.passing, *after.flaky}, ran=old, others_ran=new):
        return f"{len(lost_tests)} test(s) that passed before no longer ran: {', '.join(lost_tests[:3])}"
    if must_turn_green and not any(_passes(finding.subject, after) for finding in before.findings):
        message = next((finding.message for finding in after.findings), "it no longer ran")
        return f"{before.findings[0].subject} still does not pass\n{message[:1500]}"
    return ""


def _list_red(result: TestsResult) -> list[str]:
    """Return all red tests. A change is blamed for a failure even if it looks like the environment's fault."""
    return [
        *(finding.subject for finding in result.findings),
        *(test for tests, *_ in result.left_out for test in tests),
    ]


def _passes(test: str, result: TestsResult) -> bool:
    """Return True if the test passes. A file that could not be loaded stands for all tests in it."""
    return test in result.passing or any(name.startswith(f"{test}::") for name in result.passing)


def _make_error_result(report: TestReport, facts: TreeFacts) -> TestsResult:
    why = report.why or "the test command gave no result"
    causes = [find_cause_of_no_result(*missing_result, facts) for missing_result in _list_missing_results(report)]
    if all(cause.verdict == "environment" and cause.kind not in _LIKELY_OWN_CAUSES for cause in causes):
        left_out = tuple(entry for cause in causes for entry in leave_out_suite(cause))
        tail = _get_tail(report)
        return TestsResult("error", output_tail=tail, why=why, seconds=report.seconds, left_out=left_out)
    message = f"{why}\n{report.output_tail[-MESSAGE_CHARS:]}".strip()
    finding = Finding("T-1", "tests", "test-command", WHOLE_SUITE, message=message)
    return TestsResult("error", (finding,), output_tail=_get_tail(report), why=why, seconds=report.seconds)


def _list_missing_results(report: TestReport) -> list[tuple[str, str]]:
    """Return (why, output) of each project without a result. ("", ""): red tests elsewhere."""
    projects = [(why, tail) for _, why, tail in report.no_result]
    if not projects:
        return [(report.why, report.output_tail)]
    return projects if not report.failed else [*projects, ("", "")]


def _make_finding(number: int, test: str, report: TestReport) -> Finding:
    message = report.messages.get(test, report.output_tail)[:MESSAGE_CHARS] if number <= MAX_MESSAGES else ""
    return Finding(f"T-{number}", "tests", "test-failed", test, report.files.get(test, ""), message=message)


def _get_tail(report: TestReport) -> str:
    return "\n".join(report.output_tail.splitlines()[-TAIL_LINES:])


def report_baseline(result: TestsResult, base: str) -> Event:
    """Return the event for the tests before any change."""
    data: dict[str, object] = {"status": result.status, "passing": result.passed, "red": len(result.findings)}
    if result.status == "error":
        return Event(
            "baseline", "bad", "baseline", f"not seen: {result.why}", {**data, "output_tail": result.output_tail}
        )
    red = f", {len(result.findings)} red before any change" if result.findings else ""
    left_out = f"; left out: {render_left_out(result.left_out)}" if result.left_out else ""
    text = f"{result.passed} passed on {base[:7]}{red}{left_out}  {format_seconds(result.seconds)}"
    return Event("baseline", "ok", "baseline", text, data)


def report_unproven(attempt: int, why: str) -> Event:
    """Return the event for a change that breaks no test, and still does not count."""
    data: dict[str, object] = {"attempt": attempt, "holds": False, "why": why}
    return Event("unproven", "bad", "verify", f"does not count: {to_one_line(why)}", data)


def report_verification(attempt: int, after: TestsResult, why: str) -> Event:
    """Return the event for the tests after an attempt's change."""
    data: dict[str, object] = {"attempt": attempt, "holds": not why, "passing": after.passed}
    if why:
        return Event("verify", "bad", "verify", f"does not hold: {why.splitlines()[0]}", data)
    text = f"{after.passed} passed, no new failures  {format_seconds(after.seconds)}"
    return Event("verify", "ok", "verify", text, data)
