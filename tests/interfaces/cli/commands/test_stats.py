"""`reknit stats` as a person types it."""

import json
import time
from pathlib import Path

import pytest

from reknit.core.runs.ending import Ending
from reknit.interfaces.cli.main import run
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = open_ledger(make_place(tmp_path))
    ledger.create(spec("r-1", created_at=time.time()))
    ledger.charge("r-1", "attempt-1-1", 0.5)
    ledger.end("r-1", Ending("FIXED", "all"))
    monkeypatch.setenv("REKNIT_STATE", str(tmp_path / "state"))


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_the_figures_are_printed_in_each_form(capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert run(["stats", "--all", "--format", form]) == 0
    out = capsys.readouterr().out
    if form == "json":
        document = json.loads(out)
        assert (document["schema"], document["runs"], document["spent_usd"]) == (1, 1, 0.5)
    else:
        assert "1 run began in every repository in the last 30 days: $0.50 spent. No fix was accepted." in out
        assert out.startswith("<!doctype html>") == (form == "html")


@pytest.mark.usefixtures("history")
def test_a_repository_without_runs_has_no_figures(
    capsys: pytest.CaptureFixture[str], shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    assert run(["stats", "--since", "1w"]) == 0
    assert capsys.readouterr().out.startswith("No run began in shop in the last week")


@pytest.mark.usefixtures("history")
def test_a_wrong_period_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stats", "--all", "--since", "soon"]) == 2
    assert "write `12h`, `30d` or `4w`" in capsys.readouterr().err
