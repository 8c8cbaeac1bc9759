"""Finds the functions that capabilities name. Core cannot import them, and reading a run must not import the engine."""

from collections.abc import Callable, Coroutine
from pkgutil import resolve_name
from typing import Any

from reknit.core.capabilities import CAPABILITIES, capability_of
from reknit.core.errors import InternalError
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services

OnCancel = Callable[[Services, RunSpec, Ending], Coroutine[Any, Any, object]]


def register_workflows() -> None:
    """Importing a workflow registers it with the engine, which must know all of them before it recovers runs."""
    for kind in CAPABILITIES:
        workflow_of(kind)


def workflow_of(kind: str) -> Callable[..., Any]:
    reference = capability_of(kind).function
    if not reference:
        raise InternalError("no-capability", f"this release cannot run {kind!r}")
    workflow: Callable[..., Any] = resolve_name(reference)
    return workflow


def on_cancel_of(kind: str) -> OnCancel | None:
    reference = capability_of(kind).on_cancel
    return resolve_name(reference) if reference else None
