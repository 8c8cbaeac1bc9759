"""A change is blamed for a test that is red with it every time and green without it every time, and for no other."""

import random

import pytest

from reknit.core.fix_tests.flakiness import (
    ALONE_RUNS,
    MAX_SUSPECTS,
    QUICK_S,
    RUNS_ALONE,
    RUNS_ALONE_S,
    RUNS_BEFORE_RETRY,
    Comparison,
    are_all_flaky,
    count_runs_before_retry,
    find_blamed,
    find_ever_passed,
    find_flaky_before_retry,
    find_run_without_result,
    find_undecided,
    have_results,
    is_worth_comparing,
    may_run_again,
    may_run_again_on_base,
)
from reknit.core.testing.report import TestReport, TestResult

TEST = "t.py::test"
WORDS: dict[str, TestResult | None] = {"r": "failed", "g": "passed", "s": "skipped", "-": None, "?": None}


def comparison(with_change: str, without: str) -> Comparison:
    """One letter per run: red, green, skipped, not there, or a run without a result."""
    return Comparison(tuple(map(_report, with_change)), tuple(map(_report, without)))


def _report(letter: str) -> TestReport:
    result = WORDS[letter]
    return TestReport("error" if letter == "?" else "fail", "junit", {TEST: result} if result else {})


@pytest.mark.parametrize(
    ("with_change", "without", "is_blamed", "is_undecided"),
    [
        pytest.param("rrr", "ggg", True, False, id="red with it and green without it"),
        pytest.param("rgr", "ggg", False, False, id="green once with it"),
        pytest.param("rrr", "grg", False, False, id="red once without it"),
        pytest.param("rrr", "rrr", False, True, id="red alone on both sides"),
        pytest.param("ggg", "ggg", False, True, id="green alone on both sides"),
        pytest.param("ggg", "rrr", False, False, id="red without it only"),
        pytest.param("r-r", "ggg", True, True, id="not there once, and never green with it"),
        pytest.param("sss", "ggg", True, True, id="skipped with it"),
        pytest.param("rrr", "sgg", False, True, id="skipped without it"),
        pytest.param("r?r", "ggg", False, True, id="a run with it has no result"),
        pytest.param("rrr", "g?g", False, True, id="a run without it has no result"),
    ],
)
def test_who_is_to_blame(with_change: str, without: str, is_blamed: bool, is_undecided: bool) -> None:
    seen = comparison(with_change, without)
    assert (find_blamed([TEST], seen), find_undecided([TEST], seen)) == ([TEST] * is_blamed, [TEST] * is_undecided)


def test_a_run_without_a_result_clears_no_test() -> None:
    assert find_run_without_result(comparison("r-", "gs")) is None
    for seen in (comparison("r?", "g"), comparison("r", "?")):
        unseen = find_run_without_result(seen)
        assert unseen is not None
        assert unseen.status == "error"


def test_only_a_few_suspects_are_compared() -> None:
    assert [is_worth_comparing([TEST] * count) for count in (0, 1, MAX_SUSPECTS, MAX_SUSPECTS + 1)] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.slow
def test_a_broken_test_is_always_blamed_and_a_flaky_one_hardly_ever() -> None:
    dice = random.Random(7)
    assert find_blamed([TEST], comparison("r" * ALONE_RUNS, "g" * ALONE_RUNS)) == [TEST]
    flaky = [comparison(*("".join(dice.choices("rg", k=ALONE_RUNS)) for _side in "12")) for _time in range(20_000)]
    mistakes = sum(bool(find_blamed([TEST], seen)) for seen in flaky)
    assert 0 < mistakes / len(flaky) < 1.5 / 4**ALONE_RUNS


@pytest.mark.parametrize(
    ("with_change", "without", "is_certain"),
    [
        pytest.param("rg", "gg", True, id="both colours with it"),
        pytest.param("rr", "rg", True, id="both colours without it"),
        pytest.param("r", "g", False, id="one run"),
        pytest.param("rs", "g-", False, id="a run that does not count"),
    ],
)
def test_when_no_further_run_can_blame_the_change(with_change: str, without: str, is_certain: bool) -> None:
    assert are_all_flaky([TEST], comparison(with_change, without)) == is_certain
    assert not are_all_flaky([TEST, "t.py::other"], comparison(with_change, without))


def test_red_tests_are_looked_at_a_few_times_and_slow_ones_less_often() -> None:
    quick, slow = TestReport("fail", "junit", seconds=0.1), TestReport("fail", "junit", seconds=RUNS_ALONE_S)
    assert [may_run_again([quick] * count, 3) for count in range(4)] == [True, True, True, False]
    assert not may_run_again([slow], 3)


@pytest.mark.parametrize(
    ("alone_s", "whole_s", "runs"),
    [
        pytest.param(0.1, 1.0, RUNS_ALONE, id="quick"),
        pytest.param(QUICK_S, 10.0, 2, id="a slow test of a short suite"),
        pytest.param(4.0, 100.0, 3, id="up to a tenth of the suite"),
        pytest.param(9.0, 3_000.0, 3, id="up to twenty seconds"),
        pytest.param(60.0, 60.0, 2, id="twice at least"),
    ],
)
def test_slow_red_tests_are_repeated_less_often_on_base(alone_s: float, whole_s: float, runs: int) -> None:
    alone = TestReport("fail", "junit", seconds=alone_s)
    assert next(count for count in range(10) if not may_run_again_on_base([alone] * count, whole_s)) == runs


def test_what_did_not_run_alone_was_not_seen_again() -> None:
    assert [have_results([TEST], _report(letter)) for letter in "rgs-?"] == [True, True, False, False, False]


def test_one_pass_shows_that_a_test_is_flaky() -> None:
    assert find_ever_passed([TEST], [_report("r"), _report("g")]) == (TEST,)
    assert find_ever_passed([TEST], [_report("r"), _report("s"), _report("-")]) == ()


@pytest.mark.parametrize(
    ("runs", "on_base", "on_a_later_commit", "most"),
    [
        pytest.param("", False, False, RUNS_BEFORE_RETRY, id="not run yet"),
        pytest.param("rrr", False, False, RUNS_BEFORE_RETRY, id="always red"),
        pytest.param("g", True, False, ALONE_RUNS, id="green: an earlier fix may have repaired it"),
        pytest.param("gggggg", True, False, ALONE_RUNS, id="green every time"),
        pytest.param("rg", True, True, ALONE_RUNS, id="red and green on one commit"),
        pytest.param("s-", False, False, RUNS_BEFORE_RETRY, id="no result"),
    ],
)
def test_what_passes_before_another_attempt(runs: str, on_base: bool, on_a_later_commit: bool, most: int) -> None:
    seen = [*map(_report, runs)]
    assert find_flaky_before_retry([TEST], seen, on_base=True) == (TEST,) * on_base
    assert find_flaky_before_retry([TEST], seen, on_base=False) == (TEST,) * on_a_later_commit
    assert count_runs_before_retry([TEST], seen) == most
