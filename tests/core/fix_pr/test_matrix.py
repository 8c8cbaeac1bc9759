"""The decision matrix: total over its 36 cases, and the same as the one it was designed from."""

from itertools import product

import pytest

from reknit.core.checks.status import CiResult, FinishedStatus, ReviewResult, TestsResult
from reknit.core.fix_pr.checks import ChecksSnapshot, Part
from reknit.core.fix_pr.matrix import ANY_CI, ANY_FINISHED, ROWS, Word, decide, list_missing_results
from reknit.core.testing.report import CheckStatus

Case = tuple[FinishedStatus, FinishedStatus, CheckStatus]
ALL: tuple[Case, ...] = tuple(product(ANY_FINISHED, ANY_FINISHED, ANY_CI))

DESIGN = """
| review | tests | ci | Action |
|--------|-------|----|--------|
| pass | pass | pass | `<promise>PR CLEAN</promise>` -- STOP |
| pass | pass | pending | sleep 30, exit (re-check next iteration) |
| pass | pass | fail | fix subagent with CI failure details |
| fail | pass | * | fix subagent with review issues |
| * | fail | * | fix subagent with test failures (priority) |
| error | error | error | exit (retry next iteration, max 2 retries) |
"""
"""Word for word as the loop was first designed; `*` stands for every answer that check can give."""

MEANT: dict[str, tuple[Word, Part | None]] = {
    "`<promise>PR CLEAN</promise>` -- STOP": ("clean", None),
    "sleep 30, exit (re-check next iteration)": ("wait", None),
    "fix subagent with CI failure details": ("fix", "ci"),
    "fix subagent with review issues": ("fix", "review"),
    "fix subagent with test failures (priority)": ("fix", "tests"),
    "exit (retry next iteration, max 2 retries)": ("retry", None),
}


def designed() -> list[tuple[Case, str]]:
    """Each case that a row of the design speaks of, with what that row says."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in DESIGN.strip().splitlines()[2:]]
    return [
        (case, action)
        for review, tests, ci, action in rows
        for case in ALL
        if all(wanted in ("*", got) for wanted, got in zip((review, tests, ci), case, strict=True))
    ]


def test_there_are_36_cases_and_each_has_one_answer_always_the_same() -> None:
    assert len(set(ALL)) == 36
    assert [decide(*case) for case in ALL] == [decide(*case) for case in ALL]


def test_the_design_speaks_of_20_of_them_and_never_twice_of_one() -> None:
    cases = [case for case, _ in designed()]
    assert len(cases) == len(set(cases)) == 3 + 4 + 12 + 1


@pytest.mark.parametrize(
    ("case", "action"), designed(), ids=[f"{' '.join(case)}: {action}" for case, action in designed()]
)
def test_it_says_what_the_design_says(case: Case, action: str) -> None:
    word, part = MEANT[action]
    decision = decide(*case)
    assert decision.word == word
    assert part is None or part in decision.parts
    assert part != "tests" or decision.parts[0] == "tests"


@pytest.mark.parametrize("case", ALL, ids=" ".join)
def test_tests_go_before_ci_and_ci_before_the_review(case: Case) -> None:
    order: tuple[Part, ...] = ("tests", "ci", "review")
    parts = decide(*case).parts
    assert list(parts) == [part for part in order if part in parts]


@pytest.mark.parametrize("case", ALL, ids=" ".join)
def test_only_a_fix_is_about_something_and_it_always_is(case: Case) -> None:
    decision = decide(*case)
    assert bool(decision.parts) == (decision.word == "fix")
    assert decision.reason


@pytest.mark.parametrize("case", ALL, ids=" ".join)
def test_clean_is_what_was_seen_to_pass_three_times(case: Case) -> None:
    assert (decide(*case).word == "clean") == (case == ("pass", "pass", "pass"))


@pytest.mark.parametrize(("tests", "ci"), list(product(ANY_FINISHED, ANY_CI)))
def test_a_review_in_error_is_left_out_and_tests_and_ci_are_fixed(tests: FinishedStatus, ci: CheckStatus) -> None:
    with_it, without = decide("error", tests, ci), decide("pass", tests, ci)
    assert "review" not in with_it.parts
    if without.word == "fix" and (tests, ci) != ("error", "error"):
        assert with_it == without


@pytest.mark.parametrize(
    ("review", "ci"), [case for case in product(ANY_FINISHED, ANY_CI) if case != ("error", "error")]
)
def test_tests_in_error_are_treated_as_red(review: FinishedStatus, ci: CheckStatus) -> None:
    assert decide(review, "error", ci) == decide(review, "fail", ci)


@pytest.mark.parametrize(
    ("review", "tests"), [case for case in product(ANY_FINISHED, ANY_FINISHED) if case != ("error", "error")]
)
def test_ci_in_error_is_left_out_and_the_rest_is_fixed(review: FinishedStatus, tests: FinishedStatus) -> None:
    with_it, without = decide(review, tests, "error"), decide(review, tests, "pass")
    assert with_it.parts == without.parts
    assert with_it.word == ("retry" if without.word == "clean" else without.word)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(("error", "error", "error"), id="nothing was seen"),
        pytest.param(("pass", "pass", "error"), id="CI was not seen, and there is nothing to fix"),
        pytest.param(("error", "pass", "pass"), id="the review was not seen, and there is nothing to fix"),
        pytest.param(("error", "pass", "error"), id="only the tests were seen, and they pass"),
    ],
)
def test_what_could_not_be_seen_is_looked_at_again_and_is_never_green(case: Case) -> None:
    assert decide(*case).word == "retry"


def test_pending_ci_holds_up_no_fix() -> None:
    pending = {case: decide(*case).word for case in ALL if case[2] == "pending"}
    assert {case for case, word in pending.items() if word == "wait"} == {
        ("pass", "pass", "pending"),
        ("error", "pass", "pending"),
    }
    assert set(pending.values()) == {"wait", "fix"}


def test_every_row_has_a_case_of_its_own() -> None:
    first = [next(row for row in ROWS if row.matches(*case)) for case in ALL]
    assert set(first) == set(ROWS)


def test_what_was_not_seen_is_named_with_its_reason() -> None:
    seen = ChecksSnapshot(
        "a" * 40, ReviewResult("error", why="the critic crashed"), TestsResult("pass"), CiResult("error")
    )
    assert list_missing_results(seen) == ("review: the critic crashed", "CI: no answer")
    assert list_missing_results(
        ChecksSnapshot("a" * 40, ReviewResult("fail"), TestsResult("error", why="no report"), CiResult("pending"))
    ) == ("tests: no report",)
