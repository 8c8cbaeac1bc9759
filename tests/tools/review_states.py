"""States of a review run, as `decide` gets them."""

from dataclasses import replace

from reknit.core.agents.call import Unusable
from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding
from reknit.core.review.progress import (
    FixAttempt,
    ListedWork,
    Recheck,
    ReviewerAnswer,
    ReviewProgress,
)
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.limits import Limits
from tests.tools.review_samples import NEEDS_WORK, ONE, PASSED, TARGET, TWO

LIMITS = Limits()
START = ReviewProgress(AgentRotation(("claude",)), "base")
HEARD = replace(START, answers=(NEEDS_WORK, PASSED))
WORK = ListedWork((ONE, TWO))
GREEN = TestsResult("pass", passed=3)
READY = replace(HEARD, work=WORK, tests=GREEN)
RESUMED = replace(TARGET, resumes="r-0")
AT_ONCE = replace(TARGET, reviewers=TARGET.reviewers * 2, at_once=2)
LOOKS = replace(TARGET, second_look=True)
REPORTS = replace(TARGET, report_only=True)
LOGIN = Unusable("login", "no key")
RED = Finding("T-1", "tests", "test-failed", "t")
NO_PYTEST = (((), "pytest is not installed", "`pip install pytest`"),)


def tried(batch: int, *, kept: bool = False, unseen: str = "") -> FixAttempt:
    return FixAttempt(1, batch, kept, "" if kept else "the tests did not hold\nmore", unseen=unseen)


def after(*tries: FixAttempt, heard: tuple[ReviewerAnswer, ...] = HEARD.answers) -> ReviewProgress:
    return replace(READY, attempts=tries, answers=heard)


FIXED_ONE = after(tried(1, kept=True))
FIXED_BOTH = after(tried(1, kept=True), tried(2, kept=True))
GONE = replace(FIXED_ONE, rechecks=(Recheck(2, is_gone=True),))
FAILED_ONE = (tried(1), tried(1), tried(1))
FAILED_BOTH = (*FAILED_ONE, tried(2), tried(2), tried(2))
