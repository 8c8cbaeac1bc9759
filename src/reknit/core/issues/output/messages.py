"""Messages of the issue commands, and the result of `issues sync`."""

from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.errors import UsageError
from reknit.core.issues.lifecycle import STATUSES, TO_DO, TRANSITIONS, Status
from reknit.core.issues.model import Counts, Issue
from reknit.core.text.format import join_few, to_one_line


def suggest_next_page(after: int) -> str:
    """Return the hint that there are more issues."""
    return f"there are more: add `--after I-{after}` for the next ones, or `--limit N`"


def explain_no_match(counts: Counts, again: str = "") -> str:
    """Return the hint for an empty list. `again`: a command that searches every status; empty: all were."""
    if not sum(counts.values()):
        return "no issues here yet: `reknit issues import FILE…` imports the reports of your tools"
    wider = f"`{again}` searches every status" if again else "`reknit issues list --status all` lists them all"
    return f"no issue matches; there are {count_by_status(counts)}: {wider}"


def count_by_status(counts: Counts, statuses: Sequence[Status] = STATUSES) -> str:
    """Return the number of issues of each status: `3 OPEN, 1 FAILED`."""
    return ", ".join(f"{counts[status]} {status}" for status in statuses if counts.get(status))


def render_findings_row(counts: Counts, absent: int | None = 0) -> str:
    """Return the row for `reknit` without a command. `absent`: open issues no longer reported, if counted."""
    if not sum(counts.values()):
        return "none imported    reknit issues import FILE…"
    words = {"OPEN": "open", "IN_PROGRESS": "in progress", "FAILED": "failed"}
    words["OPEN"] += f" ({absent} of them absent)" if absent else ""
    open_counts = ", ".join(f"{counts[status]} {words[status]}" for status in TO_DO if counts.get(status))
    return f"{open_counts}    reknit issues list" if open_counts else f"none open, {sum(counts.values())} settled"


def render_change(issues: Sequence[Issue], to: Status, *, has_changed: bool) -> str:
    """Say which issues have the new status, now or already."""
    names = ", ".join(issue.name for issue in issues)
    verb = "is" if len(issues) == 1 else "are"
    return f"{names} {verb} {to}" if has_changed else f"{names} {verb} {to} already"


def render_duplicate(issue: Issue, original: Issue, *, has_changed: bool) -> list[str]:
    """Say that the issue is a duplicate, and how to reverse that."""
    text = f"{issue.name} is {'' if has_changed else 'already '}a DUPLICATE of {original.name}"
    lines = [text if has_changed else f"{text}: `reknit issues reopen {issue.name}` reverses that"]
    if original.status == "IGNORED":
        lines.append(f"{original.name} is IGNORED, so both are hidden: `reknit issues reopen {original.name}`")
    return lines


def make_status_problem(issue: Issue, to: Status) -> UsageError:
    """Return the problem of a change that the lifecycle does not allow."""
    if issue.status in ("IGNORED", "DUPLICATE"):
        word = f"a DUPLICATE of I-{issue.duplicate_of}" if issue.duplicate_of else issue.status
        sentence = f"{issue.name} is {word}; reopen it before you make it {to}"
        return UsageError("status", sentence, help=f"`reknit issues reopen {issue.name}`")
    possible = [f"{new} when {text}" for (old, new), text in TRANSITIONS.items() if old == issue.status]
    sentence = f"{issue.name} is {issue.status} and cannot be made {to} by hand"
    return UsageError("status", sentence, help=f"it becomes {'; '.join(possible)}")


def make_no_issue_problem(ids: Sequence[int]) -> UsageError:
    """Return the problem of ids that do not exist."""
    names = ", ".join(f"I-{number}" for number in ids)
    return UsageError("no-issue", f"there is no issue {names}", help="`reknit issues list --status all` lists them")


def make_other_repository_problem(issue: Issue, repository: str) -> UsageError:
    """Return the problem of an issue that belongs to another repository."""
    sentence = f"{issue.name} belongs to {to_one_line(issue.repository)}, but this is {to_one_line(repository)}"
    return UsageError("no-issue", sentence, help="`reknit issues list` lists the issues of this repository")


def make_duplicate_problem(issue: Issue, original: Issue) -> UsageError:
    """Return the problem of an original that cannot be one."""
    if issue.id == original.id:
        return UsageError("usage", f"{issue.name} cannot be a duplicate of itself", help="name the original second")
    first = f"I-{original.duplicate_of}"
    sentence = f"{original.name} is itself a duplicate of {first}"
    return UsageError("status", sentence, help=f"`reknit issues duplicate {issue.name} {first}`")


def render_json_export(count: int, name: str) -> str:
    """Say how many issues were written."""
    return f"{name}: {count or 'no'} issue{'' if count == 1 else 's'}"


def render_merged(merged: Sequence[int], waiting: Sequence[str]) -> list[str]:
    """Say which issues are merged, and which commits are not."""
    lines = [f"{', '.join(f'I-{number}' for number in merged)}: MERGED"] if merged else []
    if waiting:
        commits = join_few([commit[:12] for commit in waiting], 5)
        lines.append(f"{len(waiting)} commit(s) are not merged yet: {commits}")
    return lines or ["no RESOLVED issue is waiting for a merge"]


@dataclass(frozen=True)
class ResolvingCommit:
    """A commit that resolved issues, as this clone sees it."""

    commit: str
    issues: tuple[int, ...]
    in_head: bool
    branches: tuple[str, ...] = ()
    """Local or remote-tracking branches that contain it; set only if HEAD does not."""


@dataclass(frozen=True)
class SyncResult:
    """Answers of the forges, or the knowledge of this clone if none could be asked."""

    merged: tuple[int, ...] = ()
    no_forge_reason: str = ""
    """Reason why no forge could be asked; empty: one was."""
    landed: tuple[ResolvingCommit, ...] = ()
    """Commits that this clone knows; set only if no forge was asked."""
    failed_repositories: tuple[str, ...] = ()
    """Repositories that could not be asked while others could, each with the reason."""
    unchecked_count: int = 0
    """Number of commits beyond the limit of one call."""


def render_sync(answer: SyncResult, waiting: Sequence[str]) -> list[str]:
    """Render the result. `waiting`: commits whose issues are still RESOLVED."""
    if not answer.no_forge_reason:
        return [
            *render_merged(answer.merged, waiting),
            *map(to_one_line, answer.failed_repositories),
            *_render_unchecked(answer.unchecked_count),
        ]
    count = sum(len(landing.issues) for landing in answer.landed)
    only = "only a forge can confirm that an issue is MERGED"
    return [
        f"{count} issue(s) are RESOLVED; {to_one_line(answer.no_forge_reason)}, and {only}",
        *map(_render_commit, answer.landed),
    ]


def build_sync_document(answer: SyncResult, waiting: Sequence[str]) -> dict[str, object]:
    """Return the result as a JSON document."""
    document: dict[str, object] = {
        "schema": 1, "merged": _name_issues(answer.merged), "waiting_commits": list(waiting),
        "unseen": list(answer.failed_repositories), "not_asked": answer.unchecked_count,
    }  # fmt: skip
    if not answer.no_forge_reason:
        return document
    commits = [
        {
            "commit": landing.commit,
            "issues": _name_issues(landing.issues),
            "in_head": landing.in_head,
            "branches": [*landing.branches],
        }
        for landing in answer.landed
    ]
    return {**document, "unasked": answer.no_forge_reason, "commits": commits}


def _render_unchecked(count: int) -> list[str]:
    return [f"{count} of them were not checked: run `reknit issues sync` again to check others"] if count else []


def _render_commit(landed: ResolvingCommit) -> str:
    return f"  {', '.join(_name_issues(landed.issues))}: {landed.commit[:12]} is {_describe_place(landed)}"


def _describe_place(landed: ResolvingCommit) -> str:
    if landed.in_head:
        return "in HEAD; the next `reknit issues import` shows whether they are gone"
    if landed.branches:
        return f"in {to_one_line(landed.branches[0])}, not in HEAD"
    return f"in no branch here; if it was abandoned: `reknit issues reopen {' '.join(_name_issues(landed.issues))}`"


def _name_issues(issues: Sequence[int]) -> list[str]:
    return [f"I-{number}" for number in issues]
