"""The next move of a review, one row each; the first that matches wins."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import Unusable
from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding
from reknit.core.review.decision import (
    MAX_SECOND_OPINIONS,
    AskReviewer,
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
    SecondLook,
)
from reknit.core.review.task import ReviewChange
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.limits import Limits
from tests.tools.review_samples import GEMINI, NEEDS_WORK, ONE, PASSED, SILENT, TARGET, TWO

LIMITS = Limits()
START = ReviewProgress(AgentRotation(("claude",)), "base")
HEARD = replace(START, answers=(NEEDS_WORK, PASSED))
WORK = ListedWork((ONE, TWO))
GREEN = TestsResult("pass", passed=3)
READY = replace(HEARD, work=WORK, tests=GREEN)
RESUMED = replace(TARGET, resumes="r-0")
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


@pytest.mark.parametrize(
    ("progress", "target", "move"),
    [
        pytest.param(START, TARGET, AskReviewer(0), id="the-first-reviewer-is-asked"),
        pytest.param(replace(START, answers=(SILENT,)), TARGET, AskReviewer(1), id="one-that-is-silent-stops-no-other"),
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
        pytest.param(FIXED_BOTH, LOOKS, LookAgain(0), id="a-blocking-reviewer-reads-the-whole-again"),
        pytest.param(
            replace(after(*FAILED_ONE, tried(2, kept=True))), LOOKS, LookAgain(0), id="also-if-only-some-are-fixed"
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


@pytest.mark.parametrize(
    ("progress", "target", "word", "reason"),
    [
        pytest.param(
            replace(START, spent_usd=5.0), TARGET, "OVER_BUDGET", "$5.00 of $5.00 spent", id="no-money-to-ask"
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
            "3 of 3 findings fixed; the whole change was not read again: $5.00 of $5.00 spent",
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
            "1 of 3 findings fixed; left: COR-002, COR-003; $5.00 of $5.00 spent", id="the-money-ran-out-between",
        ),
        pytest.param(
            replace(READY, spent_usd=5.0), TARGET, "OVER_BUDGET", "0 of 3 findings fixed; $5.00 of $5.00 spent",
            id="no-money-to-fix",
        ),
    ],
)  # fmt: skip
def test_why_it_stops(progress: ReviewProgress, target: ReviewChange, word: str, reason: str) -> None:
    stop = decide(progress, target, LIMITS)
    assert isinstance(stop, StopReview)
    assert (stop.ending.word, stop.ending.reason) == (word, reason)


def test_a_fixer_without_a_key_blocks_the_run() -> None:
    stop = decide(replace(READY, rotation=READY.rotation.after_refusal("claude", LOGIN)), TARGET, LIMITS)
    assert isinstance(stop, StopReview)
    assert (stop.ending.word, stop.ending.cause) == ("BLOCKED", "login")
    assert stop.ending.left == ("COR-001", "COR-002", "COR-003")


def test_the_ending_names_what_is_fixed_and_what_is_left() -> None:
    some = replace(after(tried(1, kept=True), tried(2), tried(2), tried(2)), work=replace(WORK, only_by_waiver=("X",)))
    stop = decide(some, TARGET, LIMITS)
    assert isinstance(stop, StopReview)
    assert (stop.ending.fixed, stop.ending.left) == (("COR-001",), ("COR-002", "COR-003", "X"))
    nothing = decide(replace(HEARD, work=ListedWork((), 0, ("X",), ("Y",))), TARGET, LIMITS)
    assert isinstance(nothing, StopReview)
    assert (nothing.ending.fixed, nothing.ending.left) == ((), ("X", "Y"))


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
    assert first.why == f"the run ended: $99.00 of ${LIMITS.budget_usd:.2f} spent"


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
