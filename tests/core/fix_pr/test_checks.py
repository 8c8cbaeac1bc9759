"""What one iteration saw: findings come in the order in which they are fixed."""

from dataclasses import replace

import pytest

from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.fix_pr import checks as check_summary
from reknit.core.fix_pr.checks import (
    NOT_REVIEWED,
    ChecksSnapshot,
    add_sign,
    describe_fix,
    format_weights,
    summarize_checks,
    summarize_ci,
    summarize_review,
)
from tests.tools.pull_samples import BETTER, GREEN, LINT, NIT, PENDING, RACE, RED, TEST, THREAD


def test_findings_are_tests_then_ci_then_review() -> None:
    assert RED.findings == (TEST, LINT, THREAD, RACE, NIT)


def test_a_check_that_passed_may_still_have_findings() -> None:
    assert GREEN.findings == (NIT,)


def test_what_was_not_seen_has_no_findings() -> None:
    unseen = replace(RED, review=ReviewResult("error"), tests=TestsResult("error"), ci=CiResult("error"))
    assert unseen.findings == ()


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
    assert summarize_checks(checks) == expected


def test_what_did_not_run_is_not_called_passed() -> None:
    assert summarize_review(ReviewResult("pass", why=NOT_REVIEWED)) == "not run"
    assert check_summary.summarize_tests(TestsResult("pass")) == "none ran"
    assert summarize_ci(CiResult("pending")) == "no check yet"


def test_what_is_left_out_is_counted() -> None:
    left_out = ((("t::a", "t::b"), "no network", ""), ((), "no result", ""))
    assert check_summary.summarize_tests(replace(RED.tests, left_out=left_out)) == "1 failed, 2 left out"
    assert check_summary.summarize_tests(TestsResult("fail", passed=3, left_out=left_out)) == "2 left out"


def test_failures_hide_no_flaky_test() -> None:
    assert check_summary.summarize_tests(replace(RED.tests, flaky=("t::a", "t::b"))) == "1 failed, 2 flaky"


def test_a_name_given_by_ci_stays_short_and_in_its_line() -> None:
    rude = CiResult("fail", (), (replace(LINT, subject="lint\n\x1b[31m" + "x" * 100),))
    assert summarize_ci(rude).startswith("lint xxx")
    assert (len(summarize_ci(rude)), summarize_ci(rude).isprintable()) == (60, True)


def test_a_sign_takes_the_place_of_the_dots() -> None:
    assert add_sign("pending", "… 1/2") == "… 1/2"
    assert (add_sign("off", "none ran"), add_sign("error", "not seen")) == ("– none ran", "! not seen")


def test_what_is_fixed_is_named_in_order() -> None:
    assert describe_fix(("tests", "ci", "review")) == "fix tests, then CI, then review"
    assert (format_weights(0, 0), format_weights(0, 2), format_weights(3, 1)) == (
        "",
        "2 important",
        "3 critical, 1 important",
    )
