"""What a receipt says about the test runs behind it: what, how many tests, how often, how long."""

from dataclasses import asdict

import pytest

from reknit.core.testing.made_runs import MadeRun, made_run, run_lines, summed
from reknit.core.testing.report import TestReport

REPORT = TestReport("fail", "junit", {"a": "passed", "b": "failed"}, seconds=1.25)


def test_runs_of_the_same_tests_are_one_entry() -> None:
    first, again = made_run("all", REPORT, 10.0), made_run("all", TestReport("error", "junit", seconds=2.0), 30.0)
    assert summed([first, made_run("one", REPORT, 20.0), again]) == (
        MadeRun("all", 2, 3.25, 30.0, times=2),
        MadeRun("one", 2, 1.25, 20.0),
    )


@pytest.mark.parametrize(
    ("stored", "lines"),
    [
        pytest.param([asdict(MadeRun("all", 1, 1.2, 0.0))], ["all: 1 test, once, 1.2 s"], id="once"),
        pytest.param([asdict(MadeRun("one", 3, 12.0, 0.0, 5))], ["one: 3 tests, 5 times, 12 s"], id="more often"),
        pytest.param([asdict(MadeRun("all", 3, 0.0, 0.0, 0))], ["all: 3 tests, not run again"], id="remembered"),
        pytest.param(None, [], id="a receipt of an older release"),
        pytest.param(["?"], [], id="something else"),
    ],
)
def test_runs_for_people(stored: object, lines: list[str]) -> None:
    assert run_lines(stored) == lines
