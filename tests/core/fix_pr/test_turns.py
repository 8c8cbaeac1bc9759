"""Turns: what an iteration is remembered by."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import Aborted, Done, Outcome
from reknit.core.fix_pr.checks import Part, summarize_checks
from reknit.core.fix_pr.convergence import hash_failures
from reknit.core.fix_pr.decision import list_failures
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix, Turn
from reknit.core.fix_pr.turns import build_fix_turn, build_last_turn, explain_refusal
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.runs.ending import Ending
from tests.tools.pull_moves import CALM
from tests.tools.pull_samples import COURSE, GREEN, LINT, NEW, RACE, RED, TEST

FIX = Fix(3, ("tests", "ci", "review"), (TEST, LINT, RACE), "local", "claude", "", only_critical=False)
LANDED = Pushed("d" * 40, grown_source=12, grown_tests=3, answered=("review-1",))


def test_a_fix_that_landed_is_remembered_with_what_it_brought() -> None:
    assert build_fix_turn(COURSE, RED, CALM, FIX, LANDED, 0.5) == Turn(
        number=3,
        head="a" * 40,
        review="fail",
        tests="fail",
        ci="fail",
        summaries=summarize_checks(RED),
        did="fix tests, then CI, then review",
        signature=hash_failures(list_failures(RED)),
        counts=CALM,
        commit="d" * 40,
        fixes=1,
        grown_source=12,
        grown_tests=3,
        answered=("review-1",),
    )


def test_one_that_did_not_land_fixed_nothing_and_hands_its_words_on() -> None:
    turn = build_fix_turn(COURSE, RED, CALM, FIX, NotPushed("the gate refused it", "tests may not go"), 0.73)
    assert (turn.did, turn.feedback) == ("nothing landed: the gate refused it", "tests may not go")
    assert (turn.commit, turn.fixes, turn.grown_source, turn.answered) == ("", 0, 0, ())


@pytest.mark.parametrize(
    ("parts", "did"),
    [
        pytest.param(("ci",), "fix CI", id="one thing"),
        pytest.param(("tests", "review"), "fix tests, then review", id="two, by priority"),
    ],
)
def test_it_says_what_the_fix_was_for(parts: tuple[Part, ...], did: str) -> None:
    assert build_fix_turn(NEW, RED, CALM, replace(FIX, parts=parts), LANDED, 0.0).did == did


def test_a_turn_costs_what_no_turn_before_it_has_cost() -> None:
    assert build_fix_turn(COURSE, RED, CALM, FIX, LANDED, 0.5).cost_usd == 0.0
    assert build_fix_turn(NEW, RED, CALM, FIX, LANDED, 0.5).cost_usd == 0.5


def test_the_last_turn_is_the_ending() -> None:
    turn = build_last_turn(replace(COURSE, spent_usd=0.63), GREEN, CALM, Ending("CLEAN", "all pass"))
    assert (turn.number, turn.did, turn.commit, turn.fixes) == (3, "PR CLEAN", "", 0)
    assert turn.cost_usd == pytest.approx(0.1)
    assert (turn.signature, turn.review, turn.ci) == ("", "pass", "pass")


def test_any_other_last_turn_bears_the_word_of_the_ending() -> None:
    assert build_last_turn(COURSE, RED, CALM, Ending("STALLED", "again")).did == "STALLED"


def test_only_what_the_fix_was_first_for_is_counted() -> None:
    many = replace(FIX, parts=("ci", "review"), findings=(LINT, RACE, RACE))
    assert build_fix_turn(NEW, RED, CALM, many, LANDED, 0.0).fixes == 1
    nameless = replace(FIX, parts=("tests",), findings=())
    assert build_fix_turn(NEW, RED, CALM, nameless, LANDED, 0.0).fixes == 1


@pytest.mark.parametrize(
    ("rules", "outcome", "why"),
    [
        pytest.param(("test-removed",), Done(), "the gate refused it", id="a change that cheats"),
        pytest.param(("nothing-changed", "unsafe"), Done(), "the gate refused it", id="something that cannot be read"),
        pytest.param(("nothing-changed",), Done(), "the agent changed nothing", id="no change"),
        pytest.param(
            ("nothing-changed",),
            Aborted("crashed", "exit\n1"),
            "the agent crashed (exit 1)",
            id="an agent that crashed",
        ),
        pytest.param(("nothing-changed",), Aborted("timeout"), "the agent timed out", id="one that was too slow"),
        pytest.param(("nothing-changed",), Aborted("turn_limit"), "the agent ended as turn_limit", id="any other end"),
        pytest.param(("test-removed",), Aborted("crashed"), "the gate refused it", id="what a crashed one left"),
    ],
)
def test_an_agent_that_left_nothing_is_not_called_refused(rules: tuple[str, ...], outcome: Outcome, why: str) -> None:
    verdict = GateVerdict(tuple(Refusal(rule, "", "") for rule in rules), rules, 0, 0, 0)
    assert explain_refusal(verdict, outcome) == why
