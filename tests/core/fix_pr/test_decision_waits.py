"""What a pull-request run waits for, how long, and what ends its patience."""

from dataclasses import replace

import pytest

from reknit.core.checks.status import CiResult, FinishedStatus, TestsResult
from reknit.core.fix_pr.checks import NOT_REVIEWED, ChecksSnapshot
from reknit.core.fix_pr.decision import can_fix_without_review
from reknit.core.fix_pr.state import PullRunState, Rerun, Wait
from reknit.core.forge.permission import FixBlocked
from reknit.core.forge.values import CiCheck
from reknit.core.runs.ending import Ending
from reknit.core.testing.report import CheckStatus
from tests.tools.pull_moves import PULL, SIGHT, UNDONE, ending, move, seen
from tests.tools.pull_samples import COURSE, NEW, PENDING


def test_waiting_for_ci_needs_neither_money_nor_time() -> None:
    state = replace(COURSE, spent_usd=1.0, worked_s=100.0)
    assert move(state, UNDONE) == Wait("ci", 30.0, 1)


@pytest.mark.parametrize(
    ("state", "checks", "expected"),
    [
        pytest.param(NEW, UNDONE, Wait("ci", 30.0, 1), id="the first look waits 30 s"),
        pytest.param(replace(NEW, pending_looks=1), UNDONE, Wait("ci", 30.0, 1), id="so does the second"),
        pytest.param(
            replace(NEW, pending_looks=2), UNDONE, Wait("ci", 30.0, 4), id="then 120 s are watched in 4 looks"
        ),
        pytest.param(replace(NEW, pending_looks=50), UNDONE, Wait("ci", 30.0, 4), id="and so on"),
        pytest.param(
            NEW,
            replace(UNDONE, ci=CiResult("pending", age_s=119.0)),
            Wait("ci", 30.0, 1),
            id="no check yet, and it is early",
        ),
        pytest.param(
            NEW,
            replace(UNDONE, ci=CiResult("pending", age_s=120.0)),
            Wait("ci", 30.0, 1),
            id="looked at after the grace and still without a check that is required: waited for as any other",
        ),
        pytest.param(
            replace(NEW, pending_s=60.0),
            replace(UNDONE, ci=CiResult("pending", age_s=60.0)),
            Wait("ci", 1.0, 0),
            id="the grace is over while it waits",
        ),
        pytest.param(
            replace(NEW, pending_s=60.0),
            replace(UNDONE, ci=CiResult("pending", (CiCheck("lint", "pass", "success"),), age_s=60.0)),
            Wait("ci", 1.0, 0),
            id="a check that only the commit before had has not come in its grace",
        ),
        pytest.param(
            replace(NEW, pending_s=60.0),
            replace(UNDONE, ci=replace(PENDING, age_s=60.0)),
            Wait("ci", 30.0, 1),
            id="the grace means nothing to a check that still runs",
        ),
        pytest.param(
            replace(NEW, pending_s=3599.0), seen(ci="pending", age_s=3600.0), Wait("ci", 30.0, 1), id="patience"
        ),
    ],
)
def test_pending_ci_is_waited_for(state: PullRunState, checks: ChecksSnapshot, expected: Wait) -> None:
    assert move(state, checks) == expected


@pytest.mark.parametrize(("left_s", "looks"), [(119.0, 4), (61.0, 2), (10.0, 1)])
def test_a_watch_ends_with_the_patience(left_s: float, looks: int) -> None:
    late = seen(ci="pending", age_s=PULL.ci_patience_s - left_s - 100.0)
    assert move(replace(NEW, pending_looks=2, pending_s=100.0), late) == Wait("ci", 30.0, looks)


def test_a_watch_shorter_than_a_wait_is_one_look() -> None:
    short = replace(PULL, ci_wait_s=60.0, ci_watch_s=10.0)
    assert move(replace(NEW, pending_looks=2), UNDONE, pull=short) == Wait("ci", 60.0, 1)


@pytest.mark.parametrize(
    ("checks", "named"),
    [
        pytest.param(
            PENDING.checks, "CI (lint) gave no result within 7200 s (checks.ci.patience_s)", id="names what is open"
        ),
        pytest.param((), "CI gave no result within 7200 s (checks.ci.patience_s)", id="there is nothing to name"),
    ],
)
def test_ci_that_never_answers_ends_unverified(checks: tuple[CiCheck, ...], named: str) -> None:
    seen_now = replace(UNDONE, ci=CiResult("pending", checks, age_s=3600.0))
    assert ending(replace(COURSE, pending_s=3600.0), seen_now) == Ending("UNVERIFIED", named, "ci", COURSE.commits)


LOST = CiCheck("e2e", "fail", "timed_out", id=7, is_job=True)
BROKEN_DOWN = replace(UNDONE, ci=replace(PENDING, checks=(LOST,), infra_checks=(LOST,)))


def test_a_check_that_failed_for_no_fault_of_the_code_runs_again() -> None:
    assert move(NEW, BROKEN_DOWN) == Rerun((LOST,))


def test_nothing_is_run_again_where_nothing_may_be_written() -> None:
    barred = replace(SIGHT, barred=FixBlocked("untrusted", "eve is a stranger", read_only=True))
    stop = ending(NEW, BROKEN_DOWN, snapshot=barred)
    assert (stop.word, stop.cause) == ("UNVERIFIED", "ci")
    assert stop.reason.endswith("may not be re-run here: eve is a stranger")


def test_one_that_cannot_be_run_again_is_not_asked_for_for_ever() -> None:
    late = replace(BROKEN_DOWN, ci=replace(BROKEN_DOWN.ci, age_s=7200.0))
    assert ending(NEW, late).word == "UNVERIFIED"


@pytest.mark.parametrize(
    ("checks", "named"),
    [
        pytest.param(
            seen("error", "error", "error"),
            "review: the critic crashed; tests: no report; CI: no check appeared",
            id="all",
        ),
        pytest.param(seen(ci="error"), "CI: no check appeared", id="CI alone"),
        pytest.param(seen("error"), "review: the critic crashed", id="the review alone"),
    ],
)
def test_what_could_not_be_seen_is_looked_at_twice_more_then_named(checks: ChecksSnapshot, named: str) -> None:
    assert [move(replace(NEW, errors=errors), checks) for errors in (0, 1)] == [Wait("error", 30.0, 0)] * 2
    told = ending(replace(COURSE, errors=2), checks)
    assert told == Ending("UNVERIFIED", f"no result after 2 retries: {named}", "checks", COURSE.commits)


def test_a_look_at_what_could_not_be_seen_needs_money_and_time() -> None:
    state = replace(COURSE, spent_usd=1.0)
    assert ending(state, seen("error")).word == "OVER_BUDGET"
    assert ending(state, seen("error")).fixed == COURSE.commits


def test_a_branch_that_keeps_moving_is_not_followed_for_ever() -> None:
    state = NEW
    for number in range(PULL.iterations):
        state = state.with_head(f"{number:040}")
    assert isinstance(move(state, UNDONE), Wait)
    assert "the branch moved 11 times" in ending(state.with_head("f" * 40), UNDONE).reason


@pytest.mark.parametrize(
    ("tests", "ci", "expected"),
    [("pass", "pass", False), ("pass", "pending", False), ("fail", "pass", True), ("pass", "fail", True)],
)
def test_what_is_red_is_worked_on_without_a_review(tests: FinishedStatus, ci: CheckStatus, expected: bool) -> None:
    checks = seen(tests=tests, ci=ci)
    assert can_fix_without_review(checks.tests, checks.ci) is expected


def test_clean_says_what_was_seen_of_which_commit() -> None:
    checks = replace(seen(), tests=TestsResult("pass", (), 3))
    assert ending(NEW, checks).reason == "PR CLEAN at aaaaaaa: review passed, tests 3 passed, CI 2/2"
    alone = replace(checks, review=replace(checks.review, why=NOT_REVIEWED), ci=CiResult("pass", why="there is none"))
    assert ending(NEW, alone).reason == (
        "PR CLEAN at aaaaaaa: review not run: no reviewer, tests 3 passed, CI there is none"
    )


def test_a_person_who_asked_for_changes_has_to_look_again() -> None:
    checks = seen()
    awaited = replace(checks, review=replace(checks.review, awaited=("ann",)))
    stop = ending(NEW, awaited)
    assert (stop.word, stop.cause) == ("BLOCKED", "review")
    assert "review passed" in stop.reason
    assert "ann requested changes and must review again" in stop.reason
    nobody = ending(NEW, replace(awaited, review=replace(awaited.review, why=NOT_REVIEWED)))
    assert "review not run: no reviewer" in nobody.reason
    assert "review passed" not in nobody.reason
