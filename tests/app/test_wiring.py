"""Which adapter implements which port in this process."""

from pathlib import Path

import pytest

from reknit.adapters.git.workspace import RunWorkspace
from reknit.app.wiring import agent_maker, forge_maker, services, sound_box
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageProblem
from reknit.core.forge.values import ForgePlace
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.account_limits import SqlAccounts
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.recorded_runs import make_place, spec


def test_a_box_is_tested_once_and_an_unknown_one_is_refused() -> None:
    assert sound_box("host") is sound_box("host")
    with pytest.raises(UsageProblem, match="there is no box named 'hots'") as caught:
        sound_box("hots")
    assert caught.value.help == "did you mean 'host'?"


def test_one_client_serves_all_that_is_asked_of_a_place() -> None:
    make = forge_maker({"GH_TOKEN": "t"})
    first = ForgePlace("github", "https://api.github.com", "acme/shop")
    assert make(first) is make(ForgePlace("github", "https://api.github.com", "acme/shop"))
    assert make(first) is not make(ForgePlace("github", "https://api.github.com", "acme/other"))


def test_an_agent_gets_the_environment_of_the_place_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of this process")
    settings = AgentSettings("claude", "claude")
    assert agent_maker({}, settings).account == ""
    assert agent_maker({"ANTHROPIC_API_KEY": "key"}, settings).account.startswith("anthropic:")


def test_a_runs_workspace_is_in_the_state_folder_under_its_name(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    engine = open_store(place.database)
    made = services(place, SqlRunLedger(engine), SqlAccounts(engine), SqlIssueLedger(engine))
    workspace = made.workspace(spec("r-7"))
    assert isinstance(workspace, RunWorkspace)
    assert Path(workspace.kept("x.log")).is_relative_to(place.runs / "r-7")
    assert made.forge is not services(place, made.ledger, made.accounts, made.issues).forge
    made.trace("r-7", "attempt.v1", "before")
    made.outage(ValueError("nothing happens"))
