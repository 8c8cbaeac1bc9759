"""What a run shows on its pull request: one comment, and a check run where reknit may create one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from reknit.core.fix_pr.check_summary import signed, weighed
from reknit.core.fix_pr.output.record import IterationRecord, Record, RemainingFinding, folded, record_in
from reknit.core.forge.values import Annotation, CheckReport
from reknit.core.gate.waiver import MOST_NAMED
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import PullTarget
from reknit.core.text.format import counted, first_and_more, spent_of, words
from reknit.core.text.layout import LONGEST, fitting
from reknit.core.text.markdown import code, plain, prose

ROWS, ROWS_LONGEST = 30, 25_000
ANNOTATIONS = 50
_RESERVED = 2_000
"""Reserved for the text after the list."""
_REASON = 1_500
_LABELS = {"CLEAN": "Not blocking", "FIXED": "Not blocking", "BLOCKED": "Left", "CANCELLED": "Left", "FAILED": "Left"}
_HEAD = "| iter | review | tests | CI | did | cost |\n|--|--|--|--|--|--|"

Conclusion = Literal["", "success", "failure", "action_required", "cancelled"]
CONCLUSIONS: dict[str, Conclusion] = {
    "CLEAN": "success", "FIXED": "success",
    "PARTIAL": "failure", "DEFERRED": "failure", "STALLED": "failure", "CHURN": "failure", "EXHAUSTED": "failure",
    "OVER_BUDGET": "failure", "FAILED": "failure",
    "BLOCKED": "action_required", "UNVERIFIED": "action_required", "CANCELLED": "cancelled",
}  # fmt: skip
"""Never `neutral`, which counts as passing."""


@dataclass(frozen=True)
class Spending:
    spent_usd: float
    budget_usd: float


def comment(
    run_id: str,
    target: PullTarget,
    state: Mapping[str, Any],
    ending: Ending | None,
    *,
    money: Spending,
    hop: int,
) -> str:
    """`state`: the course document as it was stored."""
    record = record_in(state)
    heading = f"### reknit: {_state(record, ending)}"
    body = _body(run_id, target, record, ending, money)
    return f"{heading}\n\n{body}\n\n<!-- reknit-hop: {hop} -->\n"


def check_report(
    run_id: str,
    target: PullTarget,
    state: Mapping[str, Any],
    ending: Ending | None,
    *,
    money: Spending,
) -> CheckReport:
    record = record_in(state)
    critical = [left for left in record.left if left.weight == "critical" and left.file and left.line]
    placed = critical if ending else []  # while it runs, the next look may be at another commit
    return CheckReport(
        name="reknit",
        key=f"pr-{target.number}",
        conclusion=CONCLUSIONS[ending.word] if ending else "",
        title=_title(record, ending),
        summary=_body(run_id, target, record, ending, money),
        annotations=tuple(
            Annotation(left.file, left.line, f"{left.id} {left.weight}", left.text) for left in placed[:ANNOTATIONS]
        ),
    )


def superseded(report: CheckReport, commit: str) -> CheckReport:
    """For a commit that a fix was pushed on top of."""
    return replace(report, conclusion="cancelled", title=f"superseded by {commit[:12]}", annotations=())


def _state(record: Record, ending: Ending | None) -> str:
    if ending is None:
        return f"in progress, iteration {record.under_way}"
    count = (record.critical + record.important if record.is_settled else 0) or len(ending.left)
    if ending.word in ("CLEAN", "FIXED") or not count:
        return ending.word
    return f"{ending.word}, {counted(count, 'finding')} left"


def _title(record: Record, ending: Ending | None) -> str:
    if ending is None:
        return f"in progress, iteration {record.under_way}"
    if ending.word in ("CLEAN", "FIXED"):
        return "PR CLEAN" if ending.word == "CLEAN" else "fixed"
    if ending.word == "FAILED":
        return "internal error in reknit, not in your code"
    left = weighed(record.critical, record.important) if record.is_settled else ""
    said = {"BLOCKED": "needs you", "UNVERIFIED": "some checks gave no result", "CANCELLED": "cancelled"}
    parts = [said.get(ending.word, "" if left else ending.word), f"{left} left" if left else ""]
    return ", ".join(part for part in parts if part)


def _body(run_id: str, target: PullTarget, record: Record, ending: Ending | None, money: Spending) -> str:
    above = [*_why(ending), *_table(record)]
    below = [*_facts(record), _last(run_id, target, ending, money)]
    space = LONGEST - _RESERVED - sum(len(part) + 2 for part in (*above, *below))
    return "\n\n".join([*above, *_left(record, ending, space), *below])


def _why(ending: Ending | None) -> Iterator[str]:
    if ending is None:
        yield "No action needed. This comment is updated as the run progresses."
        return
    label = "Needs you" if ending.word == "BLOCKED" else "Why"
    yield f"**{label}** {prose(words(ending.reason, _REASON))}"


def _table(record: Record) -> Iterator[str]:
    rows = [_row(numbers, look) for numbers, look in folded(record.looks)]
    if not rows:
        return
    last = fitting(rows[: -ROWS - 1 : -1], ROWS_LONGEST)[::-1]
    hidden = len(rows) - len(last)
    earlier = [f"| … | | | | {hidden} earlier | |"] if hidden else []
    yield "\n".join([_HEAD, *earlier, *last])


def _row(numbers: str, look: IterationRecord) -> str:
    statuses = look.review, look.tests, look.ci
    cells = [plain(signed(status, said)) for status, said in zip(statuses, look.shown, strict=True)]
    pushed = f" ({look.commit[:7]})" if look.commit else ""
    return f"| {numbers} | {' | '.join(cells)} | {plain(look.did) or '…'}{pushed} | ${look.cost_usd:.2f} |"


def _left(record: Record, ending: Ending | None, space: int) -> Iterator[str]:
    if ending is None or not record.is_settled:  # results from before the last push say nothing about what is left
        return
    lines = [_line(left) for left in record.left] or [f"- {prose(words(text))}" for text in ending.left]
    if not lines:
        return
    shown = fitting(lines, space)
    more = max(record.critical + record.important, len(lines)) - len(shown)
    rest = [f"- … and {more} more"] if more else []
    yield "\n".join([f"**{_LABELS.get(ending.word, 'Needs you')}**", *shown, *rest])


def _line(left: RemainingFinding) -> str:
    said = f"{left.weight}, {left.author}" if left.author else left.weight
    parts = [plain(left.id), code(left.place), plain(left.text), f"({plain(said)})"]
    return f"- {' '.join(part for part in parts if part)}"


def _facts(record: Record) -> Iterator[str]:
    if record.commits:
        yield f"Pushed: {', '.join(commit[:7] for commit in record.commits[-ROWS:])}."
    if record.allowed:
        yield f"**Allowed by a person, although a rule of the gate refuses it**\n{_listed(record.allowed)}"
    if record.advice:
        told = "Suspected by the gate, and not confirmed when the tests ran in disguise"
        yield f"**{told}**\n{_listed(record.advice)}"
    if record.flaky:
        yield f"Flaky, not fixed: {first_and_more([code(test) for test in record.flaky])}."


def _listed(texts: Sequence[str]) -> str:
    lines = [prose(words(text)) for text in texts[:MOST_NAMED]]
    lines += [f"and {more} more"] if (more := len(texts) - MOST_NAMED) > 0 else []
    return "\n".join(f"- {line}" for line in lines)


def _last(run_id: str, target: PullTarget, ending: Ending | None, money: Spending) -> str:
    spent = f"Spent {spent_of(money.spent_usd, money.budget_usd)}."
    if ending is None:
        return f"{spent} `reknit watch {run_id}` follows it, `reknit cancel {run_id}` ends it."
    explains = f"`reknit explain {run_id}` shows what ran and what it found"
    if ending.word in ("CLEAN", "FIXED", "BLOCKED"):  # the reason of a BLOCKED run says what to do
        return f"{spent} {explains}."
    return f"{spent} {explains}, `reknit fix pr {target.number}` starts a new run."
