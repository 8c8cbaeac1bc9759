"""The ending of a review: its word, its reason, what is fixed and what is left."""

from dataclasses import replace

import pytest

from reknit.core.checks.status import TestsResult
from reknit.core.review.decision import (
    StopReview,
    decide,
)
from reknit.core.review.progress import (
    ListedWork,
    ReviewProgress,
    SecondLook,
)
from reknit.core.review.task import ReviewChange
from tests.tools.review_samples import NEEDS_WORK, PASSED, SILENT, TARGET
from tests.tools.review_states import (
    FAILED_BOTH,
    FAILED_ONE,
    FIXED_BOTH,
    GONE,
    HEARD,
    LIMITS,
    LOOKS,
    NO_PYTEST,
    READY,
    REPORTS,
    START,
    WORK,
    after,
    tried,
)


@pytest.mark.parametrize(
    ("progress", "target", "word", "reason"),
    [
        pytest.param(
            replace(START, spent_usd=5.0), TARGET, "OVER_BUDGET", "$5.00 of $5.00 spent or reserved",
            id="no-money-to-ask",
        ),
        pytest.param(
            replace(START, worked_s=2700.0), TARGET, "EXHAUSTED", "2700 s of 2700 s worked", id="no-time-to-ask"
        ),
        pytest.param(
            HEARD, REPORTS, "DEFERRED", "3 findings reported; nothing was fixed, as asked", id="reported"
        ),
        pytest.param(
            replace(HEARD, spent_usd=9.0), REPORTS, "DEFERRED", "3 findings reported; nothing was fixed, as asked",
            id="a-report-needs-no-money-once-all-were-heard",
        ),
        pytest.param(
            replace(START, answers=(PASSED, PASSED)), REPORTS, "CLEAN", "2 reviewers passed the change", id="all-passed"
        ),
        pytest.param(
            START, replace(REPORTS, reviewers=()), "UNVERIFIED",
            "no reviewer applies to the change, so nobody has read it", id="no-reviewer-for-these-files",
        ),
        pytest.param(
            replace(START, work=ListedWork()), replace(TARGET, reviewers=()), "UNVERIFIED",
            "no reviewer applies to the change, so nobody has read it", id="nor-anything-to-fix",
        ),
        pytest.param(
            replace(START, answers=(replace(NEEDS_WORK, findings=0, dropped=2), PASSED)), REPORTS, "DEFERRED",
            "0 findings reported; 2 findings dropped, because no such line is in the tree; nothing was fixed, as asked",
            id="what-was-dropped-may-be-real",
        ),
        pytest.param(
            replace(START, answers=(NEEDS_WORK, SILENT)), REPORTS, "UNVERIFIED",
            "no review by tests (gemini: crashed); 3 findings reported", id="reported-by-some",
        ),
        pytest.param(
            replace(START, answers=(PASSED, PASSED), work=ListedWork()), TARGET, "CLEAN",
            "2 reviewers passed the change", id="nothing-to-fix",
        ),
        pytest.param(
            replace(HEARD, work=ListedWork()), TARGET, "DEFERRED",
            "the progress file lists nothing that is to be fixed", id="a-person-deleted-every-finding",
        ),
        pytest.param(
            replace(HEARD, work=ListedWork(not_fixed=1)), TARGET, "DEFERRED",
            "1 finding is not blocking (--strict fixes them too)", id="one-of-a-warning-reviewer",
        ),
        pytest.param(
            replace(HEARD, work=ListedWork((), 2, ("TST-001",), ("COR-009",))), TARGET, "DEFERRED",
            "2 findings are not blocking (--strict fixes them too); about configuration, which a fix may not "
            "change: TST-001; fixed, failed or claimed by an earlier run, so not tried "
            "(--again retries what failed): COR-009",
            id="none-that-may-be-fixed",
        ),
        pytest.param(
            replace(HEARD, work=ListedWork(untriable=("TST-001",))), TARGET, "DEFERRED",
            "about tests of a change that adds no code to try them with: TST-001", id="no-code-to-try-tests-with",
        ),
        pytest.param(
            replace(START, answers=(PASSED, SILENT), work=ListedWork(not_fixed=2)), TARGET, "UNVERIFIED",
            "no review by tests (gemini: crashed); 2 findings are not blocking (--strict fixes them too)",
            id="nothing-to-fix-by-those-who-were-heard",
        ),
        pytest.param(
            replace(READY, tests=TestsResult("error", why="no pytest", left_out=NO_PYTEST)), TARGET, "BLOCKED",
            "pytest is not installed; `pip install pytest`", id="the-tests-cannot-run-here",
        ),
        pytest.param(
            replace(READY, tests=TestsResult("error", why="no pytest")), TARGET, "UNVERIFIED",
            "the tests gave no result before any change: no pytest", id="the-tests-gave-no-result",
        ),
        pytest.param(
            after(tried(1, kept=True), tried(2, kept=True)), TARGET, "FIXED", "3 of 3 findings fixed", id="all-fixed"
        ),
        pytest.param(
            GONE, TARGET, "FIXED",
            "3 of 3 findings fixed; gone with another fix, as the reviewer confirms: COR-002, COR-003",
            id="some-were-gone-with-another-fix",
        ),
        pytest.param(
            replace(FIXED_BOTH, second_looks=(SecondLook("correctness"),)), LOOKS, "FIXED",
            "3 of 3 findings fixed; nothing new in a second look by correctness", id="a-second-look-passed",
        ),
        pytest.param(
            replace(FIXED_BOTH, second_looks=(SecondLook("correctness", ("COR-009",)),)), LOOKS, "PARTIAL",
            "3 of 3 findings fixed; a second look found more: correctness (COR-009)", id="a-second-look-found-more",
        ),
        pytest.param(
            replace(FIXED_BOTH, second_looks=(SecondLook("correctness", ("COR-001",)),)), LOOKS, "PARTIAL",
            "2 of 3 findings fixed; left: COR-001; a second look found more: correctness (COR-001)",
            id="a-second-look-found-it-still-there",
        ),
        pytest.param(
            replace(FIXED_BOTH, second_looks=(SecondLook("correctness", why="gemini: crashed"),)), LOOKS, "PARTIAL",
            "3 of 3 findings fixed; no complete second look by correctness (gemini: crashed)", id="no-second-look",
        ),
        pytest.param(
            replace(FIXED_BOTH, spent_usd=5.0), LOOKS, "PARTIAL",
            "3 of 3 findings fixed; the whole change was not read again: $5.00 of $5.00 spent or reserved",
            id="the-money-ran-out-before-the-second-look",
        ),
        pytest.param(
            after(*FAILED_ONE, tried(2, kept=True)), TARGET, "PARTIAL", "2 of 3 findings fixed; left: COR-001",
            id="some-fixed",
        ),
        pytest.param(
            after(tried(1, kept=True), tried(2, kept=True), heard=(NEEDS_WORK, SILENT)), TARGET, "PARTIAL",
            "3 of 3 findings fixed; no review by tests (gemini: crashed)", id="all-fixed-of-those-who-were-heard",
        ),
        pytest.param(after(*FAILED_BOTH), TARGET, "DEFERRED", "0 of 3 findings fixed", id="none-fixed"),
        pytest.param(
            after(*FAILED_BOTH, heard=(NEEDS_WORK, SILENT)), TARGET, "UNVERIFIED",
            "0 of 3 findings fixed; no review by tests (gemini: crashed)", id="none-fixed-and-one-not-heard",
        ),
        pytest.param(
            after(tried(1, kept=True), tried(2, unseen="no pytest")), TARGET, "PARTIAL",
            "1 of 3 findings fixed; left: COR-002, COR-003; no further attempt was made: no pytest",
            id="then-the-tests-went-away",
        ),
        pytest.param(
            after(tried(1, unseen="no pytest")), TARGET, "UNVERIFIED",
            "0 of 3 findings fixed; no further attempt was made: no pytest", id="the-first-fix-was-not-checked",
        ),
        pytest.param(
            replace(after(tried(1, kept=True)), spent_usd=5.0), TARGET, "PARTIAL",
            "1 of 3 findings fixed; left: COR-002, COR-003; $5.00 of $5.00 spent or reserved",
            id="the-money-ran-out-between",
        ),
        pytest.param(
            replace(READY, spent_usd=5.0), TARGET, "OVER_BUDGET",
            "0 of 3 findings fixed; $5.00 of $5.00 spent or reserved",
            id="no-money-to-fix",
        ),
    ],
)  # fmt: skip
def test_why_it_stops(progress: ReviewProgress, target: ReviewChange, word: str, reason: str) -> None:
    stop = decide(progress, target, LIMITS)
    assert isinstance(stop, StopReview)
    assert (stop.ending.word, stop.ending.reason) == (word, reason)


def test_the_ending_names_what_is_fixed_and_what_is_left() -> None:
    some = replace(after(tried(1, kept=True), tried(2), tried(2), tried(2)), work=replace(WORK, only_by_waiver=("X",)))
    stop = decide(some, TARGET, LIMITS)
    assert isinstance(stop, StopReview)
    assert (stop.ending.fixed, stop.ending.left) == (("COR-001",), ("COR-002", "COR-003", "X"))
    nothing = decide(replace(HEARD, work=ListedWork((), 0, ("X",), ("Y",))), TARGET, LIMITS)
    assert isinstance(nothing, StopReview)
    assert (nothing.ending.fixed, nothing.ending.left) == ((), ("X", "Y"))


def test_what_was_dropped_is_named_and_keeps_a_run_from_being_fixed() -> None:
    heard = (replace(NEEDS_WORK, dropped=2), PASSED)
    fixed = replace(after(tried(1, kept=True), tried(2, kept=True)), answers=heard)
    stop = decide(fixed, TARGET, LIMITS)
    assert isinstance(stop, StopReview)
    assert stop.ending.word == "PARTIAL"
    assert stop.ending.reason.endswith("2 findings dropped, because no such line is in the tree")
    none = decide(replace(HEARD, answers=heard, work=ListedWork()), TARGET, LIMITS)
    assert isinstance(none, StopReview)
    assert none.ending.word == "DEFERRED"
