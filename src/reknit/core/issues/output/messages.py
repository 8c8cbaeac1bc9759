"""Messages of the issue commands."""

from collections.abc import Sequence

from reknit.core.errors import UsageProblem
from reknit.core.issues.lifecycle import STATUSES, TO_DO, TRANSITIONS, Status
from reknit.core.issues.model import Counts, Issue
from reknit.core.text.format import first_few, one_line


def next_page(after: int) -> str:
    return f"there are more: add `--after I-{after}` for the next ones, or `--limit N`"


def none_chosen(counts: Counts, again: str = "") -> str:
    """`again`: the command that searches every status the same way; empty: every status was searched."""
    if not sum(counts.values()):
        return "no issues here yet: `reknit issues import FILE…` imports the reports of your tools"
    wider = f"`{again}` searches every status" if again else "`reknit issues list --status all` lists them all"
    return f"no issue matches; there are {counted(counts)}: {wider}"


def counted(counts: Counts, statuses: Sequence[Status] = STATUSES) -> str:
    return ", ".join(f"{counts[status]} {status}" for status in statuses if counts.get(status))


def findings_row(counts: Counts, absent: int | None = 0) -> str:
    """For `reknit` without a command. `absent`: open issues that no tool reports any more; None: not counted."""
    if not sum(counts.values()):
        return "none imported    reknit issues import FILE…"
    words = {"OPEN": "open", "IN_PROGRESS": "in progress", "FAILED": "failed"}
    words["OPEN"] += f" ({absent} of them absent)" if absent else ""
    left = ", ".join(f"{counts[status]} {words[status]}" for status in TO_DO if counts.get(status))
    return f"{left}    reknit issues list" if left else f"none open, {sum(counts.values())} settled"


def changed_line(issues: Sequence[Issue], to: Status, *, done: bool) -> str:
    names = ", ".join(issue.name for issue in issues)
    verb = "is" if len(issues) == 1 else "are"
    return f"{names} {verb} {to}" if done else f"{names} {verb} {to} already"


def duplicate_lines(issue: Issue, original: Issue, *, done: bool) -> list[str]:
    text = f"{issue.name} is {'' if done else 'already '}a DUPLICATE of {original.name}"
    lines = [text if done else f"{text}: `reknit issues reopen {issue.name}` reverses that"]
    if original.status == "IGNORED":
        lines.append(f"{original.name} is IGNORED, so both are hidden: `reknit issues reopen {original.name}`")
    return lines


def refused(issue: Issue, to: Status) -> UsageProblem:
    if issue.status in ("IGNORED", "DUPLICATE"):
        word = f"a DUPLICATE of I-{issue.duplicate_of}" if issue.duplicate_of else issue.status
        what = f"{issue.name} is {word}; reopen it before you make it {to}"
        return UsageProblem("status", what, help=f"`reknit issues reopen {issue.name}`")
    possible = [f"{new} when {text}" for (old, new), text in TRANSITIONS.items() if old == issue.status]
    what = f"{issue.name} is {issue.status} and cannot be made {to} by hand"
    return UsageProblem("status", what, help=f"it becomes {'; '.join(possible)}")


def no_issue(ids: Sequence[int]) -> UsageProblem:
    names = ", ".join(f"I-{number}" for number in ids)
    return UsageProblem("no-issue", f"there is no issue {names}", help="`reknit issues list --status all` lists them")


def elsewhere(issue: Issue, repository: str) -> UsageProblem:
    what = f"{issue.name} belongs to {one_line(issue.repository)}, but this is {one_line(repository)}"
    return UsageProblem("no-issue", what, help="`reknit issues list` lists the issues of this repository")


def no_original(issue: Issue, original: Issue) -> UsageProblem:
    if issue.id == original.id:
        return UsageProblem("usage", f"{issue.name} cannot be a duplicate of itself", help="name the original second")
    first = f"I-{original.duplicate_of}"
    what = f"{original.name} is itself a duplicate of {first}"
    return UsageProblem("status", what, help=f"`reknit issues duplicate {issue.name} {first}`")


def exported_json(count: int, name: str) -> str:
    return f"{name}: {count or 'no'} issue{'' if count == 1 else 's'}"


def synced(merged: Sequence[int], waiting: Sequence[str]) -> list[str]:
    lines = [f"{', '.join(f'I-{number}' for number in merged)}: MERGED"] if merged else []
    if waiting:
        commits = first_few([commit[:12] for commit in waiting], 5)
        lines.append(f"{len(waiting)} commit(s) are not merged yet: {commits}")
    return lines or ["no RESOLVED issue is waiting for a merge"]
