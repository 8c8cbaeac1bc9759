"""Stored pull-request runs, as text for people."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reknit.core.fix_pr.check_summary import fix_for
from reknit.core.fix_pr.checks_snapshot import CheckState
from reknit.core.fix_pr.matrix import decide
from reknit.core.fix_pr.output.record import IterationRecord, Record, folded
from reknit.core.runs.ending import LOGIN
from reknit.core.runs.receipt import checked_lines, named_tests
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView, pull_of
from reknit.core.text.format import file_line, one_line, seconds, spent_of, words
from reknit.core.text.layout import field
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
"""The steps of the loop, for people."""
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
_WIDEST = (9, 26, 22, 24, 40, 7, 8)
_WHEN = re.compile(r"[,;] (?:looks again|goes on|retrying) ")
"""`goes on`: of runs that an earlier release started."""
_LEAST = 12
"""The minimum width of a column that shrinks."""
_SHORT = 40


def heading(spec: RunSpec) -> list[str]:
    target = spec.pull_target
    reviews = f", {target.reviewer.name} reviews" if target.reviewer else ", no reviewer"
    cap = f"at most {target.limits.iterations} iterations and ${spec.limits.budget_usd:.2f}"
    agents = ", then ".join(agent.name for agent in spec.agents)
    return [f"{spec.run_id}  #{target.number} {target.title}", f"  {agents} fixes{reviews}, {cap}"]


def receipt_lines(receipt: Mapping[str, object]) -> list[str]:
    """It is not yet verified that what was asked is fixed."""
    return [
        f"asked about  {named_tests(receipt)}",
        f"red before   {one_line(str(receipt['red_before']))}",
        f"green after  {one_line(str(receipt['green_after']))}",
        f"red without  {one_line(str(receipt['red_without']))}",
        *checked_lines(receipt),
    ]


def decided(review: CheckState, tests: CheckState, ci: CheckState) -> str:
    """What the matrix decides for three results, in a few words."""
    found = decide(review, tests, ci)
    if found.word == "fix":
        return fix_for(found.parts)
    return {"clean": "PR CLEAN", "wait": "waiting for CI", "retry": "looks again"}[found.word]


def short(did: str) -> str:
    """For a table cell: a reason can be a paragraph."""
    return truncate_chars(did, _SHORT)


def waits_for(reason: str) -> str:
    """The part of a waiting run's message that stays true while it waits."""
    return _WHEN.split(reason, maxsplit=1)[0]


def ending_text(run: RunView, attempts: int, record: Record, width: int = 0) -> str:
    """`width`: of the terminal; 0: there is none, and lines are not wrapped."""
    # a run that a person cancelled has them only in its record
    pushed, left = _texts(run, "fixed") or list(record.commits), _left_now(run, record)
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    lines = [
        f"{run.ending}   {attempts} attempt(s), {len(pushed)} commit(s) pushed, {took}, "
        f"{spent_of(run.spent_usd, run.budget_usd)}",
        *field("why", one_line(run.reason), width),
        f"  pr      {one_line(str(pull_of(run)['url']))}",
    ]
    if pushed:
        lines += field("pushed", ", ".join(commit[:7] for commit in pushed), width)
    for number, text in enumerate(left[:SHOWN]):
        lines += field("" if number else "left", text, width)
    if len(left) > SHOWN:
        lines.append(f"          … and {len(left) - SHOWN} more")
    steps = [*(["git pull"] if pushed else []), remedy(run, attempts)]
    lines += [f"  {'next' if number == 0 else '':<6}  {step}" for number, step in enumerate(steps)]
    return clean("\n".join(lines))


def remedy(run: RunView, attempts: int) -> str:
    """The command that helps, by how the run ended."""
    pull, explain = pull_of(run), f"reknit explain {run.id}"
    again, cause = f"reknit fix pr {pull['number']}", run.detail.get("cause")
    if run.ending == "EXHAUSTED" and "loop.timeout_s" in run.reason:
        return f"{again}    with a higher loop.timeout_s"
    if run.ending == "EXHAUSTED":
        return f"{again} --max-iterations {min(100, 2 * pull['limits']['iterations'])}"
    if cause == LOGIN:
        return "reknit doctor"
    if run.ending == "BLOCKED" and cause == "protected":
        return f"reknit show {run.id} --attempt {attempts} | git apply"
    return {
        "CLEAN": f"reknit show {run.id}",
        "OVER_BUDGET": f"{again} --budget {2 * run.budget_usd:g}",
        "UNVERIFIED": f"{again}    once it answers",
        "CANCELLED": again,
    }.get(run.ending or "", explain)


def show_lines(run: RunView, record: Record, width: int = 0) -> list[str]:
    lines = [*_pull_lines(run, width), *table(record.looks, width)]
    for number, left in enumerate(record.left):
        by = f", {left.author}" if left.author else ""
        lines += field("" if number else "left", f"{left.place_and_text} ({left.weight}{by})", width)
    return lines


def table(looks: Sequence[IterationRecord], width: int = 0) -> list[str]:
    rows = [COLUMNS, *(_cells(numbers, look) for numbers, look in folded(looks))]
    if len(rows) == 1:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for column in (4, 3, 2, 1):  # shrink what was done first, then what was seen
        over = sum(widths) + 2 * len(widths) - width if width else 0
        widths[column] -= max(0, min(over, widths[column] - _LEAST))
    return [f"  {'  '.join(map(_cell, row, widths))}".rstrip() for row in rows]


def explain_lines(run: RunView, record: Record, checks: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = _pull_lines(run)
    for look in record.looks:
        lines += _explained(look)
    for name, lists in (("review", _issues), ("tests", _failed), ("ci", _ci_checks)):
        if document := checks.get(name):
            why = f"   {document['why']}" if document["why"] else ""
            lines += [f"  {name:<6}  {document['status']}   {document['shown']}{why}", *lists(document)]
    return lines


def _pull_lines(run: RunView, width: int = 0) -> list[str]:
    pull = pull_of(run)
    return field("pr", f"#{pull['number']} {words(str(pull['title']), 80)}   {one_line(str(pull['url']))}", width)


def _cells(numbers: str, look: IterationRecord) -> tuple[str, ...]:
    cells = (numbers, *look.shown, look.did or "…", look.commit[:7], f"${look.cost_usd:.2f}")
    return tuple(map(truncate_chars, cells, _WIDEST))


def _cell(text: str, width: int) -> str:
    return truncate_chars(text, width).ljust(width)


def _left_now(run: RunView, record: Record) -> list[str]:
    """As of the last look; the ending has only names."""
    if run.ending == "CLEAN" or not record.is_settled:
        return []
    return [left.place_and_text for left in record.left] or [words(text) for text in _texts(run, "left")]


def _explained(look: IterationRecord) -> Iterator[str]:
    yield f"  iteration {look.number}  at {look.head[:12]}   review {look.review}, tests {look.tests}, ci {look.ci}"
    because = decide(look.review, look.tests, look.ci).reason
    yield f"          because  {because}"
    if look.did:
        pushed = f"; pushed {look.commit[:12]}, asked about {look.fixes}" if look.commit else ""
        yield f"          did      {look.did}{pushed}  ${look.cost_usd:.2f}"


def _issues(document: Mapping[str, Any]) -> Iterator[str]:
    for issue in document["issues"]:
        place = file_line(issue["file"], issue["line"])
        by = f" ({issue['author']})" if issue["author"] else ""
        yield f"          {issue['id']} {issue['severity']} {place}{by}: {words(issue['description'])}"


def _failed(document: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"          red    {test}" for test in document["failed_tests"])
    yield from (f"          flaky  {test}" for test in document["flaky"])
    yield from (f"          left out  {text}" for text in document.get("left_out", ()))


def _ci_checks(document: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        f"          {check['status']:<9}  {check['name']}  {check['url']}".rstrip() for check in document["checks"]
    )


def _texts(run: RunView, key: str) -> list[str]:
    found = run.detail.get(key)
    return [str(text) for text in found] if isinstance(found, list | tuple) else []
