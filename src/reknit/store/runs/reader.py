"""Reads runs without the engine, so that `runs` and `show` are fast, and work while the engine is busy."""

import json
from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from reknit.core.capabilities import find_capability
from reknit.core.capability import StoredRun
from reknit.core.errors import UsageError
from reknit.core.runs.event import Event
from reknit.core.runs.view import AttemptView, EventView, RunView
from reknit.store import tables
from reknit.store.transactions import RetryingTransactions


class RunReader:
    """Read access to runs."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine, self._tables = engine, RetryingTransactions(engine)

    def run(self, run_id: str) -> RunView:
        """Return a run by id, or by a prefix that only one run has."""
        c = tables.runs.c
        prefix = run_id if run_id.startswith("r-") else f"r-{run_id}"
        query = _select_runs().where(c.id.startswith(prefix, autoescape=True)).order_by(c.id).limit(2)
        rows = self._tables.read_rows(query)
        exact = [row for row in rows if row.id == prefix] or rows
        if len(exact) != 1:
            message = f"no run {run_id!r}" if not exact else f"{run_id!r} matches several runs"
            raise UsageError("no-run", message, help="`reknit runs` lists them")
        return _to_run_view(exact[0])

    def runs(
        self, *, repository: str | None = None, limit: int = 20, but_kinds: Collection[str] = ()
    ) -> Sequence[RunView]:
        """Return the newest runs."""
        query = _select_runs().order_by(tables.runs.c.created_at.desc()).limit(limit)
        if but_kinds:
            query = query.where(tables.runs.c.kind.not_in(but_kinds))
        if repository:
            query = query.where(tables.runs.c.repository == repository)
        return [_to_run_view(row) for row in self._tables.read_rows(query)]

    def is_open(self, run_id: str) -> bool:
        """Return True if the run was recorded and has not ended."""
        query = sa.select(tables.runs.c.id).where(tables.runs.c.id == run_id, tables.runs.c.ending.is_(None))
        return self._tables.read(query) is not None

    def open_pulls(self, slug: str) -> list[tuple[str, int]]:
        """Return (run, number) of every run that works on a pull request of that repository."""
        claims, runs = tables.claims.c, tables.runs.c
        query = sa.select(claims.target, claims.run_id).join(tables.runs, runs.id == claims.run_id)
        ours = sa.func.lower(claims.target).contains(f" {slug.lower()}#", autoescape=True)
        rows = self._tables.read_rows(query.where(ours, runs.ending.is_(None)))
        return [(str(run_id), int(target.rpartition("#")[2])) for target, run_id in rows]

    def holder(self, target: str) -> str:
        """Return the run that works on the target and has not ended; empty if there is none."""
        claims, runs = tables.claims.c, tables.runs.c
        query = sa.select(claims.run_id).join(tables.runs, runs.id == claims.run_id)
        return str(self._tables.read(query.where(claims.target == target, runs.ending.is_(None))) or "")

    def attempts(self, run_id: str) -> Sequence[AttemptView]:
        c = tables.attempts.c
        rows = self._tables.read_rows(sa.select(tables.attempts).where(c.run_id == run_id).order_by(c.number))
        return [_to_attempt_view(row) for row in rows]

    def mean_call_usd(self, repository: str) -> float | None:
        """Return the mean cost of a fixer's call in that repository's last runs; None if there was none."""
        c = tables.attempts.c
        return self._read_mean(c.cost_usd, c.run_id, repository, c.cost_usd.is_not(None))

    def mean_challenge_usd(self, repository: str) -> float | None:
        """Return the mean cost of a challenger's call; these are only in `calls`, because they are not attempts."""
        c = tables.calls.c
        is_challenge = (tables.runs.c.kind == "fix issues", c.call.startswith("challenge-"))
        return self._read_mean(c.usd, c.run_id, repository, *is_challenge)

    def _read_mean(
        self, usd: sa.Column[float], run_id: sa.Column[str], repository: str, *where: sa.ColumnElement[bool]
    ) -> float | None:
        """Return the mean of the newest 200 values."""
        runs = tables.runs.c
        recent = (
            sa.select(usd.label("usd"))
            .join(tables.runs, runs.id == run_id)
            .where(runs.repository == repository, *where)
            .order_by(runs.created_at.desc())
            .limit(200)
            .subquery()
        )
        number = self._tables.read(sa.select(sa.func.avg(recent.c.usd)))
        return None if number is None else float(number)

    def receipts(self, run_id: str) -> Sequence[dict[str, Any]]:
        c = tables.receipts.c
        rows = self._tables.read_rows(sa.select(c.body).where(c.run_id == run_id))
        return sorted((json.loads(row.body) for row in rows), key=lambda receipt: int(receipt["attempt"]))

    def events(self, run_id: str, after: int = 0) -> Sequence[EventView]:
        c = tables.events.c
        query = sa.select(tables.events).where(c.run_id == run_id, c.number > after).order_by(c.number)
        rows = self._tables.read_rows(query)
        return [EventView(row.number, row.run_id, row.at, Event(**json.loads(row.body))) for row in rows]

    def stored(self, run: RunView) -> StoredRun:
        names = find_capability(run.kind).documents
        documents = {name: json.loads(self.document(run.id, name) or "{}") for name in names}
        return StoredRun(run, self.attempts(run.id), self.receipts(run.id), documents)

    def document(self, run_id: str, name: str) -> str:
        """Return a document of the run; empty if there is none."""
        c = tables.documents.c
        return str(self._tables.read(sa.select(c.body).where(c.run_id == run_id, c.name == name)) or "")


def _select_runs() -> "sa.Select[Any]":
    """Select runs with the money that is reserved: the part of each call's cost that is not known to be spent."""
    calls = tables.calls.c
    held_usd = sa.select(sa.func.coalesce(sa.func.sum(calls.held_usd), 0.0)).where(calls.run_id == tables.runs.c.id)
    return sa.select(tables.runs, held_usd.scalar_subquery().label("held_usd"))


def _to_run_view(row: Any) -> RunView:
    return RunView(
        id=row.id, kind=row.kind, repository=row.repository, base=row.base, agent=row.agent, state=row.state,
        phase=row.phase, worker=row.worker, reason=row.reason, until=row.until, ending=row.ending,
        detail=json.loads(row.ending_detail or "{}"), commit=row.commit_id, spent_usd=row.spent_usd,
        budget_usd=row.budget_usd, created_at=row.created_at, ended_at=row.ended_at, undone_at=row.undone_at,
        spec=json.loads(row.spec), held_usd=row.held_usd,
    )  # fmt: skip


def _to_attempt_view(row: Any) -> AttemptView:
    return AttemptView(
        number=row.number, finding=row.finding, subject=row.subject, strategy=row.strategy, starts=row.starts,
        outcome=row.outcome, gate=json.loads(row.gate) if row.gate else None,
        proof=json.loads(row.proof) if row.proof else None, said=row.said, cost_usd=row.cost_usd,
        tokens=row.tokens, started_at=row.started_at, ended_at=row.ended_at,
    )  # fmt: skip
