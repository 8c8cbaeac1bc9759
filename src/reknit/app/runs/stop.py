"""Parks and cancels runs, and undoes the changes that a run landed."""

import asyncio
import contextlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.files.folders import discard
from reknit.adapters.git.review_range import short_name
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.engine.client import cancel_if_open
from reknit.app.engine.registration import OnCancel, load_on_cancel
from reknit.app.installation import Installation
from reknit.app.runs.apply import find_last_landed
from reknit.app.runs.liveness import mark_orphaned
from reknit.app.state_exports import StateExports
from reknit.core.capabilities import find_capability
from reknit.core.errors import ReknitError, UsageError
from reknit.core.runs.ending import Ending
from reknit.core.runs.slot import POOL
from reknit.core.runs.view import RunView
from reknit.store.database import open_store
from reknit.store.runs.coordination import RunQueue
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.codec import CODEC


def cancel_run(installation: Installation, run_id: str) -> RunView:
    """End the run as CANCELLED, wherever it is at work."""
    database = open_store(installation.database)
    reader = RunReader(database)
    (run,) = mark_orphaned(installation, reader, [reader.run(run_id)])
    if run.ending:
        raise UsageError("ended", f"{run.id} has already ended {run.ending}")
    cancel_if_open(installation, database, run.id)
    ending = Ending("CANCELLED", "by a person")
    ledger = SqlRunLedger(database)
    ledger.end(run.id, ending)
    cancel_if_open(
        installation, database, run.id
    )  # a worker may have given it to the engine before it could see the end
    if run.state in ("interrupted", "left"):  # otherwise its worker removes them
        discard(installation.runs / run.id / "rooms")
    if on_cancel := load_on_cancel(run.kind):
        _call_on_cancel(installation, ledger, run.id, ending, on_cancel)
    return reader.run(run.id)


def _call_on_cancel(
    installation: Installation, ledger: SqlRunLedger, run_id: str, ending: Ending, on_cancel: OnCancel
) -> None:
    """Call it once and ignore failures: the run is over either way."""
    from reknit.app.wiring import make_services  # late: few cancelled runs have something to do

    process_services = make_services(installation, ledger)
    with contextlib.suppress(ReknitError):
        asyncio.run(on_cancel(process_services, CODEC.deserialize(ledger.document(run_id, "spec")), ending))


_HERE = Path()


@dataclass(frozen=True)
class UndoResult:
    """The result of an undo."""

    run: RunView
    """The run before the undo."""
    removed: bool = False
    """True if its branch existed and was removed."""
    kept_in: str = ""
    """Another branch that contains its commit; then only the run's branch is removed."""


def undo_run(installation: Installation, run_id: str | None, folder: Path = _HERE) -> UndoResult:
    """Remove the branch of a run; without an id, of the last run of this repository that landed a fix.

    Commits that were pushed are left for a person to revert.
    """
    database = open_store(installation.database)
    reader = RunReader(database)
    run = reader.run(run_id) if run_id else find_last_landed(reader, UserRepository.find(str(folder)))
    if not run.ending:
        raise UsageError("not-ended", f"{run.id} has not ended", help=f"`reknit stop {run.id} --for-good` first")
    if run.commit is None or run.undone_at:
        return UndoResult(run)
    if find_capability(run.kind).lands == "pull request":
        raise _pushed_problem(run, RunReader(database).receipts(run.id))
    branch = f"reknit/{run.id}"
    holding = UserRepository.find(run.repository).branches_with(run.commit)
    kept_in = next((ref for ref in holding if ref != f"refs/heads/{branch}"), "")
    repository = TrustedGit(str(installation.runs / run.id / "trusted.git"))
    removed = repository.remove_branch(run.repository, branch, run.commit)
    if not kept_in:
        SqlRunLedger(database).set_undone(run.id)
    return UndoResult(run, removed, kept_in if short_name(kept_in) == branch else short_name(kept_in))


def _pushed_problem(run: RunView, receipts: Sequence[Mapping[str, object]]) -> UsageError:
    """Others may have built on it, so a person must revert it, with an explicit commit."""
    commits = " ".join(str(receipt["commit"])[:12] for receipt in reversed(receipts))
    message = f"{run.id} pushed to a pull request, where others may have built on it; reknit does not revert it"
    return UsageError("pushed", message, help=f"git pull && git revert --no-edit {commits} && git push")


NOTICED_S = 2.0
"""Seconds to wait for the worker: it polls once a second for stopped runs, and sends no acknowledgement."""


def park_run(installation: Installation, run_id: str) -> RunView:
    """Stop the work on a run of another process. `resume` continues at the same step."""
    database = open_store(installation.database)
    reader = RunReader(database)
    run = reader.run(run_id)
    if run.ending:
        return run
    # First: if this process is killed, a run that is called parked must not go on.
    was_open = cancel_if_open(installation, database, run.id)
    SqlRunLedger(database).set_interrupted(run.id, "by a person")
    RunQueue(database).remove(run.id)
    # Again: a worker may have given it to the engine before it could see that the run is parked.
    if cancel_if_open(installation, database, run.id) or was_open:
        threading.Event().wait(NOTICED_S)
    StateExports(installation.hooks, reader).publish(run.repository, run.id)
    return reader.run(run.id)


def queue_again(installation: Installation, run_id: str) -> None:
    """Put a parked run back into the queue; any other run stays as it is."""
    database = open_store(installation.database)
    SqlRunLedger(database).queue_again(run_id)
    if RunReader(database).run(run_id).state == "queued":
        RunQueue(database).add(run_id, POOL)  # last: a worker stops what it finds there as parked
