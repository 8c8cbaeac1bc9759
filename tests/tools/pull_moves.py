"""The moves of a pull-request run, asked for with as few words as a table has room for."""

from dataclasses import replace

from reknit.core.checks.status import CiResult, FinishedStatus, ReviewResult, TestsResult
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.convergence import FindingCounts, hash_failures
from reknit.core.fix_pr.decision import decide_next_move, list_failures
from reknit.core.fix_pr.state import Move, PullRunState, StopPullRun
from reknit.core.forge.permission import PullSnapshot
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import Limits, PullLimits
from reknit.core.testing.report import CheckStatus
from tests.tools.pull_samples import FAILED, NEW, PASSED, PENDING, RACE, RED, TEST, turn

LIMITS, PULL = Limits(budget_usd=1.0, timeout_s=100.0, waits=2), PullLimits()
SIGHT = PullSnapshot("a" * 40, "b" * 40, 1)
CALM = FindingCounts(1, 0, landed=False, grown_source=0, grown_tests=0)


def seen(
    review: FinishedStatus = "pass", tests: FinishedStatus = "pass", ci: CheckStatus = "pass", *, age_s: float = 0.0
) -> ChecksSnapshot:
    of_ci = {"pass": PASSED, "fail": FAILED, "pending": PENDING, "error": CiResult("error", why="no check appeared")}[
        ci
    ]
    return ChecksSnapshot(
        "a" * 40,
        ReviewResult(review, (RACE,) if review == "fail" else (), "the critic crashed" if review == "error" else ""),
        TestsResult(tests, (TEST,) if tests != "pass" else (), why="no report" if tests == "error" else ""),
        replace(of_ci, age_s=age_s),
    )


TESTS_RED, UNDONE = seen(tests="fail"), seen(ci="pending")
SAME, OTHER = hash_failures(list_failures(TESTS_RED)), "another"


def after(*signatures: str, commit: str = "c" * 40, feedback: str = "") -> PullRunState:
    """A course whose looks saw these failures, one after the other."""
    turns = [
        replace(turn(number, RED, "fix", commit), signature=each, feedback=feedback, counts=CALM)
        for number, each in enumerate(signatures, 1)
    ]
    return replace(NEW, turns=tuple(turns))


def move(
    state: PullRunState = NEW,
    checks: ChecksSnapshot = TESTS_RED,
    *,
    snapshot: PullSnapshot = SIGHT,
    now: FindingCounts = CALM,
    pull: PullLimits = PULL,
) -> Move:
    return decide_next_move(state, snapshot, checks, now, LIMITS, pull)


def ending(
    state: PullRunState,
    checks: ChecksSnapshot = TESTS_RED,
    *,
    snapshot: PullSnapshot = SIGHT,
    now: FindingCounts = CALM,
) -> Ending:
    stop = move(state, checks, snapshot=snapshot, now=now)
    assert isinstance(stop, StopPullRun)
    return stop.ending
