"""Tests that became red are run again on both sides: a flaky one never blames a right fix, a broken one always does."""

import asyncio
import random
from collections.abc import Sequence

from reknit.core.fix_tests.flakiness import ALONE_RUNS
from reknit.core.testing.report import TestReport
from reknit.workflows.fix_tests.flaky_check import Run, Sides, flaky_of

FLAKY, BROKEN, ORDERED = "t.py::flaky", "t.py::broken", "t.py::ordered"
SIDES = Sides("fix", "head")


def runner(dice: random.Random, ran: list[tuple[str, int]]) -> Run:
    """BROKEN is red with the fix; ORDERED only if the whole suite runs with it; FLAKY whenever the dice say so."""

    async def run(label: str, rev: str, only: Sequence[str]) -> TestReport:
        ran.append((label, len(only)))
        red = {FLAKY} if dice.random() < 0.5 else set()
        red |= {BROKEN} if rev == "fix" else set()
        red |= {ORDERED} if rev == "fix" and not only else set()
        tests = (FLAKY, BROKEN, ORDERED)
        return TestReport("fail", "junit", {test: "failed" if test in red else "passed" for test in tests})

    return run


def test_a_broken_test_is_blamed_every_time_and_a_flaky_one_hardly_ever() -> None:
    dice, mistakes, times = random.Random(3), 0, 3_000
    for _time in range(times):
        found = asyncio.run(flaky_of([BROKEN, FLAKY, ORDERED], SIDES, runner(dice, []), alone=True))
        assert isinstance(found, tuple)
        assert BROKEN not in found
        assert ORDERED not in found
        mistakes += FLAKY not in found
    # Blamed alone, or of one colour alone and then blamed in the suite.
    assert mistakes / times < 3 / 4**ALONE_RUNS


def test_a_runner_that_cannot_select_runs_the_whole_suite_once_on_each_side() -> None:
    ran: list[tuple[str, int]] = []
    found = asyncio.run(flaky_of([BROKEN, ORDERED], SIDES, runner(random.Random(1), ran), alone=False))
    assert (found, ran) == ((), [("again-with-0", 0), ("again-without-0", 0)])


def test_nothing_runs_if_there_is_nothing_to_compare_or_too_much() -> None:
    ran: list[tuple[str, int]] = []
    run = runner(random.Random(1), ran)
    assert asyncio.run(flaky_of([], SIDES, run, alone=True)) == ()
    assert asyncio.run(flaky_of([BROKEN] * 21, SIDES, run, alone=True)) == ()
    assert ran == []


def test_a_comparison_without_a_result_clears_no_test() -> None:
    unseen = TestReport("error", "junit", why="killed")

    async def run(label: str, rev: str, only: Sequence[str]) -> TestReport:
        results = {BROKEN: "failed" if rev == "fix" else "passed", ORDERED: "passed"}
        return TestReport("fail", "junit", results) if only else unseen  # type: ignore[arg-type]

    assert asyncio.run(flaky_of([ORDERED], SIDES, run, alone=True)) is unseen
    assert asyncio.run(flaky_of([BROKEN, ORDERED], SIDES, run, alone=True)) == (), "one is to blame anyway"
