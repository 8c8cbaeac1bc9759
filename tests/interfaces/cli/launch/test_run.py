"""What a person reads when a run is queued."""

import json
from pathlib import Path

import pytest

from reknit.interfaces.cli.launch.run import queued
from reknit.store.runs.reader import RunReader
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_queued_run_is_recorded_and_says_who_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    place = make_place(tmp_path)
    assert queued(place, spec("r-1"), form) == 0
    out = capsys.readouterr().out
    if form == "json":
        assert json.loads(out) == {"schema": 1, "event": "queued", "run": "r-1"}
    else:
        assert out == "r-1 is queued: `reknit worker` takes it, `reknit watch r-1` follows it\n"
    assert RunReader(open_ledger(place).engine).run("r-1").state == "queued"
