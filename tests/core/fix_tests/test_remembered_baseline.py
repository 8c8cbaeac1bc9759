"""What an earlier run saw on a tree is used only if it was certain, is recent, and what was red is red again."""

from dataclasses import replace

import pytest

from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import RULES, Baseline
from reknit.core.fix_tests.remembered_baseline import (
    ALONE,
    KEPT_S,
    WHOLE,
    is_usable,
    is_worth_remembering,
    red_tests,
    seen_again,
    whole_seconds,
)
from reknit.core.testing.made_runs import made_run, summed
from reknit.core.testing.report import TestReport

RED, ELSEWHERE, GREEN = "t.py::red", "t.py::elsewhere", "t.py::green"
SUITE = TestReport("fail", "junit", {RED: "failed", ELSEWHERE: "failed", GREEN: "passed"}, seconds=60.0)
STILL = TestReport("fail", "junit", {RED: "failed", ELSEWHERE: "failed"}, seconds=1.0)
ONCE, TWICE = [made_run(ALONE, STILL, 200.0)], [made_run(ALONE, STILL, 200.0), made_run(ALONE, STILL, 300.0)]
KNOWN = Baseline(
    "red",
    "junit",
    (Finding("T-1", "tests", "test-failed", RED),),
    (ELSEWHERE,),
    passing=(GREEN,),
    passing_count=1,
    runs=3,
    answered_by="r-0",
    rules=RULES,
    ran=summed([made_run(WHOLE, SUITE, 100.0), *TWICE]),
)


def test_the_runs_of_a_baseline_are_counted() -> None:
    assert [(run.what, run.tests, run.seconds, run.times) for run in KNOWN.ran] == [(WHOLE, 3, 60, 1), (ALONE, 2, 2, 2)]
    assert (whole_seconds(KNOWN), whole_seconds(replace(KNOWN, ran=()))) == (60.0, 0.0)
    assert red_tests(KNOWN) == (RED, ELSEWHERE)


@pytest.mark.parametrize(
    ("baseline", "is_worth"),
    [
        pytest.param(KNOWN, True, id="red"),
        pytest.param(replace(KNOWN, status="green"), False, id="green is always looked at anew"),
        pytest.param(replace(KNOWN, left_out=(((RED,), "no network", ""),)), False, id="the environment"),
        pytest.param(replace(KNOWN, doubtful=("T-1",)), False, id="in doubt"),
        pytest.param(replace(KNOWN, flaky=(GREEN,)), False, id="what is flaky may be red after a fix"),
        pytest.param(replace(KNOWN, not_run=("npm test",)), False, id="a project without a result"),
        pytest.param(replace(KNOWN, ran=()), False, id="nothing was run"),
        pytest.param(
            replace(KNOWN, ran=summed([made_run(WHOLE, SUITE, 1.0)] * 2)),
            False,
            id="red tests that cannot be run alone",
        ),
    ],
)
def test_only_what_was_certain_is_remembered(baseline: Baseline, is_worth: bool) -> None:
    assert is_worth_remembering(baseline) == is_worth


@pytest.mark.parametrize(
    ("known", "now", "usable"),
    [
        pytest.param(KNOWN, 100.0 + KEPT_S, True, id="a day old"),
        pytest.param(KNOWN, 101.0 + KEPT_S, False, id="older"),
        pytest.param(KNOWN, 99.0, False, id="from the future"),
        pytest.param(replace(KNOWN, rules=RULES - 1), 100.0, False, id="decided by older rules"),
        pytest.param(replace(KNOWN, ran=()), 100.0, False, id="of an older release"),
    ],
)
def test_what_is_old_is_not_used(known: Baseline, now: float, usable: bool) -> None:
    assert is_usable(known, now) == usable


def test_what_is_red_again_stands_for_the_whole_suite() -> None:
    seen = seen_again(KNOWN, "r-1", [STILL, STILL], TWICE)
    assert seen is not None
    assert (seen.findings, seen.passing, seen.answered_by, seen.seen_in) == (KNOWN.findings, (GREEN,), "", "r-1")
    assert (seen.runs, seen.seconds) == (2, 2.0)
    assert [(run.what, run.tests, run.times, run.at) for run in seen.ran] == [
        (f"{WHOLE}, in r-1", 3, 0, 100.0),
        (ALONE, 2, 2, 300.0),
    ]
    assert not is_usable(seen, 200.0), "only a run that ran the whole suite is remembered"


@pytest.mark.parametrize(
    "alone",
    [
        pytest.param([STILL, replace(STILL, results={RED: "failed", ELSEWHERE: "passed"})], id="one is green now"),
        pytest.param([replace(STILL, results={RED: "failed"})], id="one is gone"),
        pytest.param([replace(STILL, status="error")], id="no result"),
        pytest.param([], id="not run"),
    ],
)
def test_if_anything_changed_the_memory_counts_for_nothing(alone: list[TestReport]) -> None:
    assert seen_again(KNOWN, "r-1", alone, ONCE) is None
