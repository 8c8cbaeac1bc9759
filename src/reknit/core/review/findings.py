"""Converts the findings of a review: to a document, SARIF, annotations on GitHub, and text for prompts."""

from collections.abc import Mapping, Sequence
from typing import Any

from reknit.core.agents.reviewer import Level
from reknit.core.capability import StoredRun
from reknit.core.evidence.quoting import list_findings
from reknit.core.finding import Finding, Weight
from reknit.core.issues.model import Issue, IssueSource
from reknit.core.issues.review_findings import name_reviewer_tool
from reknit.core.issues.sarif_export import collect_rules, write_sarif
from reknit.core.review.answer import SavedReview
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.task import ReviewChange
from reknit.core.text.forge_text import AnnotationLevel, WorkflowAnnotation, render_annotation

DOCUMENT = "findings"
_WEIGHTS: Mapping[Level, Weight] = {"blocking": "critical", "warning": "important", "suggestion": "minor"}
_ANNOTATIONS: Mapping[Level, AnnotationLevel] = {"blocking": "error", "warning": "warning", "suggestion": "notice"}


def findings_to_document(target: ReviewChange, reviews: Mapping[str, SavedReview]) -> dict[str, object]:
    """Return the document. `reviews`: by the reviewer's name; one without an answer is missing."""
    reviewers = [reviewer for reviewer, _ in target.reviewers]
    return {
        "reviewers": [
            {
                "name": reviewer.name,
                "level": reviewer.level,
                "verdict": review.verdict if review else None,
                "findings": [_finding_to_document(review, place) for place in range(len(review.findings))]
                if review
                else [],
                "refuted": [*review.refuted] if review else [],
                "dropped": review.dropped if review else 0,
                "silenced": review.silenced if review else 0,
            }
            for reviewer, review in ((reviewer, reviews.get(reviewer.name)) for reviewer in reviewers)
        ],
        "skipped": [*target.skipped],
    }


def _finding_to_document(review: SavedReview, place: int) -> dict[str, object]:
    numbered = review.findings[place]
    finding = numbered.finding
    return {
        "id": finding.id, "issue": f"I-{numbered.issue}" if numbered.issue else None, "category": finding.category,
        "title": finding.title, "file": finding.file, "line": finding.line, "description": finding.issue,
        "suggestion": finding.suggestion, "points": numbered.points,
    }  # fmt: skip


def read_reviewers(stored: StoredRun) -> Sequence[Mapping[str, Any]]:
    """Return the reviewers of the run's document; empty if there is none."""
    reviewers: Sequence[Mapping[str, Any]] = stored.documents.get(DOCUMENT, {}).get("reviewers", [])
    return reviewers


def to_sarif(stored: StoredRun) -> str:
    """Return the findings as SARIF."""
    issues = [_to_issue(reviewer, finding) for reviewer in read_reviewers(stored) for finding in reviewer["findings"]]

    def of_tool(tool: str) -> list[Issue]:
        return [issue for issue in issues if tool in issue.tools]

    return "".join(write_sarif(collect_rules(issues), of_tool, lambda _issue: ""))


def _to_issue(reviewer: Mapping[str, Any], finding: Mapping[str, Any]) -> Issue:
    text = f"{finding['title']}: {finding['description']}"
    return Issue(
        id=int(str(finding["issue"] or "I-0").removeprefix("I-")),
        repository="",
        fingerprint=finding["id"],
        status="OPEN",
        path=finding["file"],
        line=finding["line"],
        column=0,
        rule=finding["category"],
        message=text,
        weight=_WEIGHTS[reviewer["level"]],
        sources=(IssueSource(name_reviewer_tool(reviewer["name"]), finding["category"], text),),
        baseline="new",
        suggestion=finding["suggestion"],
    )


def to_annotations(stored: StoredRun) -> str:
    """Return the findings as annotations of a GitHub workflow."""
    lines = [
        _to_annotation(reviewer, finding) for reviewer in read_reviewers(stored) for finding in reviewer["findings"]
    ]
    return "\n".join(lines)


def _to_annotation(reviewer: Mapping[str, Any], finding: Mapping[str, Any]) -> str:
    text = "\n".join(filter(None, [finding["description"], finding["suggestion"]]))
    level, title = _ANNOTATIONS[reviewer["level"]], f"{finding['id']} {finding['title']}"
    return render_annotation(WorkflowAnnotation(level, title, text, finding["file"], finding["line"]))


def to_finding(finding: ListedFinding) -> Finding:
    """Return the finding in the form that prompts show."""
    return Finding(
        id=finding.id,
        source="review",
        rule=finding.category,
        subject=finding.title or finding.file,
        file=finding.file,
        line=finding.line,
        message=finding.issue,
        suggestion=finding.suggestion,
    )


def render_findings(findings: Sequence[ListedFinding], limit_bytes: int) -> str:
    """Return the findings for a prompt, cut to size."""
    return list_findings([to_finding(finding) for finding in findings], limit_bytes)
