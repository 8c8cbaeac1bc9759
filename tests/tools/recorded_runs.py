"""Runs that are only recorded: a place for them, and orders that nobody works on."""

from pathlib import Path
from typing import Any

from reknit.app.installation import Installation, find_installation
from reknit.core.agents.call import AgentSettings
from reknit.core.fix_tests.task import FixTests
from reknit.core.runs.spec import RunSpec, Task
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger

TESTS, AGENT = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")


def spec(run_id: str = "r-1", task: Task | None = None, **more: Any) -> RunSpec:
    return RunSpec(run_id, "/shop", "b" * 40, task or FixTests(), TESTS, (AGENT,), **more)


def make_place(folder: Path) -> Installation:
    made = find_installation({"REKNIT_STATE": str(folder / "state")})
    made.state.mkdir(parents=True)
    return made


def open_ledger(installation: Installation, worker: str = "") -> SqlRunLedger:
    return SqlRunLedger(open_store(installation.database), worker)
