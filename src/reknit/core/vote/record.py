"""Stores both votes as a document, reads them back, and renders the comment on the pull request."""

from collections.abc import Iterator, Mapping
from typing import Any

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.runs.spending import Spending, render_spending_sentence
from reknit.core.text.forge_text import escape_markdown, escape_prose, to_code_span
from reknit.core.text.format import MAX_COMMENT_CHARS, format_location, sanitize_line, take_fitting
from reknit.core.text.redact import clean, redact
from reknit.core.vote.decision import Tally, Vote
from reknit.core.vote.run_text import READ_BEFORE_MERGE, sort_by_severity

Document = dict[str, object]

MAX_STORED_FINDINGS = 100
"""Maximum number of findings stored per vote."""
MAX_STORED_SUMMARY_CHARS, _MAX_STORED_TEXT_CHARS = 2_000, 500
MAX_SHOWN_FINDINGS = 20
"""Maximum number of findings per voter in the comment."""
_MAX_SHOWN_SUMMARY_CHARS = 1_500
KEY = "vote"
"""Key by which the forge finds the comment again."""
_RESERVED_CHARS = 4_000
"""Part of the comment that is reserved for text that is not from a voter."""


def tally_to_document(tally: Tally) -> Document:
    """Return the document that the database stores."""
    return {
        "head": tally.head,
        "now": tally.now,
        "unseen": sanitize_line(tally.unseen, _MAX_STORED_TEXT_CHARS),
        "approve": tally.approve_0_100,
        "average": tally.average,
        "approved": tally.approved,
        "votes": [_vote_to_document(vote) for vote in tally.votes],
    }


def read_tally(document: Mapping[str, Any]) -> Tally | None:
    """Return the stored votes; None: the run has none yet, so there is nothing to show."""
    if not document:
        return None
    votes = tuple(Vote(data["agent"], data["kind"], _read_review(data)) for data in document["votes"])
    return Tally(document["head"], votes, document["approve"], document["now"], document.get("unseen", ""))


def _read_review(data: Mapping[str, Any]) -> Review:
    findings = tuple(ReportedFinding(**finding) for finding in data["findings"])
    return Review(data["verdict"], data["score"], data["summary"], findings)


def _vote_to_document(vote: Vote) -> Document:
    review = vote.review
    return {
        "agent": vote.agent,
        "kind": vote.kind,
        "score": review.score_0_100,
        "verdict": review.verdict,
        "summary": redact(clean(review.summary))[:MAX_STORED_SUMMARY_CHARS],
        "findings": [_finding_to_document(finding) for finding in review.findings[:MAX_STORED_FINDINGS]],
    }


def _finding_to_document(finding: ReportedFinding) -> Document:
    return {
        "category": sanitize_line(finding.category),
        "severity": finding.severity,
        "file": sanitize_line(finding.file),
        "line": finding.line,
        "issue": sanitize_line(finding.issue, _MAX_STORED_TEXT_CHARS),
        "suggestion": sanitize_line(finding.suggestion, _MAX_STORED_TEXT_CHARS),
    }


def render_comment(run_id: str, tally: Tally, money: Spending) -> str:
    """Return the Markdown comment for the pull request."""
    space = (MAX_COMMENT_CHARS - _RESERVED_CHARS) // len(tally.votes)
    parts = [
        f"### reknit vote: {_render_result(tally)}",
        f"Average **{tally.average:g}** of 100, needs {tally.approve_0_100:g}.",
        *(
            [f"**{escape_markdown(tally.warning)}.** {READ_BEFORE_MERGE if tally.approved else ''}".rstrip()]
            if tally.warning
            else []
        ),
        _render_table(tally),
        *(part for vote in tally.votes for part in _render_feedback(vote, space)),
        _render_note(tally),
        f"{render_spending_sentence(money, has_ended=True)} `reknit show {run_id}` has both votes.",
    ]
    return "\n\n".join(parts) + "\n"


def _render_result(tally: Tally) -> str:
    if not tally.approved:
        return "not approved, a person must decide"
    if not tally.doubt:
        return "approved"
    return f"approved at {tally.head[:7]}, but {'unverified' if tally.now is None else 'the branch has moved since'}"


def _render_table(tally: Tally) -> str:
    rows = (
        f"| {escape_markdown(vote.agent)} | {vote.review.score_0_100} "
        f"| {len(vote.review.findings)} ({vote.blocking} blocking) |"
        for vote in tally.votes
    )
    return "\n".join(["| voter | score | findings |", "|--|--|--|", *rows])


def _render_feedback(vote: Vote, space: int) -> Iterator[str]:
    summary = sanitize_line(vote.review.summary, _MAX_SHOWN_SUMMARY_CHARS)
    yield f"**{escape_markdown(vote.agent)}, {vote.review.score_0_100}** {escape_markdown(summary)}".rstrip()
    findings = sort_by_severity(vote.review.findings)
    lines = [_render_finding(finding) for finding in findings[:MAX_SHOWN_FINDINGS]]
    visible_lines = take_fitting(lines, space - len(escape_markdown(summary)))
    more = [f"- … and {len(findings) - len(visible_lines)} more"] if len(findings) > len(visible_lines) else []
    if lines:
        yield "\n".join([*visible_lines, *more])


def _render_finding(finding: ReportedFinding) -> str:
    location = to_code_span(sanitize_line(format_location(finding.file, finding.line)))
    return f"- {finding.severity} {location} {escape_markdown(sanitize_line(finding.issue))}"


def _render_note(tally: Tally) -> str:
    text = f"Both votes are about {tally.head}; neither voter saw the other's vote."
    doubt = sanitize_line(tally.doubt, _MAX_SHOWN_SUMMARY_CHARS)
    return escape_prose(f"{text} {doubt[0].upper()}{doubt[1:]}." if doubt else text)
