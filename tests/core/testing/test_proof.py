"""What a receipt says about the test runs behind it: what, how many tests, how often, how long."""

from dataclasses import asdict

import pytest

from reknit.core.testing.proof import RunRecord, record_run, render_runs, sum_runs
from reknit.core.testing.report import TestReport

REPORT = TestReport("fail", "junit", {"a": "passed", "b": "failed"}, seconds=1.25)


def test_runs_of_the_same_tests_are_one_entry() -> None:
    first, again = record_run("all", REPORT, 10.0), record_run("all", TestReport("error", "junit", seconds=2.0), 30.0)
    assert sum_runs([first, record_run("one", REPORT, 20.0), again]) == (
        RunRecord("all", 2, 3.25, 30.0, times=2),
        RunRecord("one", 2, 1.25, 20.0),
    )


@pytest.mark.parametrize(
    ("stored", "lines"),
    [
        pytest.param([asdict(RunRecord("all", 1, 1.2, 0.0))], ["all: 1 test, once, 1.2 s"], id="once"),
        pytest.param([asdict(RunRecord("one", 3, 12.0, 0.0, 5))], ["one: 3 tests, 5 times, 12 s"], id="more often"),
        pytest.param([asdict(RunRecord("all", 3, 0.0, 0.0, 0))], ["all: 3 tests, not run again"], id="remembered"),
        pytest.param(None, [], id="a receipt of an older release"),
        pytest.param(["?"], [], id="something else"),
    ],
)
def test_runs_for_people(stored: object, lines: list[str]) -> None:
    assert render_runs(stored) == lines
