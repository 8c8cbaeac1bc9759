"""A finding that an agent reported, as a result that becomes an issue."""

from reknit.core.agent_reports.values import ReportedFinding
from reknit.core.checks.review import WEIGHTS
from reknit.core.issues.formats.bounds import (
    MESSAGE_CHARS,
    MOST_FILES,
    SUGGESTION_CHARS,
    bounded,
    counted,
    estimate,
    path_text,
    rule_name,
)
from reknit.core.issues.model import ReportResult

MOST_EFFORT = 5


def as_result(tool: str, finding: ReportedFinding) -> ReportResult:
    return ReportResult(
        tool=tool,
        rule=rule_name(finding.category),
        path=path_text(finding.file),
        line=counted(finding.line),
        message=bounded(finding.issue, MESSAGE_CHARS),
        weight=WEIGHTS[finding.severity],
        suggestion=bounded(finding.suggestion, SUGGESTION_CHARS),
        effort_1_5=estimate(finding.effort_1_5, MOST_EFFORT),
        files=estimate(finding.files, MOST_FILES),
    )
