"""Continuing a run: not one that has ended, and not one that waits for a worker."""

from pathlib import Path

import pytest

from reknit.app.runs import resume
from reknit.app.start.queue import queue_run
from reknit.core.errors import UsageProblem
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.mark.parametrize(
    ("ended", "again"),
    [
        pytest.param(spec(), "`reknit fix tests`", id="tests"),
        pytest.param(spec(kind="fix pr", pull=TARGET), "`reknit fix pr 412`", id="a pull request"),
    ],
)
def test_a_run_that_has_ended_names_the_command_for_a_new_one(tmp_path: Path, ended: RunSpec, again: str) -> None:
    place = make_place(tmp_path)
    ledger = open_ledger(place)
    ledger.create(ended)
    assert resume.find(place, "r-1").state == "queued"
    ledger.end("r-1", Ending("CLEAN", "all pass"))
    with pytest.raises(UsageProblem, match="r-1 has ended CLEAN") as caught:
        resume.find(place, "r-1")
    assert (caught.value.name, caught.value.help) == ("ended", f"{again} starts a new run")


def test_a_run_in_the_queue_is_left_to_the_workers(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    queue_run(place, spec())
    nobody = {"tell": lambda _: pytest.fail("it was followed"), "tick": lambda _: pytest.fail("it was followed")}
    with pytest.raises(UsageProblem, match="r-1 is queued for a worker") as caught:
        resume.resume(place, resume.find(place, "r-1"), **nobody)
    assert "`reknit watch r-1` follows it" in caught.value.help
