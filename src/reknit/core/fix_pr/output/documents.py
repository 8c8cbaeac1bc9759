"""A pull-request run as documents for programs: the result of each check, the iterations so far, the whole state."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from reknit.core.causes.left_out import left_out_text
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.check_summary import ci_shown, ci_state, review_shown, review_state, tests_shown, tests_state
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.output.record import IterationRecord, record_in, record_of
from reknit.core.fix_pr.state import PullRunState
from reknit.core.runs.view import RunView, pull_of
from reknit.core.text.format import words
from reknit.core.text.redact import clean, redact

Document = dict[str, object]

MOST = 200
"""Issues, tests or checks per document."""
TAIL_LINES = 50
_LONG = 1_000


def review_document(seen: ReviewResult) -> Document:
    return {
        "status": review_state(seen),
        "critical": sum(finding.weight == "critical" for finding in seen.findings),
        "important": sum(finding.weight == "important" for finding in seen.findings),
        "issues": [_issue(finding) for finding in seen.findings[:MOST]],
        "shown": review_shown(seen),
        "why": words(seen.why),
    }


def tests_document(seen: TestsResult) -> Document:
    return {
        "status": tests_state(seen),
        "output_tail": "\n".join(redact(clean(seen.output_tail)).splitlines()[-TAIL_LINES:]),
        "failed_tests": [words(finding.subject, _LONG) for finding in seen.findings[:MOST]],
        "flaky": [words(test, _LONG) for test in seen.flaky[:MOST]],
        "passed": seen.passed,
        "left_out": [words(left_out_text([each]), _LONG) for each in seen.left_out[:MOST]],
        "shown": tests_shown(seen),
        "why": words(seen.why),
    }


def ci_document(seen: CiResult) -> Document:
    return {
        "status": ci_state(seen),
        "checks": [
            {"name": words(check.name), "status": check.state, "url": words(check.url, _LONG)}
            for check in seen.checks[:MOST]
        ],
        "shown": ci_shown(seen),
        "why": words(seen.why),
    }


def course_document(state: PullRunState, checks: ChecksSnapshot | None) -> Document:
    """`checks`: the latest snapshot; what is left is read from it."""
    return asdict(record_of(state, checks))


def state_document(run: RunView, state: Mapping[str, Any], checks: Mapping[str, Mapping[str, Any]]) -> Document:
    """The state file. `checks` has the keys `review`, `tests` and `ci`; a check not yet seen is left out."""
    record, pull = record_in(state), pull_of(run)
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
        "history": [entry for look in record.looks for entry in _history(look)],
    }


def _history(look: IterationRecord) -> Iterator[Document]:
    seen = {"review": look.review, "tests": look.tests, "ci": look.ci}
    yield {"iteration": look.number, "action": "check", **seen}
    if look.commit:
        yield {"iteration": look.number, "action": "fix", "fixes": look.fixes, "commit": look.commit}


def _issue(finding: Finding) -> Document:
    return {
        "id": finding.id,
        "severity": finding.weight,
        "file": words(finding.file),
        "line": finding.line,
        "description": words(finding.message or finding.subject, _LONG),
        "fix_hint": words(finding.suggestion, _LONG),
        "author": words(finding.author),
    }
