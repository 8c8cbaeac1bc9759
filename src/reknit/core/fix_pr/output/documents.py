"""A pull-request run as documents for programs: the result of each check, the iterations, the whole state."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from reknit.core.causes.cause import render_left_out
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import (
    ChecksSnapshot,
    classify_ci,
    classify_review,
    classify_tests,
    summarize_ci,
    summarize_review,
    summarize_tests,
)
from reknit.core.fix_pr.output.record import IterationRecord, read_record, to_record
from reknit.core.fix_pr.state import PullRunState
from reknit.core.runs.view import RunView, get_pull
from reknit.core.text.format import sanitize_line
from reknit.core.text.redact import clean, redact

Document = dict[str, object]

MAX_LISTED = 200
"""Maximum number of issues, tests or checks per document."""
TAIL_LINES = 50
_LONG_CHARS = 1_000


def to_review_document(result: ReviewResult) -> Document:
    """Return the result of the review for programs."""
    return {
        "status": classify_review(result),
        "critical": sum(finding.weight == "critical" for finding in result.findings),
        "important": sum(finding.weight == "important" for finding in result.findings),
        "issues": [_to_issue(finding) for finding in result.findings[:MAX_LISTED]],
        "shown": summarize_review(result),
        "why": sanitize_line(result.why),
    }


def to_tests_document(result: TestsResult) -> Document:
    """Return the result of the tests for programs, with the end of their output."""
    return {
        "status": classify_tests(result),
        "output_tail": "\n".join(redact(clean(result.output_tail)).splitlines()[-TAIL_LINES:]),
        "failed_tests": [sanitize_line(finding.subject, _LONG_CHARS) for finding in result.findings[:MAX_LISTED]],
        "flaky": [sanitize_line(test, _LONG_CHARS) for test in result.flaky[:MAX_LISTED]],
        "passed": result.passed,
        "left_out": [sanitize_line(render_left_out([part]), _LONG_CHARS) for part in result.left_out[:MAX_LISTED]],
        "shown": summarize_tests(result),
        "why": sanitize_line(result.why),
    }


def to_ci_document(result: CiResult) -> Document:
    """Return the result of CI for programs."""
    return {
        "status": classify_ci(result),
        "checks": [
            {"name": sanitize_line(check.name), "status": check.state, "url": sanitize_line(check.url, _LONG_CHARS)}
            for check in result.checks[:MAX_LISTED]
        ],
        "shown": summarize_ci(result),
        "why": sanitize_line(result.why),
    }


def to_course_document(state: PullRunState, checks: ChecksSnapshot | None) -> Document:
    """Return the iterations so far, and the remaining findings of the latest snapshot."""
    return asdict(to_record(state, checks))


def to_state_document(run: RunView, state: Mapping[str, Any], checks: Mapping[str, Mapping[str, Any]]) -> Document:
    """Return the state file. `checks` has the keys `review`, `tests` and `ci`; a check without a result is left out."""
    record, pull = read_record(state), get_pull(run)
    last = record.looks[-1].number if record.looks else 1
    return {
        "schema": 1,
        "run": run.id,
        "ending": run.ending,
        "iteration": last if run.ending else max(last, record.under_way),
        "max_iterations": pull["limits"]["iterations"],
        "pr_number": pull["number"],
        "pr_url": pull["url"],
        "check_results": {name: dict(checks[name]) for name in ("review", "tests", "ci") if checks.get(name)},
        "history": [entry for look in record.looks for entry in _list_history(look)],
    }


def _list_history(look: IterationRecord) -> Iterator[Document]:
    states = {"review": look.review, "tests": look.tests, "ci": look.ci}
    yield {"iteration": look.number, "action": "check", **states}
    if look.commit:
        yield {"iteration": look.number, "action": "fix", "fixes": look.fixes, "commit": look.commit}


def _to_issue(finding: Finding) -> Document:
    return {
        "id": finding.id,
        "severity": finding.weight,
        "file": sanitize_line(finding.file),
        "line": finding.line,
        "description": sanitize_line(finding.message or finding.subject, _LONG_CHARS),
        "fix_hint": sanitize_line(finding.suggestion, _LONG_CHARS),
        "author": sanitize_line(finding.author),
    }
