"""Findings of reviewers that are agents, and the issues they are kept as."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.issues.identity.matching import MatchResult
from reknit.core.issues.identity.rule_concepts import REVIEWER
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import KnownIssue, ReportResult

Identity = tuple[str, int, str, str]

REVIEW_PREFIX = "REV"
"""Of the labels of what `fix pr` and `vote` find: their reviewers are agents without a prefix of their own."""


@dataclass(frozen=True)
class FindingSource:
    """Whose findings they are, and about which commit."""

    repository: str
    """As `core/issues/model.py` names it; empty: unknown, so nothing is kept."""
    reviewer: str
    prefix: str
    """Of the labels: `SEC` for SEC-001."""
    commit: str

    @property
    def tool(self) -> str:
        return reviewer_tool(self.reviewer)


@dataclass(frozen=True)
class KeptFinding:
    """A finding, and the issue it is kept as."""

    finding: ReportedFinding
    issue: int = 0
    """0: it is not kept."""
    label: str = ""
    status: Status = "OPEN"


def reviewer_tool(reviewer: str) -> str:
    """The name under which issues have a reviewer as their source."""
    return f"{REVIEWER}{reviewer.strip().lower()}"


def is_silenced(kept: KeptFinding) -> bool:
    """Whether a person decided that it needs no fix, so that it is not reported again."""
    return kept.status in ("IGNORED", "DUPLICATE")


def without_silenced(review: Review, kept: Sequence[KeptFinding]) -> Review:
    """If nothing is left of a review that found something, nothing is left to do either."""
    left = tuple(one.finding for one in kept if not is_silenced(one))
    if len(left) == len(kept):
        return review
    return replace(review, findings=left, verdict=review.verdict if left else "passed")


def identity(result: ReportResult) -> Identity:
    """Equal for two results that `match` takes for one."""
    return result.path, result.line, result.rule, result.message


def issues_of_results(
    matched: MatchResult, before: Sequence[KnownIssue], after: Sequence[KnownIssue]
) -> dict[Identity, KnownIssue]:
    """The issue of each result, by its identity. `after`: all issues of these files, with the new ones.

    The ids of the new ones are in the order in which `match` returned them.
    """
    here = {issue.id: issue for issue in after}
    added = sorted(here.keys() - {issue.id for issue in before})
    of = {identity(again.placed.found): here[again.id] for again in matched.again}
    return of | {identity(new.placed.found): here[number] for new, number in zip(matched.new, added, strict=True)}


def kept_as(
    results: Sequence[tuple[ReportedFinding, ReportResult]],
    issues: Mapping[Identity, KnownIssue],
    labels: Mapping[int, str],
) -> tuple[KeptFinding, ...]:
    """`results`: each finding with its result; what is without a file in the repository has no issue."""
    kept = []
    for finding, result in results:
        issue = issues.get(identity(result))
        kept.append(KeptFinding(finding, issue.id, labels[issue.id], issue.status) if issue else KeptFinding(finding))
    return tuple(kept)
