"""Starts the check of what a window left, under a worker of its own."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.hook.files import HookFiles
from reknit.app.installation import Installation
from reknit.app.start.queue import queue_run, start_worker
from reknit.app.start.uncommitted_work import commit_uncommitted
from reknit.app.start.workspace import new_run_id
from reknit.core.hook.marker import Marker, Told, is_news
from reknit.core.hook.mode import FixMode
from reknit.core.runs.spec import HookTarget, RunSpec
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.codec import CODEC

NOTHING = Told()


def ensure_check(
    place: Installation, repository: str, session: str, told: Told = NOTHING
) -> tuple[Marker | None, bool]:
    """The marker, and whether the check is of the tree as it is now: one that is under way is not started again.

    None: this window has nothing to check. A check may end while this looks: the ledger has its result first, then the
    marker, and only then it is closed. What its marker says is told before anything new is started.
    """
    database, files = open_store(place.database), HookFiles(place.hooks)
    modes = SqlFixModes(database)
    mode = _mode_of(modes, files, repository, session)
    marker = files.read(repository, session)
    running = (mode.check if mode else "") or (marker.check if marker else "")
    if running and RunReader(database).is_open(running):
        start_worker(place)
        return files.read(repository, session), False
    marker = files.read(repository, session)
    if mode is None or is_news(marker, told):
        return (marker if is_news(marker, told) else None), False
    _start(place, plan_check(place, modes, mode), mode)
    start_worker(place)
    return files.read(repository, session), True


def check_again(place: Installation, repository: str, session: str, run_id: str) -> Marker | None:
    """Whether the result of that check still holds is decided by a new one, if the tree is another by now."""
    database, files = open_store(place.database), HookFiles(place.hooks)
    modes = SqlFixModes(database)
    mode = next((each for each in modes.of(repository, only_open=False) if each.owner == session), None)
    checked = RunReader(database).run(run_id).spec if mode else {}
    if mode and (spec := _planned(place, modes, mode)).hook_target.after != _after(checked):
        git = TrustedGit.open(str(place.gitdir(mode.id)))
        if git.tree_of(spec.hook_target.after) != git.tree_of(_after(checked)):
            _start(place, spec, modes.change(mode.id, lambda known: replace(known.reopened(), check=spec.run_id)))
            start_worker(place)
    return files.read(repository, session)


def _start(place: Installation, spec: RunSpec, mode: FixMode) -> None:
    HookFiles(place.hooks).publish(replace(mode, check=spec.run_id))
    queue_run(place, spec)


def _after(spec: Mapping[str, Any]) -> str:
    return str(spec["hook"]["after"])


def _mode_of(modes: SqlFixModes, files: HookFiles, repository: str, session: str) -> FixMode | None:
    """That of this window; otherwise one that nobody works on yet, which becomes this window's."""
    known = modes.of(repository)
    own = next((mode for mode in known if mode.owner == session), None)
    free = next((mode for mode in known if not mode.owner), None)
    if own or not free:
        return own
    claimed = modes.change(free.id, lambda mode: mode.claimed_by(session))
    if claimed.owner != session:
        return None
    files.publish(claimed)  # first: without a marker this window would never be checked, if no check can start now
    files.remove(repository, "")
    return claimed


def plan_check(place: Installation, modes: SqlFixModes, mode: FixMode) -> RunSpec:
    """The check of the working tree as it is now. The mode waits for its result from here on."""
    spec = _planned(place, modes, mode)
    modes.change(mode.id, lambda known: replace(known, check=spec.run_id))
    return spec


def _planned(place: Installation, modes: SqlFixModes, mode: FixMode) -> RunSpec:
    order: RunSpec = CODEC.deserialize(modes.spec(mode.id))
    spec = replace(order, run_id=new_run_id(), created_at=time.time())
    work = commit_uncommitted(place.gitdir(mode.id), UserRepository.find(mode.repository), spec.run_id)
    return replace(spec, hook=HookTarget(mode.id, mode.bug.attempt, work.commit))
