"""Opens the ledger that keeps the issues of a repository."""

import getpass
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.app.repository_key import repository_key
from reknit.ports.issues import IssueLedger
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.reader import RunReader


@dataclass(frozen=True)
class RepositoryIssues:
    ledger: IssueLedger
    repository: UserRepository
    key: str
    """The repository's key in the ledger."""
    folder: str
    """The current folder in the repository; absolute."""


def open_backlog(place: Installation, folder: Path) -> RepositoryIssues:
    repository = UserRepository.find(str(folder))
    return RepositoryIssues(open_ledger(place), repository, repository_key(repository), os.path.realpath(folder))


def open_ledger(place: Installation) -> IssueLedger:
    return SqlIssueLedger(_database(place))


def open_issues(place: Installation, repository: UserRepository) -> tuple[str, IssueLedger, RunReader]:
    """The repository's key in the ledger, the ledger, and the runs of the same database."""
    database = _database(place)
    return repository_key(repository), SqlIssueLedger(database), RunReader(database)


def _database(place: Installation) -> sa.Engine:
    place.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return open_store(place.database)


def person() -> str:
    """Local user name for the audit trail."""
    with suppress(OSError, KeyError):  # no such user on this machine
        return getpass.getuser()
    return "somebody"
