"""The record of a vote: both votes as stored in the database, and read back."""

from collections.abc import Mapping
from typing import Any

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.text.format import words
from reknit.core.text.redact import clean, redact
from reknit.core.vote.decision import Tally, Vote

Document = dict[str, object]

MOST = 100
"""Findings stored per vote."""
SUMMARY, TEXT = 2_000, 500


def votes_document(counted: Tally) -> Document:
    return {
        "head": counted.head,
        "now": counted.now,
        "unseen": words(counted.unseen, TEXT),
        "approve": counted.approve_0_100,
        "average": counted.average,
        "approved": counted.approved,
        "votes": [_vote(vote) for vote in counted.votes],
    }


def tally_in(document: Mapping[str, Any]) -> Tally | None:
    """Rebuilt from the stored document; None: the run has none yet, so there is nothing to show."""
    if not document:
        return None
    votes = tuple(Vote(found["agent"], found["kind"], _review(found)) for found in document["votes"])
    return Tally(document["head"], votes, document["approve"], document["now"], document.get("unseen", ""))


def _review(found: Mapping[str, Any]) -> Review:
    findings = tuple(ReportedFinding(**each) for each in found["findings"])
    return Review(found["verdict"], found["score"], found["summary"], findings)


def _vote(vote: Vote) -> Document:
    review = vote.review
    return {
        "agent": vote.agent,
        "kind": vote.kind,
        "score": review.score_0_100,
        "verdict": review.verdict,
        "summary": redact(clean(review.summary))[:SUMMARY],
        "findings": [_finding(finding) for finding in review.findings[:MOST]],
    }


def _finding(finding: ReportedFinding) -> Document:
    return {
        "category": words(finding.category),
        "severity": finding.severity,
        "file": words(finding.file),
        "line": finding.line,
        "issue": words(finding.issue, TEXT),
        "suggestion": words(finding.suggestion, TEXT),
    }
