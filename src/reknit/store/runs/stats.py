"""Reads the figures of `reknit stats`, counted by the database."""

from typing import Any

import sqlalchemy as sa

from reknit.core.capabilities import UNLISTED_KINDS
from reknit.core.stats.figures import (
    SHOWN_FINDINGS,
    AgentFigures,
    EndingFigures,
    Figures,
    FindingFigures,
    Period,
    RuleFigures,
)
from reknit.store import tables
from reknit.store.transactions import RetryingTransactions


class StatsReader:
    """Counts what the runs of one period did. `repository` empty: of every repository."""

    def __init__(self, engine: sa.Engine, repository: str, period: Period, now: float) -> None:
        self._tables, self._is_sqlite = RetryingTransactions(engine), engine.dialect.name == "sqlite"
        self._repository, self._period = repository, period
        c = tables.runs.c
        where: list[sa.ColumnElement[bool]] = [c.created_at >= now - period.seconds, c.kind.not_in(UNLISTED_KINDS)]
        self._where = [*where, c.repository == repository] if repository else where

    def read(self) -> Figures:
        """Return all figures."""
        endings = [EndingFigures(*row) for row in self._tables.read_rows(self._select_endings())]
        rules = [RuleFigures(*row) for row in self._tables.read_rows(self._select_rules())]
        findings = [FindingFigures(*row) for row in self._tables.read_rows(self._select_findings())]
        return Figures(self._repository, self._period, endings, self._read_agents(), findings, rules)

    def _select_endings(self) -> "sa.Select[*tuple[Any, ...]]":
        c, calls = tables.runs.c, tables.calls.c
        of_run = sa.select(calls.run_id, sa.func.sum(calls.held_usd).label("usd")).group_by(calls.run_id).subquery()
        ending, runs = sa.func.coalesce(c.ending, "open").label("ending"), sa.func.count().label("runs")
        sums = (_sum(c.spent_usd), _sum(of_run.c.usd), _sum(c.ended_at - c.created_at))
        query = sa.select(ending, runs, *sums).outerjoin_from(tables.runs, of_run, of_run.c.run_id == c.id)
        return query.where(*self._where).group_by(ending).order_by(runs.desc(), ending)

    def _read_agents(self) -> list[AgentFigures]:
        c = tables.attempts.c
        agent = sa.func.coalesce(c.agent, "").label("agent")
        sums = (_sum(c.cost_usd), _sum(c.tokens), _sum(c.ended_at - c.started_at))
        attempts = self._join(tables.attempts, agent, sa.func.count(), *sums).group_by(agent)
        by = self._read_json(tables.receipts.c.body, "agent").label("by")
        receipts = self._join(tables.receipts, by, sa.func.count()).group_by(by)
        landed = {str(name): int(count) for name, count in self._tables.read_rows(receipts)}
        figures = [
            AgentFigures(name, count, landed.pop(name, 0), usd, tokens, seconds)
            for name, count, usd, tokens, seconds in self._tables.read_rows(attempts)
        ]
        figures += [AgentFigures(name, 0, count, 0.0, 0, 0.0) for name, count in landed.items()]  # fixes by tools
        return sorted(figures, key=lambda one: (-one.cost_usd, one.agent))

    def _select_findings(self) -> "sa.Select[*tuple[Any, ...]]":
        c, repository = tables.attempts.c, tables.runs.c.repository
        usd = _sum(c.cost_usd).label("usd")
        counts = (sa.func.count(c.run_id.distinct()), sa.func.count())
        query = self._join(tables.attempts, repository, c.subject, *counts, usd).group_by(repository, c.subject)
        return query.having(usd > 0).order_by(usd.desc(), c.subject).limit(SHOWN_FINDINGS)

    def _select_rules(self) -> "sa.Select[*tuple[Any, ...]]":
        gate = tables.attempts.c.gate
        if self._is_sqlite:
            each = sa.func.json_each(gate, "$.refusals")
        else:
            each = sa.func.json_array_elements(sa.cast(gate, sa.JSON)["refusals"])
        refusals = each.table_valued(sa.column("value", sa.Text if self._is_sqlite else sa.JSON))
        rule, count = self._read_json(refusals.c.value, "rule").label("rule"), sa.func.count().label("refusals")
        source = tables.runs.join(tables.attempts, tables.attempts.c.run_id == tables.runs.c.id)
        query = sa.select(rule, count).select_from(source.join(refusals, sa.true()))
        return query.where(gate.is_not(None), *self._where).group_by(rule).order_by(count.desc(), rule)

    def _join(self, table: sa.Table, *columns: Any) -> "sa.Select[*tuple[Any, ...]]":
        """Select from rows that belong to the runs of the period."""
        runs = tables.runs
        return sa.select(*columns).where(table.c.run_id == runs.c.id, *self._where)

    def _read_json(self, column: sa.ColumnElement[Any], name: str) -> sa.ColumnElement[str]:
        """Return a field of a JSON text. SQLite must not cast it: a cast to JSON would make a number of it."""
        document = sa.type_coerce(column, sa.JSON) if self._is_sqlite else sa.cast(column, sa.JSON)
        field: sa.ColumnElement[str] = document[name].as_string()
        return field


def _sum(column: sa.ColumnElement[Any]) -> "sa.Function[Any]":
    return sa.func.coalesce(sa.func.sum(column), 0)
