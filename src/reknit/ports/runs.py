"""What a run leaves behind, and how its steps are traced."""

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
    """What a run leaves in the database. Every write is idempotent: a step may run twice."""

    def phase(self, run_id: str, phase: str) -> None:
        """The step the run is in, for people who look at it."""

    def waiting(self, run_id: str, reason: str, until: float) -> None: ...

    def interrupted(self, run_id: str, reason: str = "") -> None:
        """Parked: `resume` continues it."""

    def attempt_started(self, run_id: str, number: int, finding: Finding, strategy: str, agent: str) -> int:
        """How often the attempt was started by now: again after a wait, or after a worker died in it."""

    def attempt_ended(
        self, run_id: str, number: int, call: AgentCall, gate: GateVerdict | None, proof: Proof | None
    ) -> None: ...

    def receipt(self, run_id: str, receipt: Receipt) -> None: ...

    def charge(self, run_id: str, call: str, usd: float, held_usd: float = 0.0) -> None:
        """What this agent call has cost so far, and what is set aside. A call that a crash cut off keeps both."""

    def spent(self, run_id: str) -> float:
        """The run's total with what is set aside: every call of it, also those a crash cut off."""

    def remember(self, question: str, run_id: str) -> None:
        """That run has answered this question."""

    def remembered(self, question: str) -> str:
        """The run that answered it; empty: none did."""

    def claim(self, target: str, run_id: str) -> str:
        """Become the one writer of that target; returns the run that is it: this one, or another that has not ended."""

    def end(self, run_id: str, ending: Ending) -> None:
        """The first ending stays."""

    def event(self, run_id: str, key: str, event: Event) -> None:
        """`key` is unique in the run; a second write of it changes nothing."""

    def put_document(self, run_id: str, name: str, body: str) -> None: ...

    def document(self, run_id: str, name: str) -> str:
        """Empty: there is none."""


Outage = Callable[[BaseException], None]
"""Does not return when the error comes from an outage of this machine: the process ends, its runs stay resumable."""


Tracer = Callable[[str, str, Literal["before", "after", "failed"]], None]
"""Told run, step and moment; `after` comes before the step's answer is on disk."""
