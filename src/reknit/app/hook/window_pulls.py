"""A window that is told about a pull-request run: from when on, and what is new to it when it stops."""

import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.hook.pull_watches import PullWatches
from reknit.app.installation import Installation
from reknit.app.pull_exports import PullExports
from reknit.app.runs.liveness import mark_orphaned
from reknit.app.start.queue import start_worker
from reknit.core.errors import InternalError, UsageProblem
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.fix_pr.output.record import record_in
from reknit.core.fix_pr.output.window_news import is_outdated, news, progress_text
from reknit.core.runs.view import RunView, pull_of
from reknit.core.text.format import one_line
from reknit.store.database import open_store
from reknit.store.problems import database_problem
from reknit.store.runs.reader import RunReader


@dataclass(frozen=True)
class FollowedPull:
    number: int
    run: str
    state: str
    owner: str
    """The window that is told about it."""


def followed(place: Installation, folder: Path) -> list[FollowedPull]:
    watches = PullWatches(place.hooks).of(UserRepository.find(str(folder)).root)
    reader = RunReader(open_store(place.database))
    found = ((owner, _run(place, reader, watch)) for owner, watch in watches.items())
    return [FollowedPull(pull_of(run)["number"], run.id, run.ending or run.state, owner) for owner, run in found if run]


def follow_in_window(place: Installation, repository: str, session: str, run_id: str) -> str:
    """From now on this window, and no other, is told about the run: what it has not heard. Returns where the run is."""
    watches, reader = PullWatches(place.hooks), RunReader(open_store(place.database))
    run = reader.run(run_id)
    record = record_in(reader.stored(run).documents["course"])
    own = watches.read(repository, session)
    watches.put(repository, session, own if own and own.run_id == run_id else PullWatch(run_id))
    others = {owner: watch for owner, watch in watches.of(repository).items() if owner != session}
    for owner, watch in others.items():
        if watch.run_id == run_id or is_outdated(_run(place, reader, watch), time.time()):
            watches.remove(repository, owner)
    PullExports(place.hooks, reader).publish(repository, run_id)
    return progress_text(run, record)


def pull_news(place: Installation, repository: str, session: str) -> str:
    """What this window is told when it stops; empty: nothing is new. A run whose worker died gets another one."""
    try:
        return _news(place, repository, session)
    except SQLAlchemyError as error:
        known = database_problem(error, place.database)
        raise known or InternalError("database", one_line(str(error))) from error


def _news(place: Installation, repository: str, session: str) -> str:
    watches = PullWatches(place.hooks)
    watch = watches.read(repository, session)
    if watch is None:
        return ""
    reader = RunReader(open_store(place.database))
    run = _run(place, reader, watch)
    if run is None:
        watches.remove(repository, session)
        return ""
    if run.state in ("left", "queued"):  # a worker may also be killed before it takes the run
        start_worker(place)
    stored = reader.stored(run)
    text, known = news(watch, run, record_in(stored.documents["course"]), len(stored.attempts))
    if known is None:
        PullExports(place.hooks, reader).publish(repository, run.id)
        watches.remove(repository, session)
    elif known != watch:
        watches.put(repository, session, known)
    return text


def _run(place: Installation, reader: RunReader, watch: PullWatch) -> RunView | None:
    """None: the database was replaced, and does not know it."""
    try:
        (run,) = mark_orphaned(place, reader, [reader.run(watch.run_id)])
    except UsageProblem:
        return None
    return run
