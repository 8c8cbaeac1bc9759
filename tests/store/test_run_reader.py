"""Documents of a run are read back by their name."""

import sqlalchemy as sa

from reknit.core.agent_call import AgentSettings
from reknit.core.checks import TestCommand
from reknit.core.run import RunSpec
from reknit.store.run_reader import RunReader
from reknit.store.runs import SqlRunLedger


def test_a_document_is_read_by_run_and_name(store: sa.Engine) -> None:
    ledger = SqlRunLedger(store)
    tests = TestCommand("pytest", ("pytest",), "junit")
    ledger.create(RunSpec("r-abc", "fix pr", "/shop", "base", tests, (), AgentSettings("claude", "claude")))
    ledger.put_document("r-abc", "course", '{"turns": []}')
    reader = RunReader(store)
    assert reader.document("r-abc", "course") == '{"turns": []}'
    assert reader.document("r-abc", "check.ci") == ""
    assert reader.document("r-other", "course") == ""
