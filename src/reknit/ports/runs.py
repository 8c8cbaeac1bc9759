"""What a run records, and how its steps are traced."""

from collections.abc import Callable
from typing import Literal, Protocol

from reknit.core.agents.call import AgentCall
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.runs.receipt import Receipt
from reknit.core.testing.proof import Proof


class RunLedger(Protocol):
    """What a run records in the database. Every write is idempotent: a step may run twice."""

    def phase(self, run_id: str, phase: str) -> None:
        """The step the run is in, shown to people."""

    def waiting(self, run_id: str, reason: str, until: float) -> None: ...

    def interrupted(self, run_id: str, reason: str = "") -> None:
        """Parked: `resume` continues it."""

    def attempt_started(self, run_id: str, number: int, finding: Finding, strategy: str, agent: str) -> int:
        """Returns how often the attempt has been started: it restarts after a wait, or after its worker died."""

    def attempt_ended(
        self, run_id: str, number: int, call: AgentCall, gate: GateVerdict | None, proof: Proof | None
    ) -> None: ...

    def receipt(self, run_id: str, receipt: Receipt) -> None: ...

    def charge(self, run_id: str, call: str, usd: float, held_usd: float = 0.0) -> None:
        """What this agent call has cost so far, and what is reserved. A call interrupted by a crash keeps both."""

    def spent(self, run_id: str) -> float:
        """The run's total including reservations: every call, also those interrupted by a crash."""

    def remember(self, question: str, run_id: str) -> None:
        """Record that this run answered the question."""

    def remembered(self, question: str) -> str:
        """The run that answered it; empty if none did."""

    def claim(self, target: str, run_id: str) -> str:
        """Try to become the only writer of that target; returns its owner: this run, or another that has not ended."""

    def end(self, run_id: str, ending: Ending) -> None:
        """The first ending stays."""

    def event(self, run_id: str, key: str, event: Event) -> None:
        """`key` is unique in the run: writing it again replaces the event."""

    def put_document(self, run_id: str, name: str, body: str) -> None: ...

    def document(self, run_id: str, name: str) -> str:
        """Empty if there is none."""


Outage = Callable[[BaseException], None]
"""Does not return if the error comes from an outage of this machine: the process ends, its runs stay resumable."""


Tracer = Callable[[str, str, Literal["before", "after", "failed"]], None]
"""Receives run, step and moment; `after` is called before the step's result is on disk."""
