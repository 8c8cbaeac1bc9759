"""A run is recorded with its claim: of two on one pull request the later is refused, also while both only wait."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.engine.registration import load_on_cancel, load_workflow, record_run
from reknit.core.agents.call import AgentSettings
from reknit.core.capabilities import CAPABILITIES, find_capability
from reknit.core.errors import InternalError, UsageError
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.registry import WORKFLOWS
from tests.tools.pull_samples import TARGET
from tests.tools.sample_tasks import FIX_TESTS

TESTS, AGENT = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")
FIRST = RunSpec("r-1", "/shop", "b" * 40, TARGET, TESTS, (AGENT,))
SECOND = replace(FIRST, run_id="r-2")


def test_a_pull_request_has_one_open_run(tmp_path: Path) -> None:
    ledger = SqlRunLedger(open_store(f"sqlite:///{tmp_path / 'db.sqlite'}"))
    record_run(ledger, FIRST)
    record_run(ledger, FIRST)
    with pytest.raises(UsageError, match=r"^r-1 is open on #412 \(queued\)$") as caught:
        record_run(ledger, SECOND)
    assert (caught.value.name, RunReader(ledger.engine).run("r-2").ending) == ("taken", "CANCELLED")
    record_run(ledger, replace(FIRST, task=FIX_TESTS, run_id="r-3"))
    ledger.end("r-1", Ending("CLEAN", "all pass"))
    record_run(ledger, replace(FIRST, run_id="r-4"))
    ledger.engine.dispose()


@pytest.mark.parametrize("kind", CAPABILITIES)
def test_the_workflow_of_a_kind_has_the_stored_name(kind: str) -> None:
    assert vars(load_workflow(kind))["dbos_function_name"] == WORKFLOWS[kind].name


def test_every_kind_has_a_workflow_of_its_own() -> None:
    assert WORKFLOWS.keys() == CAPABILITIES.keys()
    assert len({workflow.name for workflow in WORKFLOWS.values()}) == len(WORKFLOWS)


def test_a_pull_request_and_a_window_are_told_that_their_run_was_cancelled() -> None:
    told = {kind for kind in CAPABILITIES if load_on_cancel(kind)}
    assert told == {"hook check", *(kind for kind in CAPABILITIES if find_capability(kind).lands == "pull request")}


def test_a_kind_that_is_not_known_cannot_be_run() -> None:
    with pytest.raises(InternalError, match="fix everything"):
        load_workflow("fix everything")


def test_to_read_a_run_imports_no_engine() -> None:
    code = "import sys, reknit.core.run_text; sys.exit('dbos' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
