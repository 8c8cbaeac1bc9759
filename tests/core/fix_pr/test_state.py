"""The course of a run: each thing that happens changes just what it is about."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import Aborted, RateLimited
from reknit.core.finding import Finding
from reknit.core.fix_pr.state import Fix, PullRunState, StopPullRun, Wait, list_target_tests
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import PullLimits
from tests.tools.pull_samples import COURSE, FIRST, NEW, RED, SECOND, STUCK, turn

NOT_NOW = RateLimited("rate_limited", 99.0)
BUSY = replace(NEW, head="a", pending_looks=2, pending_s=60.0, errors=1, forge_waits=2, worked_s=5.0, spent_usd=0.5)


def test_a_new_course_has_nothing_behind_it() -> None:
    new = PullRunState(AgentRotation(("claude",)))
    assert (new.number, new.commits, new.answered, new.fruitless) == (1, (), (), 0)
    counts = (new.pending_looks, new.pending_s, new.errors, new.forge_waits, new.worked_s, new.spent_usd)
    assert (counts, new.last_outcome, new.with_progress()) == ((0,) * 6, None, new)


def test_only_a_test_that_failed_by_name_is_asked_about() -> None:
    findings = tuple(
        Finding(f"F-{rule}", "tests", rule, f"t::{rule}") for rule in ("test-failed", "test-command", "ci-failed")
    )
    assert list_target_tests(Fix(1, (), findings, "local", "claude", "", only_critical=False)) == ("t::test-failed",)


def test_an_iteration_is_counted_when_its_turn_is_over() -> None:
    assert (NEW.number, COURSE.number) == (1, 3)


def test_only_what_landed_is_a_commit() -> None:
    assert COURSE.commits == ("b" * 40, "c" * 40)
    assert STUCK.commits == ("b" * 40,)


def test_what_its_commits_answered_is_kept_over_all_turns() -> None:
    state = replace(NEW, turns=(replace(FIRST, answered=("x", "y")), SECOND, replace(SECOND, answered=("z",))))
    assert state.answered == ("x", "y", "z")


def test_each_test_without_a_proven_fix_is_named_once() -> None:
    state = replace(NEW, turns=(replace(FIRST, unproven=("t", "u")), SECOND, replace(SECOND, unproven=("u", "v"))))
    assert state.unproven == ("t", "u", "v")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        pytest.param(NEW, 0, id="nothing was tried"),
        pytest.param(COURSE, 0, id="the last fix landed"),
        pytest.param(STUCK, 3, id="three since one landed"),
        pytest.param(replace(NEW, turns=(turn(1, RED, "no"), turn(2, RED, "no"))), 2, id="none ever landed"),
    ],
)
def test_fixes_in_a_row_that_did_not_land(state: PullRunState, expected: int) -> None:
    assert state.fruitless == expected


@pytest.mark.parametrize(("done", "expected"), [(4, False), (5, True)])
def test_from_the_sixth_iteration_on_only_what_is_critical_counts(done: int, *, expected: bool) -> None:
    state = replace(NEW, turns=tuple(turn(number, RED, "fix") for number in range(1, done + 1)))
    assert state.fixes_only_critical(PullLimits()) is expected


def test_a_new_head_is_looked_at_with_new_patience() -> None:
    assert BUSY.with_head("b") == replace(BUSY, head="b", heads=BUSY.heads + 1, pending_looks=0, pending_s=0.0)


def test_the_same_head_keeps_its_looks_and_its_wait_is_in_the_age_that_ci_now_has() -> None:
    assert BUSY.with_head("a") == replace(BUSY, pending_s=0.0)


def test_a_wait_for_ci_is_one_look_however_long_it_was() -> None:
    after = BUSY.with_pull_wait(Wait("ci", 30.0, 4), 120.0)
    assert after == replace(BUSY, pending_looks=3, pending_s=180.0, errors=0)


def test_a_wait_for_what_could_not_be_seen_is_counted_apart() -> None:
    assert BUSY.with_pull_wait(Wait("error", 30.0, 0), 30.0) == replace(BUSY, errors=2)


def test_a_turn_ends_the_errors_and_wakes_the_tired() -> None:
    tired = replace(BUSY, rotation=AgentRotation(("claude", "gemini"), resting=(("claude", None),), waits=3))
    after = tired.with_turn(FIRST, 0.31, 10.0, Aborted("timeout"))
    assert (after.turns, after.errors, after.worked_s) == ((FIRST,), 0, 15.0)
    assert (after.rotation.next, after.rotation.waits, after.last_outcome) == ("claude", 3, Aborted("timeout"))


@pytest.mark.parametrize(("told", "expected"), [(0.2, 0.5), (0.9, 0.9)])
def test_what_was_spent_never_becomes_less(told: float, expected: float) -> None:
    for after in (
        BUSY.with_turn(FIRST, told, 0.0, None),
        BUSY.with_wait(NOT_NOW, 0.0, told),
        BUSY.with_progress(0.0, told),
    ):
        assert after.spent_usd == expected


def test_the_reviewers_limit_is_not_the_fixers() -> None:
    state = replace(NEW, readers=AgentRotation(("critic",)))
    assert state.with_limited_reader(NOT_NOW) == replace(state, readers=AgentRotation(("critic",)).after_limit(NOT_NOW))


def test_waits_for_the_forge_are_counted_in_a_row() -> None:
    assert BUSY.with_forge_wait() == replace(BUSY, forge_waits=3)
    assert BUSY.with_progress(4.0, 0.1) == replace(BUSY, forge_waits=0, worked_s=9.0)


def test_only_clean_claims_success() -> None:
    assert StopPullRun(Ending("CLEAN", "all of it")).claims_success
    assert not StopPullRun(Ending("STALLED", "the same again")).claims_success
