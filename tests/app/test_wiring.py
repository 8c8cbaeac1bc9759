"""Which adapter implements which port in this process."""

from pathlib import Path

from reknit.adapters.git.workspace import RunWorkspace
from reknit.app.wiring import make_services
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.recorded_runs import make_place, spec


def test_a_runs_workspace_is_in_the_state_folder_under_its_name(tmp_path: Path) -> None:
    installation = make_place(tmp_path)
    engine = open_store(installation.database)
    ledger = SqlRunLedger(engine)
    made = make_services(installation, ledger)
    workspace = made.workspace(spec("r-7"))
    assert isinstance(workspace, RunWorkspace)
    assert Path(workspace.kept_folder("x.log")).is_relative_to(installation.runs / "r-7")
    assert made.forge is not make_services(installation, ledger).forge
    made.trace("r-7", "attempt.v1", "before")
    made.outage(ValueError("nothing happens"))
