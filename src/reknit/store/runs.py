"""Writes what a run does: state, attempts, receipts, events. Each write may happen twice and changes nothing then."""

import dataclasses
import json
import time
from typing import Any

import sqlalchemy as sa

from reknit.core.agent_call import AgentCall
from reknit.core.endings import Ending
from reknit.core.errors import InternalError
from reknit.core.events import Event
from reknit.core.findings import Finding
from reknit.core.receipt import Receipt
from reknit.core.run import RunSpec
from reknit.core.verdict import GateVerdict, Proof
from reknit.core.wording import outcome_word
from reknit.store import tables
from reknit.store.writing import Writer


def _json(value: RunSpec | Ending | Event | GateVerdict | Proof | Receipt) -> str:
    return json.dumps(dataclasses.asdict(value), separators=(",", ":"))


class SqlRunLedger:
    def __init__(self, engine: sa.Engine, worker: str = "") -> None:
        """`worker`: the slot this process works under; it is noted at every step."""
        self.engine, self._worker = engine, worker
        self._writer = Writer(engine)

    def create(self, spec: RunSpec) -> None:
        """The same run twice is once; another run under the same id is refused."""
        self._writer.add_once(
            tables.runs,
            id=spec.run_id, kind=spec.kind, repository=spec.repository, base=spec.base, agent=spec.agent.name,
            spec=_json(spec), state="queued", budget_usd=spec.limits.budget_usd, created_at=spec.created_at,
        )  # fmt: skip
        with self.engine.connect() as db:
            known = db.execute(sa.select(tables.runs.c.spec).where(tables.runs.c.id == spec.run_id)).scalar_one()
        if known != _json(spec):
            raise InternalError("run-id-taken", f"another run is called {spec.run_id}", help="start it again")

    def phase(self, run_id: str, phase: str) -> None:
        self._set(run_id, phase=phase, worker=self._worker, state="running", reason="", until=None)

    def waiting(self, run_id: str, reason: str, until: float) -> None:
        self._set(run_id, state="waiting", reason=reason, until=until)

    def running(self, run_id: str) -> None:
        self._set(run_id, state="running", reason="", until=None)

    def interrupted(self, run_id: str) -> None:
        self._set(run_id, state="interrupted", until=None)

    def attempt_started(self, run_id: str, number: int, finding: Finding, strategy: str, agent: str) -> int:
        values = {
            "run_id": run_id, "number": number, "finding": finding.id, "subject": finding.subject,
            "strategy": strategy, "agent": agent, "starts": 1, "started_at": time.time(),
        }  # fmt: skip
        statement = self._writer.insert(tables.attempts).values(**values)
        again = {"starts": tables.attempts.c.starts + 1, "agent": agent, "outcome": None, "ended_at": None}
        statement = statement.on_conflict_do_update(index_elements=["run_id", "number"], set_=again)
        return int(self._writer.write(statement.returning(tables.attempts.c.starts)))

    def attempt_ended(
        self, run_id: str, number: int, call: AgentCall, gate: GateVerdict | None, proof: Proof | None
    ) -> None:
        c = tables.attempts.c
        self._writer.write(
            sa.update(tables.attempts)
            .where(c.run_id == run_id, c.number == number, c.ended_at.is_(None))
            .values(
                outcome=outcome_word(call.outcome),
                gate=gate and _json(gate),
                proof=proof and _json(proof),
                said=call.said,
                cost_usd=call.usage.cost_usd,
                tokens=call.usage.input_tokens + call.usage.output_tokens,
                ended_at=time.time(),
            )
        )

    def receipt(self, run_id: str, receipt: Receipt) -> None:
        self._writer.add_once(
            tables.receipts, run_id=run_id, finding=receipt.finding, commit_id=receipt.commit, body=_json(receipt)
        )
        named = sa.update(tables.runs).where(tables.runs.c.id == run_id).values(commit_id=receipt.commit)
        self._writer.write(named)  # also when the run was cancelled while it landed: `undo` must know

    def charge(self, run_id: str, call: str, usd: float) -> None:
        calls, runs = tables.calls, tables.runs
        row = self._writer.insert(calls).values(run_id=run_id, call=call, usd=usd)
        total = sa.select(sa.func.sum(calls.c.usd)).where(calls.c.run_id == run_id).scalar_subquery()
        self._writer.write(
            row.on_conflict_do_update(index_elements=["run_id", "call"], set_={"usd": usd}),
            sa.update(runs).where(runs.c.id == run_id).values(spent_usd=total),
        )

    def spent(self, run_id: str) -> float:
        with self.engine.connect() as db:
            return float(db.execute(sa.select(tables.runs.c.spent_usd).where(tables.runs.c.id == run_id)).scalar_one())

    def remember(self, question: str, run_id: str) -> None:
        self._writer.put(tables.memories, {"question": question}, run_id=run_id)

    def remembered(self, question: str) -> str:
        query = sa.select(tables.memories.c.run_id).where(tables.memories.c.question == question)
        with self.engine.connect() as db:
            return db.execute(query).scalar_one_or_none() or ""

    def end(self, run_id: str, ending: Ending) -> None:
        c = tables.runs.c
        self._writer.write(
            sa.update(tables.runs)
            .where(c.id == run_id, c.ending.is_(None))
            .values(
                state="ended",
                ending=ending.word,
                ending_detail=_json(ending),
                reason=ending.reason,
                until=None,
                ended_at=time.time(),
            )
        )

    def open_runs(self) -> list[str]:
        c = tables.runs.c
        with self.engine.connect() as db:
            return [str(row) for row in db.execute(sa.select(c.id).where(c.ending.is_(None)).limit(1000)).scalars()]

    def undone(self, run_id: str) -> None:
        c = tables.runs.c
        self._writer.write(
            sa.update(tables.runs).where(c.id == run_id, c.undone_at.is_(None)).values(undone_at=time.time())
        )

    def event(self, run_id: str, key: str, event: Event) -> None:
        statement = self._writer.insert(tables.events).values(run_id=run_id, key=key, at=time.time(), body=_json(event))
        again = {"body": statement.excluded.body}  # a step that ran again acts on what it saw the second time
        self._writer.write(statement.on_conflict_do_update(index_elements=["run_id", "key"], set_=again))

    def put_document(self, run_id: str, name: str, body: str) -> None:
        self._writer.put(tables.documents, {"run_id": run_id, "name": name}, body=body)

    def document(self, run_id: str, name: str) -> str:
        c = tables.documents.c
        with self.engine.connect() as db:
            found = db.execute(sa.select(c.body).where(c.run_id == run_id, c.name == name)).scalar_one_or_none()
        return found or ""

    def _set(self, run_id: str, **values: Any) -> None:
        c = tables.runs.c
        self._writer.write(sa.update(tables.runs).where(c.id == run_id, c.ending.is_(None)).values(**values))
