"""The comment that a run writes on its pull request, and the check run for where reknit may create one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from reknit.core.fix_pr.checks import add_sign, format_weights
from reknit.core.fix_pr.output.record import IterationRecord, Record, RemainingFinding, fold_repeats, read_record
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.values import Annotation, CheckReport
from reknit.core.gate.waiver import MAX_NAMED_WAIVERS
from reknit.core.runs.ending import Ending
from reknit.core.runs.spending import Spending, render_spending_sentence
from reknit.core.text.forge_text import escape_markdown, escape_prose, to_code_span
from reknit.core.text.format import (
    MAX_COMMENT_CHARS,
    join_and_count,
    pluralize,
    sanitize_line,
    take_fitting,
)

ROWS, MAX_TABLE_CHARS = 30, 25_000
ANNOTATIONS = 50
_RESERVED_CHARS = 2_000
"""Characters that the list of remaining findings leaves free, as a safety margin."""
_REASON_CHARS = 1_500
_LABELS = {"CLEAN": "Not blocking", "FIXED": "Not blocking", "BLOCKED": "Left", "CANCELLED": "Left", "FAILED": "Left"}
_HEAD = "| iter | review | tests | CI | did | cost |\n|--|--|--|--|--|--|"

Conclusion = Literal["", "success", "failure", "action_required", "cancelled"]
CONCLUSIONS: dict[str, Conclusion] = {
    "CLEAN": "success", "FIXED": "success",
    "PARTIAL": "failure", "DEFERRED": "failure", "STALLED": "failure", "CHURN": "failure", "EXHAUSTED": "failure",
    "OVER_BUDGET": "failure", "FAILED": "failure",
    "BLOCKED": "action_required", "UNVERIFIED": "action_required", "CANCELLED": "cancelled",
}  # fmt: skip
"""Ending -> conclusion of the check run. None is `neutral`, which counts as passing."""


def render_comment(
    run_id: str,
    target: FixPullRequest,
    state: Mapping[str, Any],
    ending: Ending | None,
    *,
    money: Spending,
    hop: int,
) -> str:
    """Render the comment as Markdown. `state`: the course document as it was stored."""
    record = read_record(state)
    heading = f"### reknit: {_format_state(record, ending)}"
    body = _render_body(run_id, target, record, ending, money)
    return f"{heading}\n\n{body}\n\n<!-- reknit-hop: {hop} -->\n"


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
        summary=_render_body(run_id, target, record, ending, money),
        annotations=tuple(
            Annotation(finding.file, finding.line, f"{finding.id} {finding.weight}", finding.text)
            for finding in annotated[:ANNOTATIONS]
        ),
    )


def mark_superseded(report: CheckReport, commit: str) -> CheckReport:
    """Return the report for a commit on top of which a fix was pushed."""
    return replace(report, conclusion="cancelled", title=f"superseded by {commit[:12]}", annotations=())


def _format_state(record: Record, ending: Ending | None) -> str:
    if ending is None:
        return f"in progress, iteration {record.under_way}"
    count = (record.critical + record.important if record.is_settled else 0) or len(ending.left)
    if ending.word in ("CLEAN", "FIXED") or not count:
        return ending.word
    return f"{ending.word}, {pluralize(count, 'finding')} left"


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


def _render_body(run_id: str, target: FixPullRequest, record: Record, ending: Ending | None, money: Spending) -> str:
    above = [*_render_reason(ending), *_render_table(record)]
    below = [*_render_facts(record), _render_footer(run_id, target, ending, money)]
    space = MAX_COMMENT_CHARS - _RESERVED_CHARS - sum(len(part) + 2 for part in (*above, *below))
    return "\n\n".join([*above, *_render_remaining(record, ending, space), *below])


def _render_reason(ending: Ending | None) -> Iterator[str]:
    if ending is None:
        yield "No action needed. This comment is updated as the run progresses."
        return
    label = "Needs you" if ending.word == "BLOCKED" else "Why"
    yield f"**{label}** {escape_prose(sanitize_line(ending.reason, _REASON_CHARS))}"


def _render_table(record: Record) -> Iterator[str]:
    rows = [_render_row(numbers, look) for numbers, look in fold_repeats(record.looks)]
    if not rows:
        return
    last = take_fitting(rows[: -ROWS - 1 : -1], MAX_TABLE_CHARS)[::-1]
    hidden = len(rows) - len(last)
    earlier = [f"| … | | | | {hidden} earlier | |"] if hidden else []
    yield "\n".join([_HEAD, *earlier, *last])


def _render_row(numbers: str, look: IterationRecord) -> str:
    statuses = look.review, look.tests, look.ci
    cells = [escape_markdown(add_sign(status, summary)) for status, summary in zip(statuses, look.shown, strict=True)]
    pushed = f" ({look.commit[:7]})" if look.commit else ""
    return f"| {numbers} | {' | '.join(cells)} | {escape_markdown(look.did) or '…'}{pushed} | ${look.cost_usd:.2f} |"


def _render_remaining(record: Record, ending: Ending | None, space: int) -> Iterator[str]:
    if ending is None or not record.is_settled:  # results from before the last push are outdated
        return
    lines = [_render_finding(finding) for finding in record.left] or [
        f"- {escape_prose(sanitize_line(text))}" for text in ending.left
    ]
    if not lines:
        return
    fitting_lines = take_fitting(lines, space)
    more = max(record.critical + record.important, len(lines)) - len(fitting_lines)
    rest = [f"- … and {more} more"] if more else []
    yield "\n".join([f"**{_LABELS.get(ending.word, 'Needs you')}**", *fitting_lines, *rest])


def _render_finding(finding: RemainingFinding) -> str:
    origin = f"{finding.weight}, {finding.author}" if finding.author else finding.weight
    parts = [
        escape_markdown(finding.id),
        to_code_span(finding.place),
        escape_markdown(finding.text),
        f"({escape_markdown(origin)})",
    ]
    return f"- {' '.join(part for part in parts if part)}"


def _render_facts(record: Record) -> Iterator[str]:
    if record.commits:
        yield f"Pushed: {', '.join(commit[:7] for commit in record.commits[-ROWS:])}."
    if record.allowed:
        yield f"**Allowed by a person, although a rule of the gate refuses it**\n{_render_list(record.allowed)}"
    if record.advice:
        heading = "Suspected by the gate, and not confirmed when the tests ran in disguise"
        yield f"**{heading}**\n{_render_list(record.advice)}"
    if record.flaky:
        yield f"Flaky, not fixed: {join_and_count([to_code_span(test) for test in record.flaky])}."


def _render_list(texts: Sequence[str]) -> str:
    lines = [escape_prose(sanitize_line(text)) for text in texts[:MAX_NAMED_WAIVERS]]
    lines += [f"and {more} more"] if (more := len(texts) - MAX_NAMED_WAIVERS) > 0 else []
    return "\n".join(f"- {line}" for line in lines)


def _render_footer(run_id: str, target: FixPullRequest, ending: Ending | None, money: Spending) -> str:
    spending = render_spending_sentence(money, has_ended=ending is not None)
    if ending is None:
        return f"{spending} `reknit watch {run_id}` follows it, `reknit stop {run_id} --for-good` ends it."
    details = f"`reknit show {run_id} --why` shows what ran and what it found"
    if ending.word in ("CLEAN", "FIXED", "BLOCKED"):  # the reason of a BLOCKED run says what to do
        return f"{spending} {details}."
    return f"{spending} {details}, `reknit fix pr {target.number}` starts a new run."
