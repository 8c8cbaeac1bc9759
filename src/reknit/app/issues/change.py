"""What a person may do to the status of issues: ignore, mark as duplicate, and reopen."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reknit.app.issues.ledger import RepositoryIssues, person
from reknit.core.issues.lifecycle import Status, before
from reknit.core.issues.model import ChangeNote, Issue
from reknit.core.issues.output.messages import elsewhere, no_issue, no_original, refused

_BY_HAND: dict[Status, tuple[Status, ...]] = {
    "IGNORED": before("IGNORED"),
    "DUPLICATE": before("DUPLICATE"),
    "OPEN": ("IGNORED", "DUPLICATE", "RESOLVED"),  # a person may not reopen from the other statuses
}


@dataclass(frozen=True)
class StatusChange:
    to: Status
    done: tuple[Issue, ...]
    already: tuple[Issue, ...]
    """These already had that status."""
    original: Issue | None = None
    """For a duplicate: the issue it duplicates."""


def found(backlog: RepositoryIssues, ids: Sequence[int]) -> tuple[Issue, ...]:
    """These issues; all must belong to this repository."""
    wanted = list(dict.fromkeys(ids))
    issues = backlog.ledger.issues(wanted)
    missing = sorted({*wanted} - {issue.id for issue in issues})
    if missing:
        raise no_issue(missing)
    for issue in issues:
        if issue.repository != backlog.key:
            raise elsewhere(issue, backlog.key)
    return issues


def change(
    backlog: RepositoryIssues, ids: Sequence[int], to: Status, why: str, *, duplicate_of: int = 0
) -> StatusChange:
    """All of them or none, unless another process changes one at the same moment."""
    issues = found(backlog, ids)
    already = tuple(issue for issue in issues if _is_done(issue, to, duplicate_of))
    wanted = [issue for issue in issues if issue not in already]
    for issue in wanted:
        if issue.status not in _BY_HAND[to]:
            raise refused(issue, to)
    note = ChangeNote(who=person(), why=why, at=time.time())
    done = backlog.ledger.change([issue.id for issue in wanted], to, note, duplicate_of=duplicate_of)
    for issue in backlog.ledger.issues([issue.id for issue in wanted if issue.id not in done]):
        raise refused(issue, to)
    return StatusChange(to, tuple(wanted), already)


def _is_done(issue: Issue, to: Status, duplicate_of: int) -> bool:
    return issue.status == to and issue.duplicate_of == duplicate_of


def call_duplicate(backlog: RepositoryIssues, number: int, original: int) -> StatusChange:
    if number == original:
        (issue,) = found(backlog, [number])
        raise no_original(issue, issue)
    issue, other = found(backlog, [number, original])
    if other.status == "DUPLICATE":
        raise no_original(issue, other)
    done = change(backlog, [number], "DUPLICATE", f"the same as {other.name}", duplicate_of=other.id)
    return replace(done, original=other)
