"""Findings of reviewers that are agents, their labels, and the issues that store them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.issues.identity.matching import MatchResult
from reknit.core.issues.identity.rule_concepts import REVIEWER
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import KnownIssue, ReportResult

Identity = tuple[str, int, str, str]

REVIEW_PREFIX = "REV"
"""Prefix of labels for findings of `fix pr` and `vote`, whose reviewers have no prefix of their own."""


@dataclass(frozen=True)
class FindingSource:
    """The reviewer of some findings, and the commit that they are about."""

    repository: str
    """Name of the repository as in `Issue`; empty: unknown, so nothing is stored."""
    reviewer: str
    prefix: str
    """Prefix of the labels: `SEC` for SEC-001."""
    commit: str

    @property
    def tool(self) -> str:
        return name_reviewer_tool(self.reviewer)


@dataclass(frozen=True)
class KeptFinding:
    """A finding, and the issue that stores it."""

    finding: ReportedFinding
    issue: int = 0
    """Id of the issue; 0: it is not stored."""
    label: str = ""
    status: Status = "OPEN"


def name_reviewer_tool(reviewer: str) -> str:
    """Return the tool name under which the issues of a reviewer are stored."""
    return f"{REVIEWER}{reviewer.strip().lower()}"


def is_silenced(finding: KeptFinding) -> bool:
    """Return True if a person decided that the finding needs no fix."""
    return finding.status in ("IGNORED", "DUPLICATE")


def drop_silenced(review: Review, findings: Sequence[KeptFinding]) -> Review:
    """Drop silenced findings. A review without other findings has passed."""
    remaining = tuple(one.finding for one in findings if not is_silenced(one))
    if len(remaining) == len(findings):
        return review
    return replace(review, findings=remaining, verdict=review.verdict if remaining else "passed")


def get_identity(result: ReportResult) -> Identity:
    """Return a key that is equal for results that `match_results` counts as repeats."""
    return result.path, result.line, result.rule, result.message


def map_results_to_issues(
    matched: MatchResult, before: Sequence[KnownIssue], after: Sequence[KnownIssue]
) -> dict[Identity, KnownIssue]:
    """Return the issue of each result. `after`: all issues of these files, including new ones.

    The store gives new issues their ids in the order of `matched.new`.
    """
    issues_by_id = {issue.id: issue for issue in after}
    new_ids = sorted(issues_by_id.keys() - {issue.id for issue in before})
    issue_by_identity = {get_identity(again.result.result): issues_by_id[again.id] for again in matched.sightings}
    return issue_by_identity | {
        get_identity(new.result.result): issues_by_id[number] for new, number in zip(matched.new, new_ids, strict=True)
    }


def keep_findings(
    results: Sequence[tuple[ReportedFinding, ReportResult]],
    issues: Mapping[Identity, KnownIssue],
    labels: Mapping[int, str],
) -> tuple[KeptFinding, ...]:
    """Return each finding with its issue; a finding without a file in the repository has none."""
    findings = []
    for finding, result in results:
        issue = issues.get(get_identity(result))
        findings.append(
            KeptFinding(finding, issue.id, labels[issue.id], issue.status) if issue else KeptFinding(finding)
        )
    return tuple(findings)


def make_labels(prefix: str, used: Collection[str], count: int) -> list[str]:
    """Return the next labels. `used`: all labels of the repository; no number is given twice."""
    numbers = (label.removeprefix(f"{prefix}-") for label in used if label.startswith(f"{prefix}-"))
    highest = max((int(number) for number in numbers if number.isascii() and number.isdigit()), default=0)
    return [f"{prefix}-{number:03d}" for number in range(highest + 1, highest + 1 + count)]
