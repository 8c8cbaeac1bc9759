"""What the prompts of a review show of findings: untrusted text, bounded."""

from collections.abc import Sequence

from reknit.core.evidence.quoting import listed
from reknit.core.finding import Finding
from reknit.core.review.progress_file.entries import ListedFinding


def as_finding(found: ListedFinding) -> Finding:
    return Finding(
        id=found.id,
        source="review",
        rule=found.category,
        subject=found.title or found.file,
        file=found.file,
        line=found.line,
        message=found.issue,
        suggestion=found.suggestion,
    )


def listed_findings(findings: Sequence[ListedFinding], limit_bytes: int) -> str:
    return listed([as_finding(found) for found in findings], limit_bytes)
