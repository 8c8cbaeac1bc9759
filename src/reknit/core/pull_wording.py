"""Pull-request runs read back, as text for people."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reknit.core.decision import decide
from reknit.core.picture import CiSeenWord, Seen
from reknit.core.pull_record import Look, Record, folded, pull_of, words
from reknit.core.redact import clean
from reknit.core.run_view import RunView
from reknit.core.wording import one_line, seconds

SHOWN = 5
COLUMNS = ("iter", "review", "tests", "ci", "did", "commit", "cost")
PHASES = {
    "look": "looks at the pull request",
    "check_review": "looks at review, tests and CI",
    "check_tests": "looks at review, tests and CI",
    "check_ci": "looks at review, tests and CI",
    "measure": "weighs what was seen",
    "fix": "an agent works on the fix",
    "gate": "judges the change",
    "draft": "writes the commit",
    "prove": "runs the tests on the change",
    "push": "pushes",
    "replay": "puts the fix on top of what somebody pushed",
    "rerun": "has a check run again",
    "poll": "waits for CI",
    "answer": "answers threads",
    "note": "writes it down",
    "turn": "writes it down",
    "report": "tells the pull request",
    "end": "ends",
}
"""The steps of the loop, for people."""
_LOOKING = "all three pass: PR CLEAN · something fails: it is fixed · CI is not done: looks again"
_FIXING = "gate, tests, push; the next iteration judges the new commit"
NEXT = {
    **dict.fromkeys(("", "look", "check_review", "check_tests", "check_ci", "measure"), _LOOKING),
    **dict.fromkeys(("fix", "gate", "draft", "prove", "push", "replay", "note"), _FIXING),
    **dict.fromkeys(
        ("rerun", "poll", "wait_ci"), "CI is done: everything is looked at again; no agent works meanwhile"
    ),
    **dict.fromkeys(("wait_forge", "wait_agent"), "the step is tried again; nothing is lost"),
    **dict.fromkeys(("turn", "answer", "report"), "the next iteration, or the end"),
    "end": "nothing",
}
_WIDEST = (9, 26, 22, 24, 44, 7, 8)
_WHEN = re.compile(r"[,;] (?:looks again|goes on) ")
_PARTS = {"tests": "tests", "ci": "CI", "review": "review"}


def decided(review: Seen, tests: Seen, ci: CiSeenWord) -> str:
    """What the matrix makes of three answers, in a few words."""
    found = decide(review, tests, ci)
    if found.word == "fix":
        return f"fix {', then '.join(_PARTS[part] for part in found.parts)}"
    return {"clean": "PR CLEAN", "wait": "waits for CI", "retry": "looks again"}[found.word]


def waits_for(reason: str) -> str:
    """Of what a waiting run says, the part that does not become wrong while it waits."""
    return _WHEN.split(reason, maxsplit=1)[0]


def ending_text(run: RunView, attempts: int) -> str:
    pushed, left = _texts(run, "fixed"), _texts(run, "left")
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    lines = [
        f"{run.ending}   {attempts} attempt(s), {len(pushed)} commit(s) pushed, {took}, "
        f"${run.spent_usd:.2f} of ${run.budget_usd:.2f}",
        f"  why     {one_line(run.reason)}",
        f"  pr      {one_line(str(pull_of(run)['url']))}",
    ]
    if pushed:
        lines.append(f"  pushed  {', '.join(commit[:7] for commit in pushed)}")
    lines += [f"  {'left' if number == 0 else '':<6}  {words(text)}" for number, text in enumerate(left[:SHOWN])]
    if len(left) > SHOWN:
        lines.append(f"          … and {len(left) - SHOWN} more")
    steps = [*(["git pull"] if pushed else []), f"reknit {'show' if run.ending == 'CLEAN' else 'explain'} {run.id}"]
    lines += [f"  {'next' if number == 0 else '':<6}  {step}" for number, step in enumerate(steps)]
    return clean("\n".join(lines))


def show_lines(run: RunView, record: Record) -> list[str]:
    lines = [_pull_line(run), *table(record.looks)]
    lines += [f"  {'left' if not number else '':<6}  {_left(record, number)}" for number in range(len(record.left))]
    return lines


def table(looks: Sequence[Look]) -> list[str]:
    rows = [COLUMNS, *(_cells(numbers, look) for numbers, look in folded(looks))]
    if len(rows) == 1:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return [
        f"  {'  '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))}".rstrip() for row in rows
    ]


def explain_lines(run: RunView, record: Record, checks: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = [_pull_line(run)]
    for look in record.looks:
        lines += _explained(look)
    for name, lists in (("review", _issues), ("tests", _failed), ("ci", _ci_checks)):
        if document := checks.get(name):
            why = f"   {document['why']}" if document["why"] else ""
            lines += [f"  {name:<6}  {document['status']}   {document['shown']}{why}", *lists(document)]
    return lines


def _pull_line(run: RunView) -> str:
    pull = pull_of(run)
    return f"  pr      #{pull['number']} {words(str(pull['title']), 80)}   {one_line(str(pull['url']))}"


def _cells(numbers: str, look: Look) -> tuple[str, ...]:
    cells = (numbers, *look.shown, look.did or "…", look.commit[:7], f"${look.cost_usd:.2f}")
    return tuple(_cut(cell, width) for cell, width in zip(cells, _WIDEST, strict=True))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _left(record: Record, number: int) -> str:
    left = record.left[number]
    by = f", {left.author}" if left.author else ""
    return " ".join(part for part in (left.id, left.place, left.text, f"({left.weight}{by})") if part)


def _explained(look: Look) -> Iterator[str]:
    yield f"  iteration {look.number}  at {look.head[:12]}   review {look.review}, tests {look.tests}, ci {look.ci}"
    because = decide(look.review, look.tests, look.ci).reason
    yield f"          because  {because}"
    if look.did:
        pushed = f"; pushed {look.commit[:12]}, {look.fixes} fix(es)" if look.commit else ""
        yield f"          did      {look.did}{pushed}  ${look.cost_usd:.2f}"


def _issues(document: Mapping[str, Any]) -> Iterator[str]:
    for issue in document["issues"]:
        place = f"{issue['file']}:{issue['line']}" if issue["line"] else issue["file"]
        by = f" ({issue['author']})" if issue["author"] else ""
        yield f"          {issue['id']} {issue['severity']} {place}{by}: {words(issue['description'])}"


def _failed(document: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"          red    {test}" for test in document["failed_tests"])
    yield from (f"          flaky  {test}" for test in document["flaky"])


def _ci_checks(document: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        f"          {check['status']:<9}  {check['name']}  {check['url']}".rstrip() for check in document["checks"]
    )


def _texts(run: RunView, key: str) -> list[str]:
    found = run.detail.get(key)
    return [str(text) for text in found] if isinstance(found, list | tuple) else []
