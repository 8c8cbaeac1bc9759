"""The data of the pages, and actions that do what the commands do."""

from pathlib import Path

import pytest

from reknit.app.dashboard import PAGE_ROWS, Dashboard, find_repository_key
from reknit.app.installation import Installation
from reknit.core.dashboard.values import Action
from reknit.core.errors import UsageError
from reknit.core.runs.ending import Ending
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.plot import git
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    return make_place(tmp_path)


@pytest.fixture
def ledger(place: Installation) -> SqlRunLedger:
    return open_ledger(place)


def test_a_list_has_pages_of_fifty_rows(place: Installation, ledger: SqlRunLedger) -> None:
    for number in range(PAGE_ROWS + 1):
        ledger.create(spec(f"r-{number:08x}", created_at=float(number)))
    first, after = Dashboard(place).list_rows("open", None, None, lambda _: True)
    second, end = Dashboard(place).list_rows("open", after, None, lambda _: True)
    assert ([len(first), len(second)], end) == ([PAGE_ROWS, 1], None)
    assert second[0].id == "r-00000000"


def test_a_run_is_found_by_its_whole_id_only(place: Installation, ledger: SqlRunLedger) -> None:
    ledger.create(spec("r-12345678"))
    run = Dashboard(place).find_run("r-12345678")
    assert run is not None
    assert Dashboard(place).find_run("r-1234567") is None
    assert Dashboard(place).find_run("12345678") is None


def test_stopping_parks_a_run_and_what_has_ended_is_an_error(place: Installation, ledger: SqlRunLedger) -> None:
    for run_id in ("r-1", "r-2"):
        ledger.create(spec(run_id))
    ledger.end("r-2", Ending("CLEAN", "all pass"))
    dashboard = Dashboard(place)
    dashboard.act("stop", "r-1")
    run = dashboard.find_run("r-1")
    assert run is not None
    assert (run.state, run.reason) == ("interrupted", "by a person")
    actions: tuple[Action, ...] = ("stop", "resume")
    for action in actions:
        with pytest.raises(UsageError, match="ended"):
            dashboard.act(action, "r-2")


def test_settling_empties_the_inbox(place: Installation, ledger: SqlRunLedger) -> None:
    ledger.create(spec("r-1"))
    ledger.end("r-1", Ending("BLOCKED", "why"))
    dashboard = Dashboard(place)
    assert dashboard.count_unsettled(None) == 1
    dashboard.act("settle", "r-1")
    assert dashboard.count_unsettled(None) == 0


def test_a_clone_is_known_by_its_repository_on_the_forge(tmp_path: Path) -> None:
    for name in ("clone", "alone"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q")
        git(tmp_path / name, "commit", "-q", "--allow-empty", "-m", "begin")
    git(tmp_path / "clone", "remote", "add", "origin", "https://github.com/Acme/Shop.git")
    assert find_repository_key(str(tmp_path / "clone")) == "github.com/acme/shop"
    assert find_repository_key(str(tmp_path / "alone")) == ""
    assert find_repository_key(str(tmp_path / "gone")) == ""
