"""What a person reads when a run ends, or was left before its end."""

import json
from pathlib import Path

import pytest

from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE, Ending
from reknit.interfaces.cli.launch.run import run_and_report
from reknit.store.runs.reader import RunReader
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("ending", "code"),
    [(Ending("CLEAN", "all pass"), 0), (Ending("BLOCKED", "no key"), 1), (None, INTERRUPTED_EXIT_CODE)],
)
def test_the_exit_code_is_that_of_the_ending(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, ending: Ending | None, code: int
) -> None:
    place = make_place(tmp_path)
    ledger = open_ledger(place)
    ledger.create(spec("r-1"))
    if ending:
        ledger.end("r-1", ending)
    else:
        ledger.interrupted("r-1", "the disk is full")
    reader = RunReader(ledger.engine)
    assert run_and_report(place, form, lambda _output: reader.run("r-1"), "r-1", "fix tests") == code
    said = capsys.readouterr()
    if form == "json":
        assert json.loads(said.out)["event"] == ("ending" if ending else "interrupted")
    else:
        assert (ending.word if ending else "`reknit resume r-1`") in said.out + said.err
