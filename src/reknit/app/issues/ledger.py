"""Opens the issue ledger of a repository, and changes the status of issues for a person."""

import getpass
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import sqlalchemy as sa

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.app.pulls.remotes import repository_key
from reknit.core.issues.lifecycle import Status, list_statuses_before
from reknit.core.issues.model import ChangeNote, Issue
from reknit.core.issues.output.messages import (
    make_duplicate_problem,
    make_no_issue_problem,
    make_other_repository_problem,
    make_status_problem,
)
from reknit.ports.issues import IssueLedger
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.reader import RunReader


@dataclass(frozen=True)
class RepositoryIssues:
    """The ledger, with the repository whose issues are meant."""

    ledger: IssueLedger
    repository: UserRepository
    key: str
    """The repository's key in the ledger."""
    folder: str
    """The current folder in the repository; absolute."""


def open_backlog(installation: Installation, folder: Path) -> RepositoryIssues:
    """Open the ledger for the repository of this folder."""
    repository = UserRepository.find(str(folder))
    return RepositoryIssues(open_ledger(installation), repository, repository_key(repository), os.path.realpath(folder))


def open_ledger(installation: Installation) -> IssueLedger:
    """Open the ledger. Create the state folder and the database if they are missing."""
    return SqlIssueLedger(_open_database(installation))


def open_issues(installation: Installation, repository: UserRepository) -> tuple[str, IssueLedger, RunReader]:
    """Return the repository's key in the ledger, the ledger, and the runs of the same database."""
    database = _open_database(installation)
    return repository_key(repository), SqlIssueLedger(database), RunReader(database)


def _open_database(installation: Installation) -> sa.Engine:
    installation.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return open_store(installation.database)


def local_user() -> str:
    """Return the local user name, for the audit trail."""
    with suppress(OSError, KeyError):  # no such user on this machine
        return getpass.getuser()
    return "somebody"


_BY_HAND: dict[Status, tuple[Status, ...]] = {
    "IGNORED": list_statuses_before("IGNORED"),
    "DUPLICATE": list_statuses_before("DUPLICATE"),
    "OPEN": ("IGNORED", "DUPLICATE", "RESOLVED"),  # a person may not reopen from the other statuses
}


@dataclass(frozen=True)
class StatusChange:
    """The result of a status change."""

    to: Status
    changed: tuple[Issue, ...]
    already: tuple[Issue, ...]
    """Issues that already had that status."""
    original: Issue | None = None
    """Issue that the changed one duplicates, if it was marked as a duplicate."""


def find_issues(backlog: RepositoryIssues, ids: Sequence[int]) -> tuple[Issue, ...]:
    """Return these issues. Raise if one is unknown or belongs to another repository."""
    unique_ids = list(dict.fromkeys(ids))
    issues = backlog.ledger.issues(unique_ids)
    missing = sorted({*unique_ids} - {issue.id for issue in issues})
    if missing:
        raise make_no_issue_problem(missing)
    for issue in issues:
        if issue.repository != backlog.key:
            raise make_other_repository_problem(issue, backlog.key)
    return issues


def change_status(
    backlog: RepositoryIssues, ids: Sequence[int], to: Status, why: str, *, duplicate_of: int = 0
) -> StatusChange:
    """Change all of these issues or none, unless another process changes one at the same moment."""
    issues = find_issues(backlog, ids)
    already = tuple(issue for issue in issues if issue.status == to and issue.duplicate_of == duplicate_of)
    pending = [issue for issue in issues if issue not in already]
    for issue in pending:
        if issue.status not in _BY_HAND[to]:
            raise make_status_problem(issue, to)
    note = ChangeNote(author=local_user(), why=why, at=time.time())
    changed_ids = backlog.ledger.change([issue.id for issue in pending], to, note, duplicate_of=duplicate_of)
    for issue in backlog.ledger.issues([issue.id for issue in pending if issue.id not in changed_ids]):
        raise make_status_problem(issue, to)
    return StatusChange(to, tuple(pending), already)


def mark_duplicate(backlog: RepositoryIssues, number: int, original: int) -> StatusChange:
    """Mark an issue as a duplicate of another one, which must not be a duplicate itself."""
    if number == original:
        (issue,) = find_issues(backlog, [number])
        raise make_duplicate_problem(issue, issue)
    issue, other = find_issues(backlog, [number, original])
    if other.status == "DUPLICATE":
        raise make_duplicate_problem(issue, other)
    status_change = change_status(backlog, [number], "DUPLICATE", f"the same as {other.name}", duplicate_of=other.id)
    return replace(status_change, original=other)
