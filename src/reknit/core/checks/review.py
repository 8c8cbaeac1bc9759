"""Turns a review and the remarks of people and bots into findings, and decides whether the review passes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reknit.core.agent_reports.values import Review, Severity
from reknit.core.checks.status import ReviewResult
from reknit.core.finding import HEAVIEST_FIRST, Finding, Weight, worth_fixing
from reknit.core.forge.values import TRUSTED, Remark
from reknit.core.text.redact import redact
from reknit.core.text.truncate import truncate_chars
from reknit.core.text.visible import strip_hidden

WEIGHTS: dict[Severity, Weight] = {"blocking": "critical", "warning": "important", "suggestion": "minor"}
LONGEST_REMARK = 2_000


def findings_of(review: Review) -> tuple[Finding, ...]:
    found = (
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
    return _numbered(_once(found), 1)


def remarks_as_findings(remarks: Sequence[Remark], first_number: int) -> tuple[Finding, ...]:
    found = (
        Finding(
            id="",
            source="review",
            rule=remark.kind,
            subject=remark.file or f"{remark.kind} of {remark.author}",
            file=remark.file,
            line=remark.line,
            message=_text(remark),
            weight=_weight(remark),
            author=remark.author,
            remark=remark.id,
        )
        for remark in remarks
    )
    return _numbered(_once(found), first_number)


def seen(review: Review | None, remarks: Sequence[Remark], *, only_critical: bool, why: str) -> ReviewResult:
    """`why`: why the reviewer gave no answer; empty and no review: none was requested."""
    reported = findings_of(review) if review else ()
    findings = tuple(_once((*reported, *remarks_as_findings(remarks, len(reported) + 1))))
    if review is None and why:
        return ReviewResult("error", findings, why)
    if worth_fixing(findings, only_critical=only_critical):
        return ReviewResult("fail", findings)
    if review and review.verdict == "needs_work" and not worth_fixing(reported, only_critical=False):
        return ReviewResult("error", findings, "the reviewer says that it needs work but reports nothing to fix")
    return ReviewResult("pass", findings)


def _weight(remark: Remark) -> Weight:
    """A stranger's remark is shown but has no effect: anyone can comment on a public pull request."""
    if remark.association in TRUSTED:
        return "critical"
    return "important" if remark.is_bot else "minor"


def _text(remark: Remark) -> str:
    text = redact(strip_hidden(remark.text)).strip()
    if not text:
        return "requests changes without a comment" if remark.kind == "review" else "left an empty remark"
    return truncate_chars(text, LONGEST_REMARK)


def _once(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Merge findings with the same place and text: the heaviest weight, and the thread that awaits a reply."""
    kept: dict[tuple[str, int, str], Finding] = {}
    for finding in findings:
        place = (finding.file, finding.line, " ".join(finding.message.split()).casefold())
        first = kept.get(place, finding)
        kept[place] = replace(
            first,
            weight=min(first.weight, finding.weight, key=HEAVIEST_FIRST.index),
            author=first.author or finding.author,
            remark=first.remark or finding.remark,
        )
    return kept.values()


def _numbered(findings: Iterable[Finding], first_number: int) -> tuple[Finding, ...]:
    return tuple(replace(finding, id=f"R-{number}") for number, finding in enumerate(findings, first_number))
