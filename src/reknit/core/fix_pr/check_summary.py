"""The three checks of a pull request for display: state, sign, mark and short text. Every view uses these."""

from collections.abc import Mapping, Sequence

from reknit.core.checks import ci
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot, CheckState
from reknit.core.fix_pr.matrix import Part
from reknit.core.runs.event import Mark
from reknit.core.text.format import one_line
from reknit.core.text.redact import clean, redact

SIGNS: Mapping[CheckState, str] = {"pass": "✓", "fail": "✗", "pending": "…", "error": "!", "off": "–"}
MARKS: Mapping[CheckState, Mark] = {"pass": "ok", "fail": "bad", "pending": "wait", "error": "bad", "off": "note"}
NOT_REVIEWED = "not run: no reviewer"
_PARTS = {"tests": "tests", "ci": "CI", "review": "review"}


def states(checks: ChecksSnapshot) -> tuple[CheckState, CheckState, CheckState]:
    """In the order review, tests, CI."""
    return review_state(checks.review), tests_state(checks.tests), ci_state(checks.ci)


def review_state(seen: ReviewResult) -> CheckState:
    return "off" if seen.status == "pass" and seen.why else seen.status


def tests_state(seen: TestsResult) -> CheckState:
    """Red once and green once is not a pass."""
    if seen.status == "pass" and seen.flaky:
        return "error"
    return "off" if seen.status == "pass" and not seen.passed else seen.status


def ci_state(seen: CiResult) -> CheckState:
    """Skipped checks alone are not a pass."""
    ran = any(check.state == "pass" for check in seen.checks)
    return "off" if seen.status == "pass" and not ran else seen.status


def shown(checks: ChecksSnapshot) -> tuple[str, str, str]:
    """Review, tests and CI in a few words each."""
    return review_shown(checks.review), tests_shown(checks.tests), ci_shown(checks.ci)


def review_shown(seen: ReviewResult) -> str:
    if seen.status == "error":
        return "not seen"
    counts = weighed(
        sum(finding.weight == "critical" for finding in seen.findings),
        sum(finding.weight == "important" for finding in seen.findings),
    )
    return counts or ("not run" if review_state(seen) == "off" else "passed")


def tests_shown(seen: TestsResult) -> str:
    if seen.status == "error":
        return "not seen"
    if tests_state(seen) == "off":
        return "none ran"
    left_out = sum(len(tests) for tests, *_ in seen.left_out)
    counts = (
        f"{seen.passed} passed" if seen.status == "pass" else f"{len(seen.findings)} failed" if seen.findings else "",
        f"{left_out} left out" if left_out else "",
        f"{len(seen.flaky)} flaky" if seen.flaky else "",
    )
    return ", ".join(filter(None, counts))


def ci_shown(seen: CiResult) -> str:
    if seen.status == "pending" and not seen.checks:
        return "no check yet"
    return one_line(redact(clean(ci.counts(seen))))[:60]


def signed(state: CheckState, said: str) -> str:
    return f"{SIGNS[state]} {said.removeprefix('… ')}"


def fix_for(parts: Sequence[Part]) -> str:
    """The same wording before and after the fix."""
    return f"fix {', then '.join(_PARTS[part] for part in parts)}"


def weighed(critical: int, important: int) -> str:
    """Empty if both are zero."""
    counts = ((critical, "critical"), (important, "important"))
    return ", ".join(f"{count} {word}" for count, word in counts if count)
