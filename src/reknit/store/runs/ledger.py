"""Writes what a run does: state, attempts, receipts, events. Every write is idempotent."""

import json
import time
from typing import Any

import sqlalchemy as sa

from reknit.core.agents.call import AgentCall, to_outcome_word
from reknit.core.errors import InternalError
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.runs.receipt import Receipt
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.spending import Spending
from reknit.core.testing.proof import Proof
from reknit.store import tables
from reknit.store.issues.status_changes import reopen_resolved, reopen_unfinished
from reknit.store.runs.quick_queue import make_run_row, to_json
from reknit.store.transactions import RetryingTransactions


def _contains(now: Any, before: Any) -> bool:
    """Return True if everything in `before` is unchanged in `now`; a later release may have added fields."""
    if isinstance(before, dict) and isinstance(now, dict):
        return all(key in now and _contains(now[key], value) for key, value in before.items())
    return bool(now == before)


class SqlRunLedger:
    """Write access to runs: state, attempts, receipts, events and documents. Every write is idempotent."""

    def __init__(self, engine: sa.Engine, worker: str = "") -> None:
        """`worker`: the slot of this process; recorded at every step."""
        self.engine, self._worker = engine, worker
        self._tables = RetryingTransactions(engine)

    def create(self, spec: RunSpec) -> None:
        """Create a run. Do nothing if it exists; raise if another run has its id."""
        self._tables.add_once(tables.runs, **make_run_row(spec, self._worker))
        stored_spec = json.loads(
            self._tables.read(sa.select(tables.runs.c.spec).where(tables.runs.c.id == spec.run_id))
        )
        if not _contains(json.loads(to_json(spec)), stored_spec):
            raise InternalError("run-id-taken", f"another run already has the id {spec.run_id}", help="start it again")

    def set_phase(self, run_id: str, phase: str) -> None:
        self._update_unless_parked(run_id, phase=phase, worker=self._worker, state="running", reason="", until=None)

    def set_waiting(self, run_id: str, reason: str, until: float) -> None:
        self._update_unless_parked(run_id, state="waiting", reason=reason, until=until)

    def set_running(self, run_id: str) -> None:
        self._update(run_id, state="running", worker=self._worker, reason="", until=None)

    def queue_again(self, run_id: str) -> None:
        """Queue a run again if it is parked: a worker has every other one."""
        self._update(run_id, tables.runs.c.state == "interrupted", state="queued", worker="", reason="")

    def set_interrupted(self, run_id: str, reason: str = "") -> None:
        self._update(run_id, state="interrupted", reason=reason, until=None)

    def start_attempt(self, run_id: str, number: int, finding: Finding, strategy: str, agent: str) -> int:
        values = {
            "run_id": run_id, "number": number, "finding": finding.id, "subject": finding.subject,
            "strategy": strategy, "agent": agent, "starts": 1, "started_at": time.time(),
        }  # fmt: skip
        statement = self._tables.insert(tables.attempts).values(**values)
        again = {"starts": tables.attempts.c.starts + 1, "agent": agent, "outcome": None, "ended_at": None}
        statement = statement.on_conflict_do_update(index_elements=["run_id", "number"], set_=again)
        return int(self._tables.write(statement.returning(tables.attempts.c.starts)))

    def end_attempt(
        self, run_id: str, number: int, call: AgentCall, gate: GateVerdict | None, proof: Proof | None
    ) -> None:
        c = tables.attempts.c
        self._tables.write(
            sa.update(tables.attempts)
            .where(c.run_id == run_id, c.number == number, c.ended_at.is_(None))
            .values(
                outcome=to_outcome_word(call.outcome),
                gate=gate and to_json(gate),
                proof=proof and to_json(proof),
                said=call.last_message,
                cost_usd=call.usage.cost_usd,
                tokens=call.usage.input_tokens + call.usage.output_tokens,
                ended_at=time.time(),
            )
        )

    def put_receipt(self, run_id: str, receipt: Receipt) -> None:
        self._tables.add_once(
            tables.receipts, run_id=run_id, finding=receipt.finding, commit_id=receipt.commit, body=to_json(receipt)
        )
        statement = sa.update(tables.runs).where(tables.runs.c.id == run_id).values(commit_id=receipt.commit)
        self._tables.write(statement)  # also for a run that was cancelled while it landed: `undo` needs the commit

    def charge(self, run_id: str, call: str, usd: float, held_usd: float = 0.0) -> None:
        calls, runs, values = tables.calls, tables.runs, {"usd": usd, "held_usd": held_usd}
        row = self._tables.insert(calls).values(run_id=run_id, call=call, **values)
        total = sa.select(sa.func.sum(calls.c.usd)).where(calls.c.run_id == run_id).scalar_subquery()
        self._tables.write(
            row.on_conflict_do_update(index_elements=["run_id", "call"], set_=values),
            sa.update(runs).where(runs.c.id == run_id).values(spent_usd=total),
        )

    def total_cost(self, run_id: str) -> float:
        c = tables.calls.c
        return float(self._tables.read(sa.select(sa.func.sum(c.usd + c.held_usd)).where(c.run_id == run_id)) or 0.0)

    def read_spending(self, run_id: str) -> Spending:
        c, runs = tables.calls.c, tables.runs.c
        sums = sa.select(*(sa.func.coalesce(sa.func.sum(usd), 0.0) for usd in (c.usd, c.held_usd)))
        [(spent_usd, held_usd)] = self._tables.read_rows(sums.where(c.run_id == run_id))
        budget_usd = self._tables.read(sa.select(runs.budget_usd).where(runs.id == run_id))
        return Spending(spent_usd, float(budget_usd or 0.0), held_usd)

    def record_answer(self, question: str, run_id: str) -> None:
        self._tables.put(tables.memories, {"question": question}, run_id=run_id)

    def find_answer(self, question: str) -> str:
        return (
            self._tables.read(sa.select(tables.memories.c.run_id).where(tables.memories.c.question == question)) or ""
        )

    def claim(self, target: str, run_id: str) -> str:
        claims, runs = tables.claims, tables.runs
        ended = sa.select(runs.c.id).where(runs.c.ending.is_not(None))
        self._tables.write(  # two statements, because the condition of an upsert cannot read another table
            self._tables.insert(claims).values(target=target, run_id=run_id).on_conflict_do_nothing(),
            sa.update(claims).where(claims.c.target == target, claims.c.run_id.in_(ended)).values(run_id=run_id),
        )
        return str(self._tables.read(sa.select(claims.c.run_id).where(claims.c.target == target)))

    def end(self, run_id: str, ending: Ending) -> None:
        """End a run, and release the issues that it still worked on, in one transaction."""
        c = tables.runs.c
        self._tables.write(
            sa.update(tables.runs)
            .where(c.id == run_id, c.ending.is_(None))
            .values(
                state="ended",
                ending=ending.word,
                ending_detail=to_json(ending),
                reason=ending.reason,
                until=None,
                ended_at=time.time(),
            ),
            *reopen_unfinished(self.engine.dialect.name, run_id, ending.word, time.time()),
        )

    def list_open_runs(self) -> list[str]:
        c = tables.runs.c
        rows = self._tables.read_rows(sa.select(c.id).where(c.ending.is_(None)).limit(1000))
        return [str(row.id) for row in rows]

    def list_active_runs(self) -> list[str]:
        """Return the runs of this worker that have not ended and are not parked."""
        c = tables.runs.c
        mine = sa.select(c.id).where(c.ending.is_(None), c.worker == self._worker, c.state != "interrupted")
        return [str(row.id) for row in self._tables.read_rows(mine)]

    def set_undone(self, run_id: str) -> None:
        c = tables.runs.c
        self._tables.write(
            sa.update(tables.runs).where(c.id == run_id, c.undone_at.is_(None)).values(undone_at=time.time()),
            *reopen_resolved(self.engine.dialect.name, run_id, time.time()),
        )

    def put_event(self, run_id: str, key: str, event: Event) -> None:
        statement = self._tables.insert(tables.events).values(
            run_id=run_id, key=key, at=time.time(), body=to_json(event)
        )
        again = {"body": statement.excluded.body}  # a step that runs again may have seen something else
        self._tables.write(statement.on_conflict_do_update(index_elements=["run_id", "key"], set_=again))

    def put_document(self, run_id: str, name: str, body: str) -> None:
        self._tables.put(tables.documents, {"run_id": run_id, "name": name}, body=body)

    def document(self, run_id: str, name: str) -> str:
        c = tables.documents.c
        return self._tables.read(sa.select(c.body).where(c.run_id == run_id, c.name == name)) or ""

    def _update(self, run_id: str, *where: sa.ColumnElement[bool], **values: Any) -> None:
        c = tables.runs.c
        self._tables.write(sa.update(tables.runs).where(c.id == run_id, c.ending.is_(None), *where).values(**values))

    def _update_unless_parked(self, run_id: str, **values: Any) -> None:
        """Update a run unless it is parked: a step that runs in parallel may call this after the run was parked."""
        self._update(run_id, tables.runs.c.state != "interrupted", **values)
