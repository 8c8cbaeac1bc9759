"""Protocols of the record of runs, of tracing, and of the state of fix mode."""

from collections.abc import Callable
from typing import Literal, Protocol

from reknit.core.agents.call import AgentCall
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict
from reknit.core.hook.marker import HookAnswer
from reknit.core.hook.mode import CheckResult, FixMode
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.runs.receipt import Receipt
from reknit.core.runs.spending import Spending
from reknit.core.testing.proof import Proof


class RunLedger(Protocol):
    """The record of runs in the database. Every write is idempotent: a step may run twice."""

    def set_phase(self, run_id: str, phase: str) -> None:
        """Store the current step of the run, for display."""

    def set_waiting(self, run_id: str, reason: str, until: float) -> None: ...

    def set_interrupted(self, run_id: str, reason: str = "") -> None:
        """Mark the run as parked: `resume` continues it."""

    def start_attempt(self, run_id: str, number: int, finding: Finding, strategy: str, agent: str) -> int:
        """Record a start, and return the number of starts: an attempt restarts after a wait or a dead worker."""

    def end_attempt(
        self, run_id: str, number: int, call: AgentCall, gate: GateVerdict | None, proof: Proof | None
    ) -> None: ...

    def put_receipt(self, run_id: str, receipt: Receipt) -> None: ...

    def charge(self, run_id: str, call: str, usd: float, held_usd: float = 0.0) -> None:
        """Store the call's cost so far and its reserved cost. A call interrupted by a crash keeps both."""

    def total_cost(self, run_id: str) -> float:
        """Return the run's total including reservations: every call, also those interrupted by a crash."""

    def read_spending(self, run_id: str) -> Spending:
        """Return what the run spent, apart from what is reserved."""

    def record_answer(self, question: str, run_id: str) -> None:
        """Record that this run answered the question."""

    def find_answer(self, question: str) -> str:
        """Return the run that answered the question; empty if none did."""

    def claim(self, target: str, run_id: str) -> str:
        """Try to become the only writer of that target. Return its owner: this run, or another that has not ended."""

    def end(self, run_id: str, ending: Ending) -> None:
        """Write the ending; the first one stays."""

    def put_event(self, run_id: str, key: str, event: Event) -> None:
        """Write one event. `key` is unique in the run: writing it again replaces the event."""

    def put_document(self, run_id: str, name: str, body: str) -> None: ...

    def document(self, run_id: str, name: str) -> str:
        """Return the document's text; empty if there is none."""


Outage = Callable[[BaseException], None]
"""Handles an error. If this machine has an outage, it ends the process; its runs can be resumed."""


Tracer = Callable[[str, str, Literal["before", "after", "failed"]], None]
"""Receives run, step and moment; `after` is called before the step's result is on disk."""


class FixModes(Protocol):
    """The fix modes of the agent windows."""

    def settle(self, mode_id: str, run_id: str, result: CheckResult) -> FixMode:
        """Store the result of that check; only the first one counts."""


class StateExports(Protocol):
    """Files by which other tools follow a run."""

    def publish(self, repository: str, run_id: str) -> None:
        """Show other tools the state of a pull-request run, if a window of that repository follows it."""

    def publish_bug(self, repository: str, run_id: str) -> None:
        """Show other tools the state of the bug that a run repairs."""


class FixModeFiles(Protocol):
    """Files by which a window learns the state of its fix mode."""

    def publish(self, mode: FixMode, answer: HookAnswer | None = None, run_id: str = "") -> None:
        """Write the state. `answer`: the answer to the window about the check's result."""
