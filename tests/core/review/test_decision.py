"""The next move of a review, one row each; the first that matches wins."""

from dataclasses import replace

import pytest

from reknit.core.checks.status import TestsResult
from reknit.core.review.decision import (
    MAX_SECOND_OPINIONS,
    AskReviewers,
    FixFindings,
    LookAgain,
    Move,
    ReadFile,
    RecheckFindings,
    RunTests,
    StopReview,
    count_second_opinions,
    decide,
    is_given_up,
    is_over,
    list_unfixed,
)
from reknit.core.review.progress import (
    FixAttempt,
    LeftOutFinding,
    ListedWork,
    Recheck,
    ReviewerAnswer,
    ReviewProgress,
)
from reknit.core.review.task import ReviewChange
from tests.tools.review_samples import GEMINI, NEEDS_WORK, ONE, PASSED, SILENT, TARGET, TWO
from tests.tools.review_states import (
    AT_ONCE,
    FAILED_ONE,
    FIXED_BOTH,
    FIXED_ONE,
    HEARD,
    LIMITS,
    LOGIN,
    LOOKS,
    NO_PYTEST,
    READY,
    RED,
    RESUMED,
    START,
    WORK,
    after,
    tried,
)


@pytest.mark.parametrize(
    ("progress", "target", "move"),
    [
        pytest.param(START, TARGET, AskReviewers((0,)), id="the-first-reviewer-is-asked"),
        pytest.param(replace(START, answers=(SILENT,)), TARGET, AskReviewers((1,)), id="a-silent-one-stops-no-other"),
        pytest.param(START, AT_ONCE, AskReviewers((0, 1)), id="reviewers-read-at-the-same-time"),
        pytest.param(
            replace(START, answers=(SILENT,)), AT_ONCE, AskReviewers((1, 2)), id="those-that-are-left-read-next"
        ),
        pytest.param(HEARD, TARGET, ReadFile(), id="when-all-were-heard-the-file-is-read"),
        pytest.param(START, RESUMED, ReadFile(), id="who-resumes-asks-nobody"),
        pytest.param(replace(HEARD, work=WORK), TARGET, RunTests(), id="tests-run-before-the-first-fix"),
        pytest.param(READY, TARGET, FixFindings(1, "claude", ONE, 0, "local", ""), id="the-first-batch"),
        pytest.param(
            after(tried(1)), TARGET, FixFindings(2, "claude", ONE, 1, "search", "the tests did not hold\nmore"),
            id="the-second-attempt-is-told-why-and-searches",
        ),
        pytest.param(
            after(tried(1), tried(1)), TARGET,
            FixFindings(3, "claude", ONE, 2, "deep", "the tests did not hold\nmore"), id="the-third-looks-deeper",
        ),
        pytest.param(
            after(*FAILED_ONE), TARGET, FixFindings(4, "claude", TWO, 0, "local", ""),
            id="after-three-the-next-finding-is-taken",
        ),
        pytest.param(
            replace(FIXED_ONE, rechecks=(Recheck(2, is_gone=False),)), TARGET,
            FixFindings(2, "claude", TWO, 0, "local", ""), id="a-fix-is-over",
        ),
        pytest.param(FIXED_ONE, TARGET, RecheckFindings(TWO), id="after-a-fix-the-next-finding-is-looked-at-again"),
        pytest.param(
            after(tried(1, kept=True), tried(2)), TARGET,
            FixFindings(3, "claude", TWO, 1, "search", "the tests did not hold\nmore"),
            id="a-finding-that-was-tried-is-not-looked-at-again",
        ),
        pytest.param(FIXED_BOTH, LOOKS, LookAgain((0,)), id="a-blocking-reviewer-reads-the-whole-again"),
        pytest.param(
            replace(after(*FAILED_ONE, tried(2, kept=True))), LOOKS, LookAgain((0,)), id="also-if-only-some-are-fixed"
        ),
        pytest.param(
            replace(READY, tests=TestsResult("fail", (RED,), left_out=NO_PYTEST)),
            TARGET, FixFindings(1, "claude", ONE, 0, "local", ""), id="tests-that-are-red-already-stop-nothing",
        ),
        pytest.param(
            replace(READY, tests=TestsResult("error", passed=2, why="x", left_out=NO_PYTEST), attempts=(tried(1),)),
            TARGET, FixFindings(2, "claude", ONE, 1, "search", "the tests did not hold\nmore"),
            id="what-the-tests-said-first-counts-only-before-the-first-fix",
        ),
    ],
)  # fmt: skip
def test_the_next_move(progress: ReviewProgress, target: ReviewChange, move: Move) -> None:
    assert decide(progress, target, LIMITS) == move


def test_a_fixer_without_a_key_blocks_the_run() -> None:
    stop = decide(replace(READY, rotation=READY.rotation.after_refusal("claude", LOGIN)), TARGET, LIMITS)
    assert isinstance(stop, StopReview)
    assert (stop.ending.word, stop.ending.cause) == ("BLOCKED", "login")
    assert stop.ending.left == ("COR-001", "COR-002", "COR-003")


@pytest.mark.parametrize(
    ("tries", "over", "given_up"),
    [
        pytest.param((), False, False, id="not tried"),
        pytest.param((tried(1), tried(1), tried(2)), False, False, id="twice"),
        pytest.param(FAILED_ONE, True, True, id="three times"),
        pytest.param((tried(1), tried(1), tried(1, kept=True)), True, False, id="the third was kept"),
    ],
)
def test_a_finding_is_over_when_fixed_or_tried_three_times(
    tries: tuple[FixAttempt, ...], *, over: bool, given_up: bool
) -> None:
    progress = after(*tries)
    assert (is_over(progress, ONE, LIMITS), is_given_up(progress, ONE, LIMITS)) == (over, given_up)


def test_nothing_is_fixed_while_a_part_of_the_file_is_not_understood() -> None:
    work = ListedWork((ONE,), problems=("line 3: no id", "COR-9 names x.py, which is no file here"))
    stop = decide(replace(HEARD, work=work), TARGET, LIMITS)
    assert isinstance(stop, StopReview)
    reason = "correct PROGRESS.txt first: line 3: no id; COR-9 names x.py, which is no file here"
    assert (stop.ending.word, stop.ending.reason) == ("DEFERRED", reason)


ENDED = "the run ended: no budget"


@pytest.mark.parametrize(
    ("progress", "unfixed"),
    [
        pytest.param(HEARD, [], id="the file was not read"),
        pytest.param(replace(READY, work=replace(WORK, problems=("line 3: no id",))), [], id="nor understood"),
        pytest.param(READY, [("COR-001", 0), ("COR-002", 0), ("COR-003", 0)], id="none was tried"),
        pytest.param(after(tried(1, kept=True), tried(2)), [("COR-002", 1), ("COR-003", 1)], id="one was fixed"),
        pytest.param(after(*FAILED_ONE, tried(2, kept=True)), [], id="one has its own entry"),
        pytest.param(
            after(tried(1), tried(1), tried(1, unseen="no report"), tried(2, kept=True)), [("COR-001", 3)],
            id="the last attempt could not be checked",
        ),
    ],
)  # fmt: skip
def test_what_is_left_unfixed_is_listed_with_the_reason(
    progress: ReviewProgress, unfixed: list[tuple[str, int]]
) -> None:
    left = list_unfixed(progress, LIMITS, "no budget")
    assert [(finding.id, finding.attempts) for finding in left] == unfixed
    assert {finding.why for finding in left} <= {ENDED, "the run ended: no further attempt was made: no report"}


def test_a_limit_that_was_hit_is_the_reason() -> None:
    [first, *_] = list_unfixed(replace(READY, spent_usd=99.0), LIMITS, "0 of 3 findings fixed; and more")
    assert first.why == f"the run ended: $99.00 of ${LIMITS.budget_usd:.2f} spent or reserved"


def test_what_was_not_to_be_fixed_is_listed_with_its_own_reason() -> None:
    left_out = LeftOutFinding("tests", "TST-001", "weak", "it is about tests")
    progress = replace(after(tried(1, kept=True), tried(2, kept=True)), work=replace(WORK, left_out=(left_out,)))
    assert list_unfixed(progress, LIMITS, "no budget") == (left_out,)


@pytest.mark.parametrize(
    ("heard", "has_second", "count"),
    [
        pytest.param(NEEDS_WORK, True, 3, id="each-finding"),
        pytest.param(replace(NEEDS_WORK, findings=99), True, MAX_SECOND_OPINIONS, id="at-most"),
        pytest.param(NEEDS_WORK, False, 0, id="nobody-to-ask"),
        pytest.param(replace(NEEDS_WORK, level="warning"), True, 0, id="not-blocking"),
        pytest.param(PASSED, True, 0, id="passed"),
    ],
)
def test_how_many_findings_another_vendor_looks_at(heard: ReviewerAnswer, has_second: bool, count: int) -> None:
    assert count_second_opinions(replace(TARGET, second=GEMINI if has_second else None), heard) == count
