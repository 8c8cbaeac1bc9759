"""The check run of a pull-request run, for where reknit may create one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from reknit.core.fix_pr.checks import format_weights
from reknit.core.fix_pr.output.comment import render_body
from reknit.core.fix_pr.output.record import Record, read_record
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.values import Annotation, CheckReport
from reknit.core.runs.ending import Ending
from reknit.core.runs.spending import Spending

ANNOTATIONS = 50

Conclusion = Literal["", "success", "failure", "action_required", "cancelled"]
CONCLUSIONS: dict[str, Conclusion] = {
    "CLEAN": "success", "FIXED": "success",
    "PARTIAL": "failure", "DEFERRED": "failure", "STALLED": "failure", "CHURN": "failure", "EXHAUSTED": "failure",
    "OVER_BUDGET": "failure", "FAILED": "failure",
    "BLOCKED": "action_required", "UNVERIFIED": "action_required", "CANCELLED": "cancelled",
}  # fmt: skip
"""Ending -> conclusion of the check run. None is `neutral`, which counts as passing."""


def render_check_report(
    run_id: str,
    target: FixPullRequest,
    state: Mapping[str, Any],
    ending: Ending | None,
    *,
    money: Spending,
) -> CheckReport:
    """Render the check run; annotations only once the run has ended."""
    record = read_record(state)
    critical = [finding for finding in record.left if finding.weight == "critical" and finding.file and finding.line]
    annotated = critical if ending else []  # before the end, the next iteration may check another commit
    return CheckReport(
        name="reknit",
        key=f"pr-{target.number}",
        conclusion=CONCLUSIONS[ending.word] if ending else "",
        title=_format_title(record, ending),
        summary=render_body(run_id, target, state, ending, money),
        annotations=tuple(
            Annotation(finding.file, finding.line, f"{finding.id} {finding.weight}", finding.text)
            for finding in annotated[:ANNOTATIONS]
        ),
    )


def mark_superseded(report: CheckReport, commit: str) -> CheckReport:
    """Return the report for a commit on top of which a fix was pushed."""
    return replace(report, conclusion="cancelled", title=f"superseded by {commit[:12]}", annotations=())


def _format_title(record: Record, ending: Ending | None) -> str:
    if ending is None:
        return f"in progress, iteration {record.under_way}"
    if ending.word in ("CLEAN", "FIXED"):
        return "PR CLEAN" if ending.word == "CLEAN" else "fixed"
    if ending.word == "FAILED":
        return "internal error in reknit, not in your code"
    counts = format_weights(record.critical, record.important) if record.is_settled else ""
    words_by_ending = {"BLOCKED": "needs you", "UNVERIFIED": "some checks gave no result", "CANCELLED": "cancelled"}
    parts = [words_by_ending.get(ending.word, "" if counts else ending.word), f"{counts} left" if counts else ""]
    return ", ".join(part for part in parts if part)
