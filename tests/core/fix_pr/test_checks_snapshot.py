"""What one iteration saw: findings come in the order in which they are fixed."""

from dataclasses import replace

from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from tests.tools.pull_samples import GREEN, LINT, NIT, RACE, RED, TEST, THREAD


def test_findings_are_tests_then_ci_then_review() -> None:
    assert RED.findings == (TEST, LINT, THREAD, RACE, NIT)


def test_a_check_that_passed_may_still_have_findings() -> None:
    assert GREEN.findings == (NIT,)


def test_what_was_not_seen_has_no_findings() -> None:
    unseen = replace(RED, review=ReviewResult("error"), tests=TestsResult("error"), ci=CiResult("error"))
    assert unseen.findings == ()
