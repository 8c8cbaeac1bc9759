"""Text for people about stored pull-request runs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reknit.core.fix_pr.checks import CheckState, describe_fix
from reknit.core.fix_pr.matrix import decide
from reknit.core.fix_pr.output.record import IterationRecord, Record, fold_repeats
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.runs.receipt import render_checks, render_tests
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView, describe_spending, get_pull
from reknit.core.text.format import (
    format_location,
    format_seconds,
    pluralize,
    render_field,
    sanitize_line,
    to_one_line,
)
from reknit.core.text.redact import clean
from reknit.core.text.truncate import truncate_chars

SHOWN = 5
COLUMNS = ("iter", "review", "tests", "ci", "did", "commit", "cost")
PHASES = {
    "look": "reads the pull request",
    "check_review": "checks review, tests and CI",
    "check_tests": "checks review, tests and CI",
    "check_ci": "checks review, tests and CI",
    "measure": "measures progress",
    "fix": "an agent works on the fix",
    "gate": "judges the change",
    "draft": "writes the commit",
    "prove": "runs the tests on the change",
    "push": "pushes",
    "replay": "reapplies the fix to the new head",
    "rerun": "re-runs a CI check",
    "poll": "waiting for CI",
    "wait_ci": "waiting for CI",
    "wait_forge": "waiting for the forge",
    "wait_agent": "waiting for an agent",
    "confirm": "confirms that all checks pass",
    "answer": "replies to review threads",
    "note": "saves the result",
    "turn": "saves the result",
    "report": "updates the pull request",
    "end": "ends",
}
"""Step of the loop -> its description for people."""
_LOOKING = "every check that ran passes: PR CLEAN · one fails: fix it · CI is not done: look again"
_FIXING = "gate, tests, push; the next iteration judges the new commit"
NEXT = {
    **dict.fromkeys(("", "look", "check_review", "check_tests", "check_ci", "measure", "confirm"), _LOOKING),
    **dict.fromkeys(("fix", "gate", "draft", "prove", "push", "replay", "note"), _FIXING),
    **dict.fromkeys(("rerun", "poll", "wait_ci"), "when CI is done, check everything again; no agent runs until then"),
    **dict.fromkeys(("wait_forge", "wait_agent"), "retry the step; nothing is lost"),
    **dict.fromkeys(("turn", "answer", "report"), "the next iteration, or the end"),
    "end": "nothing",
}
_MAX_WIDTHS = (9, 26, 22, 24, 40, 7, 8)
_RETRY_TIME = re.compile(r"[,;] (?:looks again|retrying) ")
_MIN_WIDTH = 12
"""Minimum width of a column that shrinks, in characters."""
_SHORT_CHARS = 40


def format_heading(spec: RunSpec) -> list[str]:
    """Format the first lines of a run: the pull request, the agents and the limits."""
    target = spec.task_as(FixPullRequest)
    reviews = f", {target.reviewer.name} reviews" if target.reviewer else ", no reviewer"
    cap = f"at most {target.limits.iterations} iterations and ${spec.limits.budget_usd:.2f}"
    agents = ", then ".join(agent.name for agent in spec.agents)
    return [f"{spec.run_id}  #{target.number} {target.title}", f"  {agents} fixes{reviews}, {cap}"]


def format_receipt(receipt: Mapping[str, object]) -> list[str]:
    """Format the receipt. It does not claim that the fix works: the next iteration checks that."""
    return [
        f"asked about  {render_tests(receipt)}",
        f"red before   {to_one_line(str(receipt['red_before']))}",
        f"green after  {to_one_line(str(receipt['green_after']))}",
        f"red without  {to_one_line(str(receipt['red_without']))}",
        *render_checks(receipt),
    ]


def describe_decision(review: CheckState, tests: CheckState, ci: CheckState) -> str:
    """Describe the matrix's decision for three results, in a few words."""
    decision = decide(review, tests, ci)
    if decision.word == "fix":
        return describe_fix(decision.parts)
    return {"clean": "PR CLEAN", "wait": "waiting for CI", "retry": "looks again"}[decision.word]


def shorten(did: str) -> str:
    """Cut the action for a table cell: a reason can be a paragraph."""
    return truncate_chars(did, _SHORT_CHARS)


def drop_retry_time(reason: str) -> str:
    """Return the message of a waiting run without the time of the next try, which changes while it waits."""
    return _RETRY_TIME.split(reason, maxsplit=1)[0]


def format_ending(run: RunView, attempts: int, record: Record, width: int = 0) -> str:
    """Format the ending. `width`: of the terminal; 0: there is none, and lines are not wrapped."""
    # For a run that a person cancelled, only the record has the commits.
    pushed, remaining = _read_texts(run, "fixed") or list(record.commits), _list_remaining(run, record)
    took = format_seconds((run.ended_at or run.created_at) - run.created_at)
    lines = [
        f"{run.ending}   {pluralize(attempts, 'attempt')}, {pluralize(len(pushed), 'commit')} pushed, {took}, "
        f"{describe_spending(run)}",
        *render_field("why", to_one_line(run.reason), width),
        f"  pr      {to_one_line(str(get_pull(run)['url']))}",
    ]
    if pushed:
        lines += render_field("pushed", ", ".join(commit[:7] for commit in pushed), width)
    for number, text in enumerate(remaining[:SHOWN]):
        lines += render_field("" if number else "left", text, width)
    if len(remaining) > SHOWN:
        lines.append(f"          … and {len(remaining) - SHOWN} more")
    return clean("\n".join(lines))


def format_run(run: RunView, record: Record, width: int = 0) -> list[str]:
    """Format the lines of `reknit show`."""
    lines = [*_format_pull(run, width), *format_table(record.looks, width)]
    for number, finding in enumerate(record.left):
        by = f", {finding.author}" if finding.author else ""
        lines += render_field("" if number else "left", f"{finding.place_and_text} ({finding.weight}{by})", width)
    return lines


def format_table(looks: Sequence[IterationRecord], width: int = 0) -> list[str]:
    """Format the iterations as a table that fits the width; 0: any width."""
    rows = [COLUMNS, *(_format_cells(numbers, look) for numbers, look in fold_repeats(looks))]
    if len(rows) == 1:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for column in (4, 3, 2, 1):  # shrink the action first, then the results
        over = sum(widths) + 2 * len(widths) - width if width else 0
        widths[column] -= max(0, min(over, widths[column] - _MIN_WIDTH))
    return [f"  {'  '.join(map(_pad_cell, row, widths))}".rstrip() for row in rows]


def explain_run(run: RunView, record: Record, checks: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Format the lines of `reknit show --why`."""
    lines = _format_pull(run)
    for look in record.looks:
        lines += _explain_iteration(look)
    for name, lists in (("review", _format_issues), ("tests", _format_tests), ("ci", _format_ci_checks)):
        if document := checks.get(name):
            why = f"   {document['why']}" if document["why"] else ""
            lines += [f"  {name:<6}  {document['status']}   {document['shown']}{why}", *lists(document)]
    return lines


def _format_pull(run: RunView, width: int = 0) -> list[str]:
    pull = get_pull(run)
    return render_field(
        "pr", f"#{pull['number']} {sanitize_line(str(pull['title']), 80)}   {to_one_line(str(pull['url']))}", width
    )


def _format_cells(numbers: str, look: IterationRecord) -> tuple[str, ...]:
    cells = (numbers, *look.shown, look.did or "…", look.commit[:7], f"${look.cost_usd:.2f}")
    return tuple(map(truncate_chars, cells, _MAX_WIDTHS))


def _pad_cell(text: str, width: int) -> str:
    return truncate_chars(text, width).ljust(width)


def _list_remaining(run: RunView, record: Record) -> list[str]:
    """Return the findings of the last iteration; without them, the names that the ending has."""
    if run.ending == "CLEAN" or not record.is_settled:
        return []
    return [finding.place_and_text for finding in record.left] or [
        sanitize_line(text) for text in _read_texts(run, "left")
    ]


def _explain_iteration(look: IterationRecord) -> Iterator[str]:
    yield f"  iteration {look.number}  at {look.head[:12]}   review {look.review}, tests {look.tests}, ci {look.ci}"
    because = decide(look.review, look.tests, look.ci).reason
    yield f"          because  {because}"
    if look.did:
        pushed = f"; pushed {look.commit[:12]}, asked about {look.fixes}" if look.commit else ""
        yield f"          did      {look.did}{pushed}  ${look.cost_usd:.2f}"


def _format_issues(document: Mapping[str, Any]) -> Iterator[str]:
    for issue in document["issues"]:
        place = format_location(issue["file"], issue["line"])
        by = f" ({issue['author']})" if issue["author"] else ""
        yield f"          {issue['id']} {issue['severity']} {place}{by}: {sanitize_line(issue['description'])}"


def _format_tests(document: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"          red    {test}" for test in document["failed_tests"])
    yield from (f"          flaky  {test}" for test in document["flaky"])
    yield from (f"          left out  {text}" for text in document.get("left_out", ()))


def _format_ci_checks(document: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        f"          {check['status']:<9}  {check['name']}  {check['url']}".rstrip() for check in document["checks"]
    )


def _read_texts(run: RunView, key: str) -> list[str]:
    texts = run.detail.get(key)
    return [str(text) for text in texts] if isinstance(texts, list | tuple) else []
