"""Whatever a pull-request run sees, it comes to an end, and is CLEAN only when all three checks were seen to pass."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle

from hypothesis import example, given
from hypothesis import strategies as st

from reknit.core.agents.call import Done, Outcome, RateLimited, Unusable
from reknit.core.checks.status import CiResult, FinishedStatus, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.decision import count_round, decide_next_move
from reknit.core.fix_pr.matrix import ANY_CI, ANY_FINISHED
from reknit.core.fix_pr.push import NotPushed, Pushed, find_failure_ending
from reknit.core.fix_pr.state import Fix, Move, PullRunState, Rerun, StopPullRun, Wait
from reknit.core.fix_pr.turns import build_fix_turn
from reknit.core.forge.permission import PullSnapshot
from reknit.core.forge.values import CiCheck, ForgeFailure
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import Limits, PullLimits
from reknit.core.testing.report import CheckStatus

LIMITS, PULL = Limits(waits=2), PullLimits(iterations=4, ci_patience_s=200.0)
MAX_MOVES = 1_500
"""A look at pending CI takes a second at least: the patience bounds them for each head, the iterations the heads."""
LOST = (CiCheck("e2e", "fail", "timed_out", is_job=True),)
GOING = (CiCheck("lint", "pending", "queued"),)


@dataclass(frozen=True)
class Moment:
    """What the world answers at one look."""

    review: FinishedStatus
    tests: FinishedStatus
    ci: CheckStatus
    failures: int
    """Which ones these are; another number, other failures."""
    has_checks: bool
    is_infra: bool
    answers: bool
    """Whether a check can be run again, and whether a wait brings something new."""
    outcome: Outcome
    lands: bool


MOMENTS = st.builds(
    Moment,
    st.sampled_from(ANY_FINISHED),
    st.sampled_from(ANY_FINISHED),
    st.sampled_from(ANY_CI),
    st.integers(0, 3),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([Done(), RateLimited("overloaded"), Unusable("auth"), Unusable("login")]),
    st.booleans(),
)
STUCK = Moment("pass", "pass", "pending", 0, has_checks=True, is_infra=True, answers=False, outcome=Done(), lands=False)
"""CI broke down, and nobody lets us run it again."""


class World:
    def __init__(self) -> None:
        self.now, self.since, self.heads, self.reruns, self.moves = 0.0, 0.0, 0, 0, 0

    def checks(self, moment: Moment) -> ChecksSnapshot:
        def found(letter: str, *, there: bool) -> tuple[Finding, ...]:
            return (Finding(f"{letter}-1", "tests", "red", f"{letter}{moment.failures}"),) if there else ()

        infra = LOST if moment.ci == "pending" and moment.is_infra and self.reruns < PULL.reruns else ()
        return ChecksSnapshot(
            str(self.heads),
            ReviewResult(moment.review, found("R", there=moment.review == "fail")),
            TestsResult(moment.tests, found("T", there=moment.tests != "pass")),
            CiResult(
                moment.ci,
                infra or (GOING if moment.has_checks else ()),
                found("C", there=moment.ci == "fail"),
                infra,
                age_s=self.now - self.since,
            ),
        )

    def pushed(self) -> Pushed:
        self.since, self.heads, self.reruns = self.now, self.heads + 1, 0
        return Pushed(f"{self.heads:040}")


def play(moments: Sequence[Moment]) -> tuple[Ending, ChecksSnapshot, int]:
    """As the flow does, in a world that answers the same over and over."""
    world, state = World(), PullRunState(AgentRotation(("claude", "gemini")))
    for moment in cycle(moments):
        state, checks = state.with_head(str(world.heads)).with_progress(1.0), world.checks(moment)
        move = _next(world, state, checks)
        while isinstance(move, Wait):
            seconds = move.seconds * max(1, move.looks)
            world.now, state = world.now + seconds, state.with_pull_wait(move, seconds)
            if moment.answers or not move.looks:
                break
            move = _next(world, state, checks)
        after = _after(world, state, checks, moment, move)
        if isinstance(after, Ending):
            return after, checks, world.moves
        state = after
    raise AssertionError("a cycle of nothing")


def _next(world: World, state: PullRunState, checks: ChecksSnapshot) -> Move:
    world.moves += 1
    assert world.moves <= MAX_MOVES, "it does not stop"
    seen = count_round(state, checks, own=0)
    return decide_next_move(state, PullSnapshot(checks.head, "", 1), checks, seen, LIMITS, PULL)


def _after(
    world: World, state: PullRunState, checks: ChecksSnapshot, moment: Moment, move: Move
) -> PullRunState | Ending:
    if isinstance(move, StopPullRun):
        return move.ending
    if isinstance(move, Rerun):
        world.now, world.reruns = world.now + 1.0, world.reruns + moment.answers
        ending = None if moment.answers else find_failure_ending(ForgeFailure("unreachable"), state.forge_waits, LIMITS)
        return ending or (state if moment.answers else state.with_forge_wait())
    if isinstance(move, Fix):
        return _fixed(world, state, checks, moment, move)
    return state


def _fixed(
    world: World, state: PullRunState, checks: ChecksSnapshot, moment: Moment, move: Fix
) -> PullRunState | Ending:
    if isinstance(moment.outcome, RateLimited):
        state = state.with_wait(moment.outcome, 1.0, 0.0)
        return state.rotation.find_ending(LIMITS) or state.after_wait(move.agent, moment.outcome, 30.0 * moment.answers)
    if isinstance(moment.outcome, Unusable):
        return state.with_block(move.agent, moment.outcome, 0.0)
    end = world.pushed() if moment.lands else NotPushed("no")
    turn = build_fix_turn(state, checks, count_round(state, checks, own=0), move, end, 0.0)
    return state.with_turn(turn, 0.0, 1.0, moment.outcome)


@given(st.lists(MOMENTS, min_size=1, max_size=6))
@example([STUCK])
@example([STUCK, replace(STUCK, ci="error")])
@example([replace(STUCK, is_infra=False, has_checks=False, answers=True), replace(STUCK, review="error", ci="error")])
def test_it_always_stops_and_is_clean_only_when_all_three_pass(moments: list[Moment]) -> None:
    ending, last, _ = play(moments)
    all_pass = (last.review.status, last.tests.status, last.ci.status) == ("pass", "pass", "pass")
    assert (ending.word == "CLEAN") == all_pass


def test_a_world_in_which_all_is_well_needs_one_look() -> None:
    ending, _, moves = play([replace(STUCK, ci="pass")])
    assert (ending.word, moves) == ("CLEAN", 1)
