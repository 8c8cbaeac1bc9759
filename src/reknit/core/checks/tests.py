"""The tests of one commit for the pull-request loop: red, flaky or without a result, and whether a fix holds."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from reknit.core.causes.classify import RedTest, cause_of_no_result, causes_of
from reknit.core.causes.left_out import LeftOut, left_out_of, without_result
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.checks.status import FinishedStatus, TestsResult
from reknit.core.evidence.failure_groups import headline_index, shape_of
from reknit.core.finding import Finding
from reknit.core.tamper_checks.kinds import failure_kind
from reknit.core.testing.report import WHOLE_SUITE, TestReport, unrepeated

TAIL_LINES = 50
_NO_FACTS = TreeFacts()
_MAYBE_ITS_OWN = ("timeout", "memory")
"""In a pull request, what the suite does without end is likely its own change."""
TOLD = 100
"""Failures that keep their message; for the others the name is enough."""
MESSAGE_CHARS = 3_000


def what_ran(commit: str, *, alone: bool) -> str:
    return f"{'what is red, alone' if alone else 'the whole suite'}, on {commit[:7]}"


def is_all_red(red: Sequence[str], alone: TestReport) -> bool:
    """Then the whole suite need not be run again. What is green alone may still be red in its suite every time."""
    return alone.status == "fail" and all(alone.result_of(test) == "failed" for test in red)


def always_red(whole: TestReport, again: TestReport | None) -> list[str]:
    """`again`: a second run of what is red, or of the whole suite. What is red once and green once is flaky."""
    return [test for test in sorted(whole.failed) if again is None or again.result_of(test) != "passed"]


def only_in_suite(tests: Sequence[str], whole: TestReport, alone: Sequence[TestReport]) -> tuple[str, ...]:
    """Return the tests that never fail alone as they do in the suite, and never pass: only the suite can judge them."""
    return tuple(test for test in tests if not any(_is_alike(test, whole, report) for report in alone))


def _is_alike(test: str, whole: TestReport, alone: TestReport) -> bool:
    """Tell whether kind and words are the same, apart from values; without a message nobody can."""
    words = [report.messages.get(test, "")[:MESSAGE_CHARS] for report in (whole, alone)]
    lines = [each.split("\n") for each in words]
    has_one_form = len({(failure_kind("\n".join(each)), shape_of(each[headline_index(each)])) for each in lines}) == 1
    result = alone.result_of(test)
    return result == "passed" or (result == "failed" and ("" in words or has_one_form))


def settle(whole: TestReport, again: TestReport | None, facts: TreeFacts = _NO_FACTS) -> TestsResult:
    unseen = next((report for report in (whole, again) if report and report.status == "error"), None)
    if unseen:
        return _unseen(unseen, facts)
    red = always_red(whole, again)
    flaky = tuple(sorted(whole.failed.difference(red)))
    asked = [RedTest(test, whole.messages.get(test, whole.output_tail), whole.files.get(test, "")) for test in red]
    causes = causes_of(asked, facts, passed=len(whole.passed))
    failed = [test for test in red if causes[test].verdict != "environment"]
    return TestsResult(
        status="fail" if red else "pass",
        findings=tuple(_finding(number, test, whole) for number, test in enumerate(failed, 1)),
        passed=len(whole.passed),
        flaky=flaky,
        test_files=whole.test_files,
        passing=tuple(sorted(whole.passed)),
        output_tail=_tail(whole) if red else "",
        seconds=whole.seconds + (again.seconds if again else 0.0),
        left_out=left_out_of(causes),
    )


def with_unready_projects(seen: TestsResult, unready: Sequence[LeftOut]) -> TestsResult:
    """Projects whose tests cannot be run here: without them nothing is known to be green."""
    if not unready:
        return seen
    status: FinishedStatus = "fail" if seen.status == "pass" else seen.status
    return replace(seen, status=status, left_out=(*seen.left_out, *unready))


def with_unproven(seen: TestsResult, tests: Collection[str]) -> TestsResult:
    """Count tests of which no fix could be proven as flaky: no agent is paid for them again, and they do not pass."""
    if not tests or seen.status == "error":
        return seen
    findings = tuple(finding for finding in seen.findings if finding.subject not in tests)
    status: FinishedStatus = "fail" if findings or seen.left_out else "pass"
    return replace(seen, status=status, findings=findings, flaky=tuple(sorted({*seen.flaky, *tests})))


def why_not(before: TestsResult, after: TestsResult, *, asked: bool) -> str:
    """Why a fix does not hold; empty: it does. `asked`: the fix was meant to turn red tests green."""
    if after.status == "error":
        return f"the tests gave no result after the change: {after.why}\n{after.output_tail[-1500:]}"
    if before.status == "error":
        return ""
    old, new = ({*_red(each), *each.flaky, *each.passing} for each in (before, after))
    if broken := unrepeated(_red(after), {*_red(before), *before.flaky}, ran=new, others_ran=old):
        words = next((finding.message for finding in after.findings if finding.subject == broken[0]), "")
        return f"{len(broken)} test(s) are red that were not before: {', '.join(broken[:3])}\n{words[:1500]}"
    if lost := unrepeated(before.passing, {*after.passing, *after.flaky}, ran=old, others_ran=new):
        return f"{len(lost)} test(s) that passed before no longer ran: {', '.join(lost[:3])}"
    if asked and not any(_passes(finding.subject, after) for finding in before.findings):
        words = next((finding.message for finding in after.findings), "it no longer ran")
        return f"{before.findings[0].subject} still does not pass\n{words[:1500]}"
    return ""


def _red(seen: TestsResult) -> list[str]:
    """What a change turned red counts against it, even if it looks like the environment's fault."""
    return [*(finding.subject for finding in seen.findings), *(test for tests, *_ in seen.left_out for test in tests)]


def _passes(test: str, seen: TestsResult) -> bool:
    """A file that could not be loaded stands for all tests that now run in it."""
    return test in seen.passing or any(each.startswith(f"{test}::") for each in seen.passing)


def _unseen(report: TestReport, facts: TreeFacts) -> TestsResult:
    why = report.why or "the test command gave no result"
    causes = [cause_of_no_result(*each, facts) for each in _ends(report)]
    if all(cause.verdict == "environment" and cause.kind not in _MAYBE_ITS_OWN for cause in causes):
        left_out = tuple(entry for cause in causes for entry in without_result(cause))
        tail = _tail(report)
        return TestsResult("error", output_tail=tail, why=why, seconds=report.seconds, left_out=left_out)
    message = f"{why}\n{report.output_tail[-MESSAGE_CHARS:]}".strip()
    finding = Finding("T-1", "tests", "test-command", WHOLE_SUITE, message=message)
    return TestsResult("error", (finding,), output_tail=_tail(report), why=why, seconds=report.seconds)


def _ends(report: TestReport) -> list[tuple[str, str]]:
    """Why there is no result and what was printed, of each project without one. ("", ""): red tests elsewhere."""
    projects = [(why, tail) for _, why, tail in report.no_result]
    if not projects:
        return [(report.why, report.output_tail)]
    return projects if not report.failed else [*projects, ("", "")]


def _finding(number: int, test: str, report: TestReport) -> Finding:
    words = report.messages.get(test, report.output_tail)[:MESSAGE_CHARS] if number <= TOLD else ""
    return Finding(f"T-{number}", "tests", "test-failed", test, report.files.get(test, ""), message=words)


def _tail(report: TestReport) -> str:
    return "\n".join(report.output_tail.splitlines()[-TAIL_LINES:])
