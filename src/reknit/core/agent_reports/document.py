"""A report for people and programs outside: as a JSON document, and as one line."""

from reknit.core.agent_reports.finding_title import title_of
from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import CaseProposal, FixReport, PlanProposal, ReportedFinding


def document(session: ReportSession) -> dict[str, object]:
    """Uses the field names of the tools. `report` is null until a valid one exists; `findings` is filled regardless."""
    findings = {"findings": [_finding(found) for found in session.findings]} if session.role == "review" else {}
    return {"schema": 1, "role": session.role, "problem": session.problem, "report": _report(session), **findings}


def sentence(session: ReportSession) -> str:
    report = session.report
    if report is None:
        return f"no {session.role} report: {session.problem}"
    if isinstance(report, FixReport):
        return f"fix: {report.status}"
    if isinstance(report, PlanProposal):
        return f"plan: {report.primary}, confidence {report.confidence_0_100}"
    if isinstance(report, CaseProposal):
        return f"holdout: {len(report.cases)} case(s)"
    found = f"{len(report.findings)} finding(s), {session.blocking} blocking"
    return f"review: {report.verdict}, score {report.score_0_100}, {found}"


def _report(session: ReportSession) -> dict[str, object] | None:
    report = session.report
    if report is None:
        return None
    if isinstance(report, FixReport):
        return {"status": report.status, "summary": report.summary, "question": report.question}
    if isinstance(report, PlanProposal):
        return {"primary": report.primary, "confidence": report.confidence_0_100}
    if isinstance(report, CaseProposal):
        return {"cases": [vars(case) for case in report.cases]}
    return {"verdict": report.verdict, "score": report.score_0_100, "summary": report.summary}


def _finding(found: ReportedFinding) -> dict[str, object]:
    return {
        "category": found.category,
        "severity": found.severity,
        "file": found.file,
        "line": found.line,
        "issue": found.issue,
        "suggestion": found.suggestion,
        "effort": found.effort_1_5,
        "title": title_of(found),
        "files": found.files,
    }
