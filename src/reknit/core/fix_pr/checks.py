"""The three checks of a pull request in one iteration, and how they are shown: state, sign, mark and summary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.checks import ci
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.runs.event import Mark
from reknit.core.text.format import to_one_line
from reknit.core.text.redact import clean, redact

CheckState = Literal["pass", "fail", "pending", "error", "off"]
"""State of a check for display. `off`: nothing ran, so nothing failed, which is not a pass."""

Part = Literal["tests", "ci", "review"]


@dataclass(frozen=True)
class ChecksSnapshot:
    """The results of review, tests and CI in one iteration, all about the same commit."""

    head: str
    """The commit that all three results are about."""
    review: ReviewResult
    tests: TestsResult
    ci: CiResult

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the findings by priority: tests, CI, review."""
        return (*self.tests.findings, *self.ci.findings, *self.review.findings)


SIGNS: Mapping[CheckState, str] = {"pass": "✓", "fail": "✗", "pending": "…", "error": "!", "off": "–"}
MARKS: Mapping[CheckState, Mark] = {"pass": "ok", "fail": "bad", "pending": "wait", "error": "bad", "off": "note"}
NOT_REVIEWED = "not run: no reviewer"
_PARTS = {"tests": "tests", "ci": "CI", "review": "review"}


def classify_checks(checks: ChecksSnapshot) -> tuple[CheckState, CheckState, CheckState]:
    """Return the states of review, tests and CI, in this order."""
    return classify_review(checks.review), classify_tests(checks.tests), classify_ci(checks.ci)


def classify_review(result: ReviewResult) -> CheckState:
    """Return the state of the review; a pass with a reason means that nobody reviewed."""
    return "off" if result.status == "pass" and result.why else result.status


def classify_tests(result: TestsResult) -> CheckState:
    """Return the state of the tests. A test that was red once and green once is not a pass."""
    if result.status == "pass" and result.flaky:
        return "error"
    return "off" if result.status == "pass" and not result.passed else result.status


def classify_ci(result: CiResult) -> CheckState:
    """Return the state of CI. Skipped checks alone are not a pass."""
    ran = any(check.state == "pass" for check in result.checks)
    return "off" if result.status == "pass" and not ran else result.status


def summarize_checks(checks: ChecksSnapshot) -> tuple[str, str, str]:
    """Return review, tests and CI in a few words each."""
    return summarize_review(checks.review), summarize_tests(checks.tests), summarize_ci(checks.ci)


def summarize_review(result: ReviewResult) -> str:
    """Return the findings by weight, or why there are none."""
    if result.status == "error":
        return "not seen"
    counts = format_weights(
        sum(finding.weight == "critical" for finding in result.findings),
        sum(finding.weight == "important" for finding in result.findings),
    )
    return counts or ("not run" if classify_review(result) == "off" else "passed")


def summarize_tests(result: TestsResult) -> str:
    """Return the numbers of tests by result, or why there are none."""
    if result.status == "error":
        return "not seen"
    if classify_tests(result) == "off":
        return "none ran"
    left_out = sum(len(tests) for tests, *_ in result.left_out)
    counts = (
        f"{result.passed} passed"
        if result.status == "pass"
        else f"{len(result.findings)} failed"
        if result.findings
        else "",
        f"{left_out} left out" if left_out else "",
        f"{len(result.flaky)} flaky" if result.flaky else "",
    )
    return ", ".join(filter(None, counts))


def summarize_ci(result: CiResult) -> str:
    """Return the numbers of CI checks by state, safe to show and short."""
    if result.status == "pending" and not result.checks:
        return "no check yet"
    return to_one_line(redact(clean(ci.format_counts(result))))[:60]


def add_sign(state: CheckState, summary: str) -> str:
    """Put the sign of the state before its summary."""
    return f"{SIGNS[state]} {summary.removeprefix('… ')}"


def describe_fix(parts: Sequence[Part]) -> str:
    """Describe a fix of these parts, planned or made."""
    return f"fix {', then '.join(_PARTS[part] for part in parts)}"


def format_weights(critical: int, important: int) -> str:
    """Return the counts with their weights; empty if both are zero."""
    counts = ((critical, "critical"), (important, "important"))
    return ", ".join(f"{count} {word}" for count, word in counts if count)
