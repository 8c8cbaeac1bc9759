"""Reads the report that `reknit mcp --out` writes for a review."""

from collections.abc import Iterator, Sequence

import msgspec

from reknit.core.agent_reports.values import ReportedFinding, Role, Severity
from reknit.core.checks.review import WEIGHTS
from reknit.core.issues.formats.json_reports import decode_document, decode_each
from reknit.core.issues.formats.report import (
    MAX_ESTIMATED_FILES,
    MESSAGE_CHARS,
    SNIPPET_CHARS,
    SUGGESTION_CHARS,
    Report,
    ReportError,
    bound_text,
    check_estimate,
    check_path,
    check_position,
    choose_rule_name,
)
from reknit.core.issues.identity.rule_concepts import REVIEWER
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

MAX_EFFORT = 5


def to_result(tool: str, finding: ReportedFinding) -> ReportResult:
    """Convert a finding of an agent to a result that becomes an issue."""
    return ReportResult(
        tool=tool,
        rule=choose_rule_name(finding.category),
        path=check_path(finding.file),
        line=check_position(finding.line),
        message=bound_text(finding.issue, MESSAGE_CHARS),
        weight=WEIGHTS[finding.severity],
        suggestion=bound_text(finding.suggestion, SUGGESTION_CHARS),
        effort_1_5=check_estimate(finding.effort_1_5, MAX_EFFORT),
        files=check_estimate(finding.files, MAX_ESTIMATED_FILES),
    )


TOOL = f"{REVIEWER}review"


class _ReportedFinding(msgspec.Struct, gc=False):
    category: str
    severity: Severity
    file: str
    line: int
    issue: str
    suggestion: str = ""
    effort: int = 0
    files: int = 0


class _AgentReport(msgspec.Struct, gc=False):
    role: Role
    problem: str
    findings: list[msgspec.Raw] = []


_DOCUMENT = msgspec.json.Decoder(_AgentReport)
_FINDING = msgspec.json.Decoder(_ReportedFinding)


def read_report(data: Data) -> Report:
    """Read the report of a review. A review that did not end and found nothing is unusable, not clean."""
    document = decode_document(_DOCUMENT, data)
    if document.role == "fix":
        raise ReportError("it is the report of a fix, which has no findings", help="Import the report of a review.")
    if document.problem and not document.findings:
        problem = bound_text(document.problem, SNIPPET_CHARS)
        raise ReportError(f"the review is unfinished and reports nothing, so the result is unknown: {problem}")
    # A finding that the reviewer no longer mentions may still exist: it reads one change, and varies its words.
    return Report((TOOL,), _read_results(document.findings), partial="a review by an agent does not cover everything")


def _read_results(findings: Sequence[msgspec.Raw]) -> Iterator[ReportResult]:
    for reported in decode_each(_FINDING, findings):
        finding = ReportedFinding(
            category=reported.category,
            severity=reported.severity,
            file=reported.file,
            line=reported.line,
            issue=reported.issue,
            suggestion=reported.suggestion,
            effort_1_5=reported.effort,
            files=reported.files,
        )
        yield to_result(TOOL, finding)
