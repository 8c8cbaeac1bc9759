"""Asks the gate about a change, outside this process: what it reads is an agent's."""

from reknit.core.change import Change
from reknit.core.gate import judge
from reknit.core.gate.scope import Scope
from reknit.core.unfinished import GATE_LIMITS, Unfinished, refused_unread
from reknit.core.verdict import GateVerdict
from reknit.flows.services import Services


async def ask_gate(services: Services, change: Change, scope: Scope) -> GateVerdict:
    """A gate that could not finish has refused."""
    verdict = await services.calls.run(GATE_LIMITS, judge, change, scope)
    return refused_unread(verdict, len(change.files)) if isinstance(verdict, Unfinished) else verdict
