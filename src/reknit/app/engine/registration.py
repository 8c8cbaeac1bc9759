"""Records new runs, and loads the functions that capabilities name."""

from collections.abc import Callable, Coroutine
from pkgutil import resolve_name
from typing import Any

from reknit.core.errors import InternalError
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import TakenByRunError
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.registry import WORKFLOWS
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services


def record_run(ledger: SqlRunLedger, spec: RunSpec) -> None:
    """Record a new run and its claim. Raise `TakenByRun` if another run already works on the same target."""
    ledger.create(spec)
    ledger.put_document(spec.run_id, "spec", CODEC.serialize(spec))
    holder = ledger.claim(spec.task.claim, spec.run_id) if spec.task.claim else spec.run_id
    if holder != spec.run_id:
        ledger.end(spec.run_id, Ending("CANCELLED", f"{holder} is already working on this", "taken"))
        raise TakenByRunError(RunReader(ledger.engine).run(holder))


OnCancel = Callable[[Services, RunSpec, Ending], Coroutine[Any, Any, object]]


def register_workflows() -> None:
    """Import every workflow, which registers it with the engine.

    The engine must know all of them before it recovers runs.
    """
    for kind in WORKFLOWS:
        load_workflow(kind)


def load_workflow(kind: str) -> Callable[..., Any]:
    """Import the workflow of a kind of run. The registry only names it: reading a run does not load the engine."""
    if kind not in WORKFLOWS:
        raise InternalError("no-capability", f"this release cannot run {kind!r}")
    workflow: Callable[..., Any] = resolve_name(WORKFLOWS[kind].function)
    return workflow


def load_on_cancel(kind: str) -> OnCancel | None:
    """Import the function that this kind of run calls after it was cancelled, if there is one."""
    reference = WORKFLOWS[kind].on_cancel
    return resolve_name(reference) if reference else None
