"""Starts the check of a window's changes, under a worker of its own."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.hook import HookFiles
from reknit.app.installation import Installation
from reknit.app.start.queue import new_run_id, queue_run, start_worker
from reknit.app.start.uncommitted_work import commit_uncommitted
from reknit.core.hook.marker import Marker, Notified, is_news
from reknit.core.hook.mode import FixMode
from reknit.core.hook.task import HookCheck
from reknit.core.runs.spec import RunSpec
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.codec import CODEC

NOTHING = Notified()


def ensure_check(
    installation: Installation, repository: str, session: str, earlier_answer: Notified = NOTHING,
    served_until: float = 0.0,
) -> tuple[Marker | None, bool]:  # fmt: skip
    """Return the marker, and True if the check is of the tree as it is now.

    A check that is under way is not started again. No marker: this window has nothing to check. A check may end
    meanwhile: first the ledger has its result, then the marker, and only then it is closed. The result in the marker is
    reported before a new check starts. `served_until`: monotonic time until which a worker takes every queued run.
    """
    database, files = open_store(installation.database), HookFiles(installation.hooks)
    modes = SqlFixModes(database)
    mode = _claim_mode(modes, files, repository, session)
    marker = files.read(repository, session)
    running = (mode.check if mode else "") or (marker.check if marker else "")
    if running and RunReader(database).is_open(running):
        _ensure_worker(installation, served_until)
        return files.read(repository, session), False
    marker = files.read(repository, session)
    if mode is None or is_news(marker, earlier_answer):
        return (marker if is_news(marker, earlier_answer) else None), False
    _queue_check(installation, plan_check(installation, modes, mode), mode)
    _ensure_worker(installation, served_until)
    return files.read(repository, session), True


def check_again(installation: Installation, repository: str, session: str, run_id: str) -> Marker | None:
    """Check again if the tree has changed since that check: its result does not count then, red or green."""
    database, files = open_store(installation.database), HookFiles(installation.hooks)
    modes = SqlFixModes(database)
    mode = next((mode for mode in modes.list_modes(repository, only_open=False) if mode.owner == session), None)
    if not mode or mode.check or mode.is_given_up:
        return files.read(repository, session)
    checked = RunReader(database).run(run_id).spec
    if (spec := _make_spec(installation, modes, mode)).task_as(HookCheck).after != _checked_commit(checked):
        git = TrustedGit.open(str(installation.gitdir(mode.id)))
        if git.tree_of(spec.task_as(HookCheck).after) != git.tree_of(_checked_commit(checked)):
            _queue_check(
                installation, spec, modes.change(mode.id, lambda known: replace(known.retract(), check=spec.run_id))
            )
            start_worker(installation)
    return files.read(repository, session)


def _ensure_worker(installation: Installation, served_until: float) -> None:
    if time.monotonic() >= served_until:
        start_worker(installation)


def _queue_check(installation: Installation, spec: RunSpec, mode: FixMode) -> None:
    HookFiles(installation.hooks).publish(replace(mode, check=spec.run_id))
    queue_run(installation, spec)


def _checked_commit(spec: Mapping[str, Any]) -> str:
    return str(spec["task"]["after"])


def _claim_mode(modes: SqlFixModes, files: HookFiles, repository: str, session: str) -> FixMode | None:
    """Return the fix mode of this window. Otherwise claim one that nobody works on yet."""
    modes_here = modes.list_modes(repository)
    own = next((mode for mode in modes_here if mode.owner == session), None)
    free = next((mode for mode in modes_here if not mode.owner), None)
    if own or not free:
        return own
    claimed = modes.change(free.id, lambda mode: mode.claim(session))
    if claimed.owner != session:
        return None
    files.publish(claimed)  # first: without a marker this window would never be checked, if no check can start now
    files.remove(repository, "")
    return claimed


def plan_check(installation: Installation, modes: SqlFixModes, mode: FixMode) -> RunSpec:
    """Plan a check of the working tree as it is now. From here on, the fix mode waits for its result."""
    spec = _make_spec(installation, modes, mode)
    modes.change(mode.id, lambda known: replace(known, check=spec.run_id))
    return spec


def _make_spec(installation: Installation, modes: SqlFixModes, mode: FixMode) -> RunSpec:
    order: RunSpec = CODEC.deserialize(modes.spec(mode.id))
    spec = replace(order, run_id=new_run_id(), created_at=time.time())
    work = commit_uncommitted(installation.gitdir(mode.id), UserRepository.find(mode.repository), spec.run_id)
    task = replace(spec.task_as(HookCheck), mode=mode.id, attempt=mode.bug.attempt, after=work.commit)
    return replace(spec, task=task)
