"""A run is recorded with its claim: of two on one pull request the later is refused, also while both only wait."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.engine.record import record
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageProblem
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.pull_samples import TARGET

TESTS, AGENT = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")
FIRST = RunSpec("r-1", "fix pr", "/shop", "b" * 40, TESTS, (), AGENT, pull=TARGET)
SECOND = replace(FIRST, run_id="r-2")


def test_a_pull_request_has_one_open_run(tmp_path: Path) -> None:
    ledger = SqlRunLedger(open_store(f"sqlite:///{tmp_path / 'db.sqlite'}"))
    record(ledger, FIRST)
    record(ledger, FIRST)
    with pytest.raises(UsageProblem, match=r"^r-1 is open on #412 \(queued\)$") as caught:
        record(ledger, SECOND)
    assert (caught.value.name, RunReader(ledger.engine).run("r-2").ending) == ("taken", "CANCELLED")
    record(ledger, replace(FIRST, run_id="r-3", kind="fix tests", pull=None))
    ledger.end("r-1", Ending("CLEAN", "all pass"))
    record(ledger, replace(FIRST, run_id="r-4"))
    ledger.engine.dispose()
