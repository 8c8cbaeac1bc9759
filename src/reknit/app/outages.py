"""Distinguishes an outage (database, disk, repository) from a bug in reknit, however the error was wrapped."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from reknit.adapters.files.folders import LEAST_BYTES, NO_SPACE, PLENTY_BYTES, check_space
from reknit.app.installation import Installation
from reknit.core.errors import DatabaseError, DiskFullError, ReknitError, ToolMissingError, UnavailableError
from reknit.core.runs.outage_text import explain_missing_repository
from reknit.core.runs.spec import RunSpec
from reknit.store.database import is_sqlite, sqlite_path
from reknit.store.problems import database_problem


def find_outage(error: BaseException, installation: Installation) -> ReknitError | None:
    """Return the first outage in this error's cause chain, or None."""
    for cause in _walk_causes(error):
        if isinstance(
            cause, ToolMissingError
        ):  # it names its cause; the rest of the chain would be misread as another one
            return cause if isinstance(cause, DatabaseError | DiskFullError) else None
        if isinstance(cause, OSError) and cause.errno in NO_SPACE:
            return DiskFullError(str(cause.filename or installation.state))
        if problem := database_problem(cause, installation.database):
            return problem
    return None


@dataclass(frozen=True)
class RaiseOutages(AbstractContextManager[None]):
    """Re-raises an error that an outage caused as that outage."""

    installation: Installation

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception) and (problem := find_outage(error, self.installation)) is not None:
            raise problem from error


def _walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    visited_ids: set[int] = set()
    while error is not None and id(error) not in visited_ids:
        visited_ids.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def check_disks(installation: Installation, least_bytes: int = LEAST_BYTES) -> None:
    """Check the disk of the state folder, and of the database if it is a file."""
    for folder in {
        installation.state,
        *((sqlite_path(installation.database).parent,) if is_sqlite(installation.database) else ()),
    }:
        check_space(folder, least_bytes)


def check_surroundings(installation: Installation, spec: RunSpec, *, ran_out_of_space: bool = False) -> None:
    """Raise if something the run depends on is missing, so that its results cannot be trusted.

    `ran_out_of_space`: something reported a full disk. It may have deleted its files since, so require plenty of space.
    """
    check_disks(installation, PLENTY_BYTES if ran_out_of_space else LEAST_BYTES)
    if not os.path.exists(f"{spec.repository}/.git"):  # noqa: PTH110 - Path.exists raises when a network share is down
        raise UnavailableError("repository-gone", explain_missing_repository(spec.repository))
