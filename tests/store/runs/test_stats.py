"""The figures of `reknit stats`, as the database counts them."""

import json
import time

import pytest
import sqlalchemy as sa

from reknit.core.finding import Finding
from reknit.core.hook.task import HookCheck
from reknit.core.runs.ending import Ending
from reknit.core.stats.figures import (
    SHOWN_FINDINGS,
    AgentFigures,
    EndingFigures,
    Figures,
    FindingFigures,
    RuleFigures,
    parse_period,
)
from reknit.store import tables
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.stats import StatsReader
from tests.store.runs.test_ledger import CALL, FINDING, GATE, PROOF, RECEIPT, spec

MONTH = parse_period("30d")
NOW = 40 * 86_400.0


def read(store: sa.Engine, repository: str = "/shop") -> Figures:
    return StatsReader(store, repository, MONTH, NOW).read()


def test_an_empty_history_has_no_figures(store: sa.Engine) -> None:
    assert read(store) == Figures("/shop", MONTH, [], [], [], [])


def test_runs_are_counted_by_ending_agent_finding_and_refusal(store: sa.Engine) -> None:
    ledger = SqlRunLedger(store)
    for run_id, repository, at in (
        ("r-1", "/shop", NOW - 60), ("r-2", "/shop", NOW - 50), ("r-old", "/shop", 60.0), ("r-3", "/other", NOW - 5),
    ):  # fmt: skip
        ledger.create(spec(run_id, created_at=at, repository=repository))
        ledger.charge(run_id, "attempt-1-1", 0.5, 0.125)
        ledger.charge(run_id, "review-1", 0.25)
    ledger.start_attempt("r-1", 1, FINDING, "local", "claude")
    ledger.end_attempt("r-1", 1, CALL, GATE, None)
    ledger.start_attempt("r-1", 2, FINDING, "search", "claude")
    ledger.end_attempt("r-1", 2, CALL, None, PROOF)
    ledger.start_attempt("r-2", 1, Finding("T-9", "tests", "test-failed", "t::two"), "local", "gemini")
    ledger.put_receipt("r-1", RECEIPT)
    ledger.end("r-1", Ending("FIXED", "all"))
    with store.begin() as db:
        db.execute(sa.update(tables.runs).where(tables.runs.c.id == "r-1").values(ended_at=NOW - 20))
        db.execute(sa.update(tables.attempts).values(started_at=10.0))
        ended = tables.attempts.c.ended_at.is_not(None)
        db.execute(sa.update(tables.attempts).where(ended).values(ended_at=13.0))
    figures = read(store)
    assert figures.endings == [EndingFigures("FIXED", 1, 0.75, 0.125, 40.0), EndingFigures("open", 1, 0.75, 0.125, 0)]
    assert figures.agents == [AgentFigures("claude", 2, 1, 1.0, 14, 6.0), AgentFigures("gemini", 1, 0, 0, 0, 0)]
    assert figures.findings == [FindingFigures("/shop", "t::one", 1, 2, 1.0)]
    assert figures.rules == [RuleFigures("too-much", 1)]
    assert (read(store, "").runs, read(store, "/nothing").runs) == (3, 0)


def test_a_check_of_a_window_is_no_run(store: sa.Engine) -> None:
    ledger = SqlRunLedger(store)
    ledger.create(spec(created_at=NOW))
    with store.begin() as db:
        db.execute(sa.update(tables.runs).values(kind=HookCheck.kind))
    assert read(store).runs == 0


def test_a_fix_by_a_tool_counts_without_an_attempt(store: sa.Engine) -> None:
    ledger = SqlRunLedger(store)
    ledger.create(spec(created_at=NOW))
    ledger.put_receipt("r-abc123", RECEIPT)
    assert read(store).agents == [AgentFigures("claude", 0, 1, 0.0, 0, 0.0)]


@pytest.mark.timeout(120)
def test_ten_thousand_runs_are_counted_by_the_database(store: sa.Engine) -> None:
    SqlRunLedger(store).create(spec("r-0", created_at=NOW))
    with store.begin() as db:
        [row] = db.execute(sa.select(tables.runs)).mappings()
        runs = [{**row, "id": f"r-{number}", "spent_usd": 0.25} for number in range(1, 10_000)]
        db.execute(sa.insert(tables.runs), runs)
        gate = json.dumps({"refusals": [{"rule": "too-much", "path": "a.py", "sentence": "too much"}]})
        attempts = [
            {
                "run_id": run["id"], "number": 1, "finding": "T-1", "subject": f"t::{number % 50}", "strategy": "local",
                "agent": "claude", "starts": 1, "gate": gate, "cost_usd": 0.25, "tokens": 10, "started_at": 1.0,
                "ended_at": 2.0,
            }
            for number, run in enumerate(runs)
        ]  # fmt: skip
        db.execute(sa.insert(tables.attempts), attempts)
    began = time.process_time()
    figures = read(store)
    assert time.process_time() - began < 1.0
    assert (figures.runs, figures.spent_usd, len(figures.findings)) == (10_000, 9_999 * 0.25, SHOWN_FINDINGS)
    assert figures.rules == [RuleFigures("too-much", 9_999)]
