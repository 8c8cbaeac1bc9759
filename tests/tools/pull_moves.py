"""The moves of a pull-request run, asked for with as few words as a table has room for."""

from dataclasses import replace

from reknit.core.checks.status import CiSeen, CiSeenWord, ReviewSeen, Seen, TestsSeen
from reknit.core.fix_pr.checks_snapshot import Picture
from reknit.core.fix_pr.convergence import Round
from reknit.core.fix_pr.decision import failing, next_move
from reknit.core.fix_pr.stall import signature
from reknit.core.fix_pr.state import Course, Move, Stop
from reknit.core.forge.pull_snapshot import Sight
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import Limits, PullLimits
from tests.tools.pull_samples import FAILED, NEW, PASSED, PENDING, RACE, RED, TEST, turn

LIMITS, PULL = Limits(budget_usd=1.0, timeout_s=100.0, waits=2), PullLimits()
SIGHT = Sight("a" * 40, "b" * 40, 1)
CALM = Round(1, 0, landed=False, grown_source=0, grown_tests=0)


def seen(review: Seen = "pass", tests: Seen = "pass", ci: CiSeenWord = "pass", *, age_s: float = 0.0) -> Picture:
    of_ci = {"pass": PASSED, "fail": FAILED, "pending": PENDING, "error": CiSeen("error", why="no check appeared")}[ci]
    return Picture(
        "a" * 40,
        ReviewSeen(review, (RACE,) if review == "fail" else (), "the critic crashed" if review == "error" else ""),
        TestsSeen(tests, (TEST,) if tests != "pass" else (), why="no report" if tests == "error" else ""),
        replace(of_ci, age_s=age_s),
    )


TESTS_RED, UNDONE = seen(tests="fail"), seen(ci="pending")
SAME, OTHER = signature(failing(TESTS_RED)), "another"


def after(*signatures: str, commit: str = "c" * 40, feedback: str = "") -> Course:
    """A course whose looks saw these failures, one after the other."""
    turns = [
        replace(turn(number, RED, "fix", commit), signature=each, feedback=feedback, seen=CALM)
        for number, each in enumerate(signatures, 1)
    ]
    return replace(NEW, turns=tuple(turns))


def move(
    course: Course = NEW,
    picture: Picture = TESTS_RED,
    *,
    sight: Sight = SIGHT,
    now: Round = CALM,
    pull: PullLimits = PULL,
) -> Move:
    return next_move(course, sight, picture, now, LIMITS, pull)


def ending(course: Course, picture: Picture = TESTS_RED, *, sight: Sight = SIGHT, now: Round = CALM) -> Ending:
    stop = move(course, picture, sight=sight, now=now)
    assert isinstance(stop, Stop)
    return stop.ending
