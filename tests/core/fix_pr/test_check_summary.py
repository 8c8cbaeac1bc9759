"""The three checks of a pull request for display."""

from dataclasses import replace

import pytest

from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.fix_pr import check_summary
from reknit.core.fix_pr.check_summary import NOT_REVIEWED, ci_shown, fix_for, review_shown, shown, signed, weighed
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from tests.tools.pull_samples import BETTER, GREEN, LINT, PENDING, RED


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        pytest.param(RED, ("1 critical, 1 important", "1 failed", "lint"), id="all red; a minor finding is not told"),
        pytest.param(BETTER, ("1 critical", "212 passed, 1 flaky", "lint"), id="a flaky test is named"),
        pytest.param(GREEN, ("passed", "212 passed", "2/2"), id="all pass"),
        pytest.param(
            ChecksSnapshot("h", ReviewResult("error"), TestsResult("error"), CiResult("error")),
            ("not seen", "not seen", "not seen"),
            id="what was not seen is not called green",
        ),
        pytest.param(replace(GREEN, ci=PENDING), ("passed", "212 passed", "… 1/2"), id="CI is not done"),
    ],
)
def test_each_check_in_a_few_words(checks: ChecksSnapshot, expected: tuple[str, str, str]) -> None:
    assert shown(checks) == expected


def test_what_did_not_run_is_not_called_passed() -> None:
    assert review_shown(ReviewResult("pass", why=NOT_REVIEWED)) == "not run"
    assert check_summary.tests_shown(TestsResult("pass")) == "none ran"
    assert ci_shown(CiResult("pending")) == "no check yet"


def test_what_is_left_out_is_counted() -> None:
    left_out = ((("t::a", "t::b"), "no network", ""), ((), "no result", ""))
    assert check_summary.tests_shown(replace(RED.tests, left_out=left_out)) == "1 failed, 2 left out"
    assert check_summary.tests_shown(TestsResult("fail", passed=3, left_out=left_out)) == "2 left out"


def test_failures_hide_no_flaky_test() -> None:
    assert check_summary.tests_shown(replace(RED.tests, flaky=("t::a", "t::b"))) == "1 failed, 2 flaky"


def test_a_name_given_by_ci_stays_short_and_in_its_line() -> None:
    rude = CiResult("fail", (), (replace(LINT, subject="lint\n\x1b[31m" + "x" * 100),))
    assert ci_shown(rude).startswith("lint xxx")
    assert (len(ci_shown(rude)), ci_shown(rude).isprintable()) == (60, True)


def test_a_sign_takes_the_place_of_the_dots() -> None:
    assert signed("pending", "… 1/2") == "… 1/2"
    assert (signed("off", "none ran"), signed("error", "not seen")) == ("– none ran", "! not seen")


def test_what_is_fixed_is_named_in_order() -> None:
    assert fix_for(("tests", "ci", "review")) == "fix tests, then CI, then review"
    assert (weighed(0, 0), weighed(0, 2), weighed(3, 1)) == ("", "2 important", "3 critical, 1 important")
