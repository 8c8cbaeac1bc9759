"""Reads what `reknit mcp --out` wrote for a review; a review that never ended and found nothing is not a clean one."""

from collections.abc import Iterator, Sequence

import msgspec

from reknit.core.agent_reports.values import ReportedFinding, Role, Severity
from reknit.core.issues.formats.agent_report.results import as_result
from reknit.core.issues.formats.bounds import SNIPPET_CHARS, bounded
from reknit.core.issues.formats.json_reports import document, each
from reknit.core.issues.formats.report import Report, ReportProblem
from reknit.core.issues.identity.rule_concepts import REVIEWER
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

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
_ONE = msgspec.json.Decoder(_ReportedFinding)


def report(data: Data) -> Report:
    whole = document(_DOCUMENT, data)
    if whole.role == "fix":
        raise ReportProblem("it is the report of a fix, which has no findings", help="Import the report of a review.")
    if whole.problem and not whole.findings:
        why = bounded(whole.problem, SNIPPET_CHARS)
        raise ReportProblem(f"the review is unfinished and reports nothing, so the result is unknown: {why}")
    # What a reviewer no longer mentions may still be there: it looks at a change, and words it as it likes.
    return Report((TOOL,), _found(whole.findings), partial="a review by an agent does not cover everything")


def _found(findings: Sequence[msgspec.Raw]) -> Iterator[ReportResult]:
    for one in each(_ONE, findings):
        finding = ReportedFinding(
            category=one.category,
            severity=one.severity,
            file=one.file,
            line=one.line,
            issue=one.issue,
            suggestion=one.suggestion,
            effort_1_5=one.effort,
            files=one.files,
        )
        yield as_result(TOOL, finding)
