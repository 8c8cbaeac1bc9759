"""Renders a report as one line for people, and as a JSON document for programs."""

from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import CaseProposal, FixReport, PlanProposal, ReportedFinding, to_title


def to_document(session: ReportSession) -> dict[str, object]:
    """Return the report with the field names of the tools.

    `report` is null until there is a valid one; `findings` has the findings of a review even then.
    """
    findings = {"findings": [_to_finding(finding) for finding in session.findings]} if session.role == "review" else {}
    return {"schema": 1, "role": session.role, "problem": session.problem, "report": _to_report(session), **findings}


def format_sentence(session: ReportSession) -> str:
    """Return the report as one line."""
    report = session.report
    if report is None:
        return f"no {session.role} report: {session.problem}"
    if isinstance(report, FixReport):
        return f"fix: {report.status}"
    if isinstance(report, PlanProposal):
        return f"plan: {report.primary}, confidence {report.confidence_0_100}"
    if isinstance(report, CaseProposal):
        return f"holdout: {len(report.cases)} case(s)"
    counts = f"{len(report.findings)} finding(s), {session.blocking} blocking"
    return f"review: {report.verdict}, score {report.score_0_100}, {counts}"


def _to_report(session: ReportSession) -> dict[str, object] | None:
    report = session.report
    if report is None:
        return None
    if isinstance(report, FixReport):
        return {
            "status": report.status, "summary": report.summary, "question": report.question, "title": report.title,
        }  # fmt: skip
    if isinstance(report, PlanProposal):
        return {"primary": report.primary, "confidence": report.confidence_0_100}
    if isinstance(report, CaseProposal):
        return {"cases": [vars(case) for case in report.cases]}
    return {"verdict": report.verdict, "score": report.score_0_100, "summary": report.summary}


def _to_finding(finding: ReportedFinding) -> dict[str, object]:
    return {
        "category": finding.category,
        "severity": finding.severity,
        "file": finding.file,
        "line": finding.line,
        "issue": finding.issue,
        "suggestion": finding.suggestion,
        "effort": finding.effort_1_5,
        "title": to_title(finding),
        "files": finding.files,
    }
