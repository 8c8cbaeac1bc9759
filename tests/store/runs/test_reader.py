"""Documents of a run are read back by their name, and what calls cost by who was called."""

import pytest
import sqlalchemy as sa

from reknit.core.agents.call import AgentSettings
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.sample_tasks import FIX_ISSUES, FIX_PULL_REQUEST


def test_a_document_is_read_by_run_and_name(store: sa.Engine) -> None:
    ledger = SqlRunLedger(store)
    tests = TestCommand("pytest", ("pytest",), "junit")
    ledger.create(RunSpec("r-abc", "/shop", "base", FIX_PULL_REQUEST, tests, (AgentSettings("claude", "claude"),)))
    ledger.put_document("r-abc", "course", '{"turns": []}')
    reader = RunReader(store)
    assert reader.document("r-abc", "course") == '{"turns": []}'
    assert reader.document("r-abc", "check.ci") == ""
    assert reader.document("r-other", "course") == ""


def test_a_challengers_calls_are_priced_apart(store: sa.Engine) -> None:
    ledger, reader = SqlRunLedger(store), RunReader(store)
    tests, agent = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")
    for run, repository in (("r-1", "/shop"), ("r-2", "/shop"), ("r-3", "/elsewhere")):
        ledger.create(RunSpec(run, repository, "base", FIX_ISSUES, tests, (agent,)))
    assert reader.mean_challenge_usd("/shop") is None
    ledger.charge("r-1", "attempt-1-100.000", 9.0)
    assert reader.mean_challenge_usd("/shop") is None
    ledger.charge("r-1", "challenge-1-100.000", 0.1)
    ledger.charge("r-2", "challenge-1-200.000", 0.3)
    ledger.charge("r-3", "challenge-1-300.000", 5.0)
    assert reader.mean_challenge_usd("/shop") == pytest.approx(0.2)
