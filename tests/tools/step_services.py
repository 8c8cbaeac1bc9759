"""The real services of a process, for steps that are called without the engine: a SQLite file, git, no box."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from reknit.adapters.bounded.calls import ChildCalls
from reknit.app.installation import find_installation
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.app.wiring import make_services
from reknit.core.agents.call import AgentSettings
from reknit.core.runs.spec import RunSpec
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.workflows.runtime.services import Services


def scripted(*moves: dict[str, Any]) -> AgentSettings:
    return AgentSettings("scripted", "scripted", story=json.dumps(moves))


@contextmanager
def step_services(folder: Path, repository: Path, *moves: dict[str, Any]) -> Iterator[tuple[Services, RunSpec]]:
    """With a recorded `fix tests` run on the repository; the scripted agent plays these moves."""
    installation = find_installation({"REKNIT_STATE": str(folder / "state"), "HOME": str(folder / "home")})
    installation.state.mkdir()
    spec = plan_fix_tests(installation, repository, (), {"box": "host"}).spec
    spec = replace(spec, agents=(scripted(*moves),))
    engine = open_store(installation.database)
    ledger = SqlRunLedger(engine)
    ledger.create(spec)
    made = make_services(installation, ledger)
    made.workspace(spec).ensure_commits()
    assert isinstance(made.calls, ChildCalls)
    with closing(made.calls):
        yield made, spec
    engine.dispose()
