"""Turns a review and the remarks of people and bots into findings, and decides whether the review passes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reknit.core.agent_reports.values import Review, Severity
from reknit.core.checks.status import ReviewResult
from reknit.core.finding import HEAVIEST_FIRST, Finding, Weight, select_worth_fixing
from reknit.core.forge.values import TRUSTED, Remark
from reknit.core.text.redact import redact, strip_hidden
from reknit.core.text.truncate import truncate_chars

WEIGHTS: dict[Severity, Weight] = {"blocking": "critical", "warning": "important", "suggestion": "minor"}
MAX_REMARK_CHARS = 2_000


def findings_from_review(review: Review) -> tuple[Finding, ...]:
    """Convert a review to numbered findings, without duplicates."""
    findings = (
        Finding(
            id="",
            source="review",
            rule=reported.category,
            subject=reported.file,
            file=reported.file,
            line=reported.line,
            message=reported.issue,
            suggestion=reported.suggestion,
            effort_1_5=reported.effort_1_5,
            weight=WEIGHTS[reported.severity],
        )
        for reported in review.findings
    )
    return _number_findings(_merge_duplicates(findings), 1)


def findings_from_remarks(remarks: Sequence[Remark], first_number: int) -> tuple[Finding, ...]:
    """Convert remarks on the forge to findings, numbered from `first_number`."""
    findings = (
        Finding(
            id="",
            source="review",
            rule=remark.kind,
            subject=remark.file or f"{remark.kind} of {remark.author}",
            file=remark.file,
            line=remark.line,
            message=_clean_remark(remark),
            weight=_weigh_remark(remark),
            author=remark.author,
            remark=remark.id,
        )
        for remark in remarks
    )
    return _number_findings(_merge_duplicates(findings), first_number)


def judge_review(review: Review | None, remarks: Sequence[Remark], *, only_critical: bool, why: str) -> ReviewResult:
    """Judge a review and the remarks. `why`: why the reviewer gave no answer; empty: none was requested."""
    reported = findings_from_review(review) if review else ()
    findings = tuple(_merge_duplicates((*reported, *findings_from_remarks(remarks, len(reported) + 1))))
    if review is None and why:
        return ReviewResult("error", findings, why)
    if select_worth_fixing(findings, only_critical=only_critical):
        return ReviewResult("fail", findings)
    if review and review.verdict == "needs_work" and not select_worth_fixing(reported, only_critical=False):
        return ReviewResult("error", findings, "the reviewer says that it needs work but reports nothing to fix")
    return ReviewResult("pass", findings)


def _weigh_remark(remark: Remark) -> Weight:
    """Return the weight of a remark. A stranger's has no effect: anyone can comment on a public pull request."""
    if remark.association in TRUSTED:
        return "critical"
    return "important" if remark.is_bot else "minor"


def _clean_remark(remark: Remark) -> str:
    text = redact(strip_hidden(remark.text)).strip()
    if not text:
        return "requests changes without a comment" if remark.kind == "review" else "left an empty remark"
    return truncate_chars(text, MAX_REMARK_CHARS)


def _merge_duplicates(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Merge findings with the same place and text: the heaviest weight, and the thread that awaits a reply."""
    by_place: dict[tuple[str, int, str], Finding] = {}
    for finding in findings:
        place = (finding.file, finding.line, " ".join(finding.message.split()).casefold())
        first = by_place.get(place, finding)
        by_place[place] = replace(
            first,
            weight=min(first.weight, finding.weight, key=HEAVIEST_FIRST.index),
            author=first.author or finding.author,
            remark=first.remark or finding.remark,
        )
    return by_place.values()


def _number_findings(findings: Iterable[Finding], first_number: int) -> tuple[Finding, ...]:
    return tuple(replace(finding, id=f"R-{number}") for number, finding in enumerate(findings, first_number))
