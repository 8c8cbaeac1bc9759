"""Cancels a run, and undoes what a run landed."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.adapters.files.folders import discard
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository, short_name
from reknit.app.engine.client import stop_if_open
from reknit.app.engine.functions import OnCancel, on_cancel_of
from reknit.app.installation import Installation
from reknit.app.runs.liveness import mark_orphaned
from reknit.app.wiring import services
from reknit.core.capabilities import capability_of
from reknit.core.errors import ReknitError, UsageProblem
from reknit.core.runs.ending import Ending
from reknit.core.runs.view import RunView
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.codec import CODEC


def cancel_run(place: Installation, run_id: str) -> RunView:
    database = open_store(place.database)
    reader = RunReader(database)
    (run,) = mark_orphaned(place, reader, [reader.run(run_id)])
    if run.ending:
        raise UsageProblem("ended", f"{run.id} has already ended {run.ending}")
    stop_if_open(place, database, run.id)
    ending = Ending("CANCELLED", "by a person")
    ledger = SqlRunLedger(database)
    ledger.end(run.id, ending)
    stop_if_open(place, database, run.id)  # a worker may have given it to the engine before it could see the end
    if run.state in ("interrupted", "left"):  # otherwise its worker removes them
        discard(place.runs / run.id / "rooms")
    if on_cancel := on_cancel_of(run.kind):
        _call_on_cancel(place, ledger, run.id, ending, on_cancel)
    return reader.run(run.id)


def _call_on_cancel(
    place: Installation, ledger: SqlRunLedger, run_id: str, ending: Ending, on_cancel: OnCancel
) -> None:
    """Best effort, once: the run is over either way."""
    made = services(place, ledger)
    with contextlib.suppress(ReknitError):
        asyncio.run(on_cancel(made, CODEC.deserialize(ledger.document(run_id, "spec")), ending))


@dataclass(frozen=True)
class Undone:
    run: RunView
    """As it was before the undo."""
    removed: bool = False
    """Its branch existed and was removed."""
    kept_in: str = ""
    """Another branch that contains its commit: then only the branch is removed."""


def undo_run(place: Installation, run_id: str) -> Undone:
    database = open_store(place.database)
    run = RunReader(database).run(run_id)
    if not run.ending:
        raise UsageProblem("not-ended", f"{run.id} has not ended", help=f"`reknit cancel {run.id}` first")
    if run.commit is None or run.undone_at:
        return Undone(run)
    if capability_of(run.kind).lands == "pull request":
        raise _pushed(run, RunReader(database).receipts(run.id))
    branch = f"reknit/{run.id}"
    holding = UserRepository.find(run.repository).branches_with(run.commit)
    kept_in = next((ref for ref in holding if ref != f"refs/heads/{branch}"), "")
    repository = TrustedGit(str(place.runs / run.id / "trusted.git"))
    removed = repository.remove_branch(run.repository, branch, run.commit)
    if not kept_in:
        SqlRunLedger(database).undone(run.id)
    return Undone(run, removed, kept_in if short_name(kept_in) == branch else short_name(kept_in))


def _pushed(run: RunView, receipts: Sequence[Mapping[str, object]]) -> UsageProblem:
    """Others may have built on it, so a person must revert it, with an explicit commit."""
    commits = " ".join(str(receipt["commit"])[:12] for receipt in reversed(receipts))
    what = f"{run.id} pushed to a pull request, where others may have built on it; reknit does not revert it"
    return UsageProblem("pushed", what, help=f"git pull && git revert --no-edit {commits} && git push")
