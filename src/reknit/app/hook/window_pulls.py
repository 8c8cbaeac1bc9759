"""Subscribes an agent window to a pull-request run, and reports news when the window stops."""

import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.hook import PullWatches
from reknit.app.installation import Installation
from reknit.app.runs.liveness import mark_orphaned
from reknit.app.start.queue import start_worker
from reknit.app.state_exports import StateExports
from reknit.core.errors import InternalError, UsageError
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.fix_pr.output.record import read_record
from reknit.core.fix_pr.output.window_news import format_news, format_progress, is_outdated
from reknit.core.runs.view import RunView, get_pull
from reknit.core.text.format import to_one_line
from reknit.store.database import open_store
from reknit.store.problems import database_problem
from reknit.store.runs.reader import RunReader


@dataclass(frozen=True)
class FollowedPull:
    """A pull-request run, and the window that gets its news."""

    number: int
    run: str
    state: str
    owner: str
    """Session id of the window that gets the news."""


def list_followed(installation: Installation, folder: Path) -> list[FollowedPull]:
    """List the runs that windows of this repository follow."""
    watches = PullWatches(installation.hooks).find_all(UserRepository.find(str(folder)).root)
    reader = RunReader(open_store(installation.database))
    runs = ((owner, _find_run(installation, reader, watch)) for owner, watch in watches.items())
    return [FollowedPull(get_pull(run)["number"], run.id, run.ending or run.state, owner) for owner, run in runs if run]


def follow_in_window(installation: Installation, repository: str, session: str, run_id: str) -> str:
    """Subscribe this window, and no other, to the news of the run from now on. Return the run's progress."""
    watches, reader = PullWatches(installation.hooks), RunReader(open_store(installation.database))
    run = reader.run(run_id)
    record = read_record(reader.stored(run).documents["course"])
    own = watches.read(repository, session)
    watches.put(repository, session, own if own and own.run_id == run_id else PullWatch(run_id))
    others = {owner: watch for owner, watch in watches.find_all(repository).items() if owner != session}
    for owner, watch in others.items():
        if watch.run_id == run_id or is_outdated(_find_run(installation, reader, watch), time.time()):
            watches.remove(repository, owner)
    StateExports(installation.hooks, reader).publish(repository, run_id)
    return format_progress(run, record)


def report_pull_news(installation: Installation, repository: str, session: str) -> str:
    """Return the news for a window that stops; empty if nothing is new.

    Start a worker if the run's worker died.
    """
    try:
        return _report_news(installation, repository, session)
    except SQLAlchemyError as error:
        problem = database_problem(error, installation.database)
        raise problem or InternalError("database", to_one_line(str(error))) from error


def _report_news(installation: Installation, repository: str, session: str) -> str:
    watches = PullWatches(installation.hooks)
    watch = watches.read(repository, session)
    if watch is None:
        return ""
    reader = RunReader(open_store(installation.database))
    run = _find_run(installation, reader, watch)
    if run is None:
        watches.remove(repository, session)
        return ""
    if run.state in ("left", "queued"):  # a worker may also be killed before it takes the run
        start_worker(installation)
    stored = reader.stored(run)
    text, new_watch = format_news(watch, run, read_record(stored.documents["course"]), len(stored.attempts))
    if new_watch is None:
        StateExports(installation.hooks, reader).publish(repository, run.id)
        watches.remove(repository, session)
    elif new_watch != watch:
        watches.put(repository, session, new_watch)
    return text


def _find_run(installation: Installation, reader: RunReader, watch: PullWatch) -> RunView | None:
    """Return the run that is watched; None if the database was replaced, and does not know it."""
    try:
        (run,) = mark_orphaned(installation, reader, [reader.run(watch.run_id)])
    except UsageError:
        return None
    return run
