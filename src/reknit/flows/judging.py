"""Asks the gate about a change, outside this process: what it reads is an agent's."""

from reknit.core.change import Change
from reknit.core.gate import judge, refuse_unread
from reknit.core.gate.scope import Scope
from reknit.core.unfinished import GATE_LIMITS, Unfinished
from reknit.core.verdict import GateVerdict
from reknit.flows.services import Services


async def ask_gate(services: Services, change: Change, scope: Scope) -> GateVerdict:
    """A gate that could not finish has refused."""
    verdict = await services.calls.run(GATE_LIMITS, judge, change, scope)
    return refuse_unread(change, scope, verdict) if isinstance(verdict, Unfinished) else verdict
