"""Turns: what an iteration is remembered by."""

from dataclasses import replace

import pytest

from reknit.core.course import Fix, Turn
from reknit.core.decision import Part
from reknit.core.endings import Ending
from reknit.core.pull_record import shown
from reknit.core.pull_request import failing
from reknit.core.pushing import Landed, NotLanded
from reknit.core.stall import signature
from reknit.core.turns import fix_turn, last_turn
from tests.tools.pull_moves import CALM
from tests.tools.pull_samples import COURSE, GREEN, LINT, NEW, RACE, RED, TEST

FIX = Fix(3, ("tests", "ci", "review"), (TEST, LINT, RACE), "local", "claude", "", only_critical=False)
LANDED = Landed("d" * 40, grown_source=12, grown_tests=3, answered=("review-1",))


def test_a_fix_that_landed_is_remembered_with_what_it_brought() -> None:
    assert fix_turn(COURSE, RED, CALM, FIX, LANDED, 0.5) == Turn(
        number=3,
        head="a" * 40,
        review="fail",
        tests="fail",
        ci="fail",
        shown=shown(RED),
        did="fix for tests, then ci, review",
        signature=signature(failing(RED)),
        seen=CALM,
        commit="d" * 40,
        fixes=3,
        grown_source=12,
        grown_tests=3,
        answered=("review-1",),
    )


def test_one_that_did_not_land_fixed_nothing_and_hands_its_words_on() -> None:
    turn = fix_turn(COURSE, RED, CALM, FIX, NotLanded("the gate refused it", "tests may not go"), 0.73)
    assert (turn.did, turn.feedback) == ("nothing landed: the gate refused it", "tests may not go")
    assert (turn.commit, turn.fixes, turn.grown_source, turn.answered) == ("", 0, 0, ())


@pytest.mark.parametrize(
    ("parts", "did"),
    [
        pytest.param(("ci",), "fix for ci", id="one thing"),
        pytest.param(("tests", "review"), "fix for tests, then review", id="two, by priority"),
    ],
)
def test_it_says_what_the_fix_was_for(parts: tuple[Part, ...], did: str) -> None:
    assert fix_turn(NEW, RED, CALM, replace(FIX, parts=parts), LANDED, 0.0).did == did


def test_a_turn_costs_what_no_turn_before_it_has_cost() -> None:
    assert fix_turn(COURSE, RED, CALM, FIX, LANDED, 0.5).cost_usd == 0.0
    assert fix_turn(NEW, RED, CALM, FIX, LANDED, 0.5).cost_usd == 0.5


def test_the_last_turn_is_the_ending() -> None:
    turn = last_turn(replace(COURSE, spent_usd=0.63), GREEN, CALM, Ending("CLEAN", "all pass"))
    assert (turn.number, turn.did, turn.commit, turn.fixes) == (3, "CLEAN", "", 0)
    assert turn.cost_usd == pytest.approx(0.1)
    assert (turn.signature, turn.review, turn.ci) == ("", "pass", "pass")
