"""What the commands about issues say to people."""

from collections.abc import Callable, Mapping, Sequence

from reknit.core.errors import UsageProblem
from reknit.core.issue import BaselineState, Counts, Issue, IssueChange, IssueSource
from reknit.core.lifecycle import STATUSES, TRANSITIONS, Status
from reknit.core.redact import clean
from reknit.core.wording import one_line

OPEN_STATUSES: tuple[Status, ...] = ("OPEN", "IN_PROGRESS", "FAILED")
"""What is still to be done."""
Clock = Callable[[float], str]
"""A moment as a person reads it."""

_LEAST_PLACE, _LEAST_RULE, _LEAST_MESSAGE = 24, 12, 24
_GAP = "  "
_TAB = 4
_BASELINE: Mapping[BaselineState, str] = {
    "new": "for the first time in the newest report of its tools",
    "unchanged": "in the newest report of its tools, as before",
    "updated": "in the newest report of its tools; it moved or its text changed",
    "absent": "not in the newest report of its tools",
}


def place(issue: Issue) -> str:
    return f"{one_line(issue.path)}:{issue.line}" if issue.line else one_line(issue.path)


def rule(issue: Issue) -> str:
    """With the tool that saw it first, and how many others did."""
    more = len(issue.tools) - 1
    tool = one_line(issue.tools[0]) if issue.tools else ""
    return f"{tool} {one_line(issue.rule)}".strip() + (f" +{more}" if more > 0 else "")


def standing(issue: Issue) -> str:
    """Its status; of one that is still to be done also whether its tools no longer see it: no run takes that one."""
    return f"{issue.status} absent" if issue.status in OPEN_STATUSES and issue.baseline == "absent" else issue.status


def issue_lines(issues: Sequence[Issue], width: int) -> list[str]:
    """A table as wide as the terminal; 0: whole texts."""
    rows = [
        (issue.name, standing(issue), issue.weight, place(issue), rule(issue), one_line(issue.message))
        for issue in issues
    ]
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if width:
        widths = _fitted(widths, width)
    return [_line(row, one_line(issue.rule), widths) for row, issue in zip(rows, issues, strict=True)]


def _fitted(widths: list[int], width: int) -> list[int]:
    """Place and rule give way before a message is shorter than a few words."""
    name, status, weight, where, what, message = widths
    gaps = len(_GAP) * (len(widths) - 1)
    room = width - name - status - weight - gaps
    over = where + what + min(message, _LEAST_MESSAGE) - room
    less = min(max(over, 0), max(where - _LEAST_PLACE, 0))
    where, over = where - less, over - less
    what -= min(max(over, 0), max(what - _LEAST_RULE, 0))
    return [name, status, weight, where, what, max(room - where - what, 1)]


def _line(row: Sequence[str], bare_rule: str, widths: Sequence[int]) -> str:
    name, status, weight, where, what, message = row
    end = where if len(where) <= widths[3] else "…" + where[len(where) - widths[3] + 1 :]  # there is the file's name
    named = what if len(what) <= widths[4] else _cut(bare_rule, widths[4])
    cells = (name, status, weight, end, named, _cut(message, widths[5]))
    return _GAP.join(text.ljust(width) for text, width in zip(cells, widths, strict=True)).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def next_page(after: int) -> str:
    return f"there are more: add `--after I-{after}` for the next ones, or `--limit N`"


def none_chosen(counts: Counts) -> str:
    if not sum(counts.values()):
        return "no issues here yet: `reknit issues import FILE…` takes in the reports of your tools"
    return f"none fits; there are {counted(counts)}: `reknit issues list --status all`"


def counted(counts: Counts, statuses: Sequence[Status] = STATUSES) -> str:
    return ", ".join(f"{counts[status]} {status}" for status in statuses if counts.get(status))


def findings_row(counts: Counts) -> str:
    """For `reknit` alone."""
    if not sum(counts.values()):
        return "none imported    reknit issues import FILE…"
    words = {"OPEN": "open", "IN_PROGRESS": "in progress", "FAILED": "failed"}
    left = ", ".join(f"{counts[status]} {words[status]}" for status in OPEN_STATUSES if counts.get(status))
    return f"{left}    reknit issues list" if left else f"none open, {sum(counts.values())} settled"


def show_text(
    issue: Issue, history: Sequence[IssueChange], excerpt: Sequence[tuple[int, str]], clock: Clock, width: int = 0
) -> str:
    column = f":{issue.column}" if issue.line and issue.column else ""
    lines = [f"{issue.name}  {issue.status}  {issue.weight}  {place(issue)}{column}"]
    lines += [_source(source) for source in issue.sources]
    lines += [f"  {label:<8} {text}" for label, text in _facts(issue) if text]
    if excerpt:
        lines += ["", *_excerpt(issue, excerpt, width)]
    lines += ["", *(_change(change, clock) for change in history)]
    lines += [f"  {'next' if not number else '':<8} {step}" for number, step in enumerate(_steps(issue))]
    return clean("\n".join(lines))


def _source(source: IssueSource) -> str:
    url = f"   {one_line(source.url)}" if source.url else ""
    return f"  {one_line(source.tool)} {one_line(source.rule)}   {one_line(source.message)}{url}".rstrip()


def _facts(issue: Issue) -> list[tuple[str, str]]:
    effort = f"effort {issue.effort_1_5} of 5" if issue.effort_1_5 else "effort not estimated"
    files = f"{issue.files} file(s)" if issue.files else "files not estimated"
    return [
        ("suggest", one_line(issue.suggestion)),
        ("work", f"{issue.workload} point(s): {effort}, {files}"),
        ("seen", _BASELINE[issue.baseline]),
        ("same as", f"I-{issue.duplicate_of}" if issue.duplicate_of else ""),
        ("run", one_line(issue.run_id)),
        ("commit", one_line(issue.commit)),
        ("pull", one_line(issue.pull)),
        ("of", f"{one_line(issue.repository)}   {issue.fingerprint}"),
    ]


def _excerpt(issue: Issue, lines: Sequence[tuple[int, str]], width: int) -> list[str]:
    digits = len(str(lines[-1][0]))
    shown = []
    for number, text in lines:
        mark = ">" if number == issue.line else " "
        line = f"  {mark} {number:>{digits}}  {clean(text).expandtabs(_TAB)}".rstrip()
        shown.append(_cut(line, width or len(line)))
    return shown


def _change(change: IssueChange, clock: Clock) -> str:
    note = change.note
    what = f"{change.old} → {change.new}" if change.old else f"{change.new}"
    by = "   ".join(text for text in (one_line(note.run_id), one_line(note.commit)[:12]) if text)
    return f"  {clock(note.at)}  {what:<23}  {one_line(note.who)}: {one_line(note.why)}   {by}".rstrip()


def _steps(issue: Issue) -> tuple[str, ...]:
    run = (f"reknit show {issue.run_id}",) if issue.run_id else ()
    if issue.status in ("OPEN", "FAILED"):
        fix = "reknit fix issues" + (" --again" if issue.status == "FAILED" else "")
        return (*(() if issue.baseline == "absent" else (fix,)), f"reknit issues ignore {issue.name} --why TEXT", *run)
    if issue.status in ("IGNORED", "DUPLICATE"):
        return (f"reknit issues reopen {issue.name}",)
    return ("reknit issues sync", *run) if issue.status == "RESOLVED" else run


def changed_line(issues: Sequence[Issue], to: Status, *, done: bool) -> str:
    names = ", ".join(issue.name for issue in issues)
    verb = "is" if len(issues) == 1 else "are"
    return f"{names} {verb} {to}" if done else f"{names} {verb} {to} already"


def refused(issue: Issue, to: Status) -> UsageProblem:
    possible = [f"{new} when {text}" for (old, new), text in TRANSITIONS.items() if old == issue.status]
    what = f"{issue.name} is {issue.status}, which cannot be made {to} by hand"
    return UsageProblem("status", what, help=f"it becomes {'; '.join(possible)}")


def no_issue(ids: Sequence[int]) -> UsageProblem:
    names = ", ".join(f"I-{number}" for number in ids)
    return UsageProblem("no-issue", f"there is no issue {names}", help="`reknit issues list --status all` lists them")


def elsewhere(issue: Issue, repository: str) -> UsageProblem:
    what = f"{issue.name} is of {one_line(issue.repository)}, and this is {one_line(repository)}"
    return UsageProblem("no-issue", what, help="`reknit issues list` lists those of this repository")


def no_original(issue: Issue, original: Issue) -> UsageProblem:
    if issue.id == original.id:
        return UsageProblem("usage", f"{issue.name} cannot be a duplicate of itself", help="name the other one second")
    first = f"I-{original.duplicate_of}"
    what = f"{original.name} is itself a duplicate of {first}"
    return UsageProblem("status", what, help=f"`reknit issues duplicate {issue.name} {first}`")


def synced(merged: Sequence[int], waiting: Sequence[str]) -> list[str]:
    lines = [f"{', '.join(f'I-{number}' for number in merged)}: MERGED"] if merged else []
    if waiting:
        commits = ", ".join(commit[:12] for commit in waiting[:5]) + (" …" if len(waiting) > 5 else "")
        lines.append(f"{len(waiting)} commit(s) are not merged yet: {commits}")
    return lines or ["nothing is RESOLVED and waits for a merge"]
