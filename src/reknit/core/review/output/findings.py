"""The findings of a review for programs: as a document, as SARIF, and as annotations of a workflow on GitHub."""

from collections.abc import Mapping, Sequence
from typing import Any

from reknit.core.agents.review_target import ReviewTarget
from reknit.core.agents.reviewer import Level
from reknit.core.capability import StoredRun
from reknit.core.finding import Weight
from reknit.core.issues.model import Issue, IssueSource
from reknit.core.issues.review_findings import reviewer_tool
from reknit.core.issues.sarif_export import rules_of, sarif
from reknit.core.review.answer import SavedReview
from reknit.core.text.workflow_command import Annotation, AnnotationLevel, annotation_line

DOCUMENT = "findings"
_WEIGHTS: Mapping[Level, Weight] = {"blocking": "critical", "warning": "important", "suggestion": "minor"}
_ANNOTATIONS: Mapping[Level, AnnotationLevel] = {"blocking": "error", "warning": "warning", "suggestion": "notice"}


def findings_document(target: ReviewTarget, reviews: Mapping[str, SavedReview]) -> dict[str, object]:
    """`reviews`: by the name of the reviewer; one that was not heard is missing."""
    asked = [reviewer for reviewer, _ in target.reviewers]
    return {
        "reviewers": [
            {
                "name": reviewer.name,
                "level": reviewer.level,
                "verdict": review.verdict if review else None,
                "findings": [_finding(review, place) for place in range(len(review.findings))] if review else [],
                "refuted": [*review.refuted] if review else [],
                "dropped": review.dropped if review else 0,
                "silenced": review.silenced if review else 0,
            }
            for reviewer, review in ((reviewer, reviews.get(reviewer.name)) for reviewer in asked)
        ],
        "skipped": [*target.skipped],
    }


def _finding(review: SavedReview, place: int) -> dict[str, object]:
    numbered = review.findings[place]
    found = numbered.listed
    return {
        "id": found.id, "issue": f"I-{numbered.issue}" if numbered.issue else None, "category": found.category,
        "title": found.title, "file": found.file, "line": found.line, "description": found.issue,
        "suggestion": found.suggestion, "points": numbered.points,
    }  # fmt: skip


def reviewers_in(stored: StoredRun) -> Sequence[Mapping[str, Any]]:
    """Of the run's document; empty if there is none."""
    found: Sequence[Mapping[str, Any]] = stored.documents.get(DOCUMENT, {}).get("reviewers", [])
    return found


def as_sarif(stored: StoredRun) -> str:
    issues = [_issue(reviewer, found) for reviewer in reviewers_in(stored) for found in reviewer["findings"]]

    def of_tool(tool: str) -> list[Issue]:
        return [issue for issue in issues if tool in issue.tools]

    return "".join(sarif(rules_of(issues), of_tool, lambda _issue: ""))


def _issue(reviewer: Mapping[str, Any], found: Mapping[str, Any]) -> Issue:
    text = f"{found['title']}: {found['description']}"
    return Issue(
        id=int(str(found["issue"] or "I-0").removeprefix("I-")),
        repository="",
        fingerprint=found["id"],
        status="OPEN",
        path=found["file"],
        line=found["line"],
        column=0,
        rule=found["category"],
        message=text,
        weight=_WEIGHTS[reviewer["level"]],
        sources=(IssueSource(reviewer_tool(reviewer["name"]), found["category"], text),),
        baseline="new",
        suggestion=found["suggestion"],
    )


def as_annotations(stored: StoredRun) -> str:
    lines = [_annotation(reviewer, found) for reviewer in reviewers_in(stored) for found in reviewer["findings"]]
    return "\n".join(lines)


def _annotation(reviewer: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    text = "\n".join(filter(None, [found["description"], found["suggestion"]]))
    level, title = _ANNOTATIONS[reviewer["level"]], f"{found['id']} {found['title']}"
    return annotation_line(Annotation(level, title, text, found["file"], found["line"]))
