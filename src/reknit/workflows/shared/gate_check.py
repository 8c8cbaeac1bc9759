"""Runs the gate on a change, outside this process: it reads what an agent wrote."""

from reknit.core.gate import judge, refuse_unread
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import GateVerdict
from reknit.core.repository.change import Change
from reknit.core.text.work_limits import GATE_LIMITS, Unfinished
from reknit.workflows.runtime.services import Services


async def ask_gate(services: Services, change: Change, scope: Scope) -> GateVerdict:
    """A gate that could not finish counts as a refusal."""
    verdict = await services.calls.run(GATE_LIMITS, judge, change, scope)
    return refuse_unread(change, scope, verdict) if isinstance(verdict, Unfinished) else verdict
