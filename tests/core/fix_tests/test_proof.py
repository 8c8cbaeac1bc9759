"""Proof: green every time with the change, red again without it, and nothing else lost."""

from dataclasses import replace

import pytest

from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.flakiness import MAX_SUSPECTS
from reknit.core.fix_tests.proof import (
    RunsAfter,
    explain_needed_test_files,
    find_explained,
    find_lost,
    find_newly_red,
    find_suspects,
    find_unexplained,
    judge_targets,
    prove,
)
from reknit.core.testing.report import TestReport, TestResult

TARGET, OTHER, SECOND = "t.py::target", "t.py::other", "t.py::second"
FILE = "new.py"
PASS: TestResult = "passed"
FAIL: TestResult = "failed"
SKIP: TestResult = "skipped"
FINDINGS = (Finding("T-1", "tests", "test-failed", TARGET), Finding("T-2", "tests", "test-failed", SECOND))
BASELINE = Baseline("red", "junit", FINDINGS, passing=(OTHER,))
UNSEEN = TestReport("error", "junit", why="no report", output_tail="tail")


def report(target: TestResult, other: TestResult | None = PASS, **more: TestResult) -> TestReport:
    results = {TARGET: target, **({OTHER: other} if other else {}), SECOND: FAIL, **more}
    words = {test: f"\nthe words of {test}\nmore" for test, result in results.items() if result == FAIL}
    return TestReport("fail" if words else "pass", "junit", results, words, output_tail="tail", seconds=1.0)


GREEN, RED = report(PASS), report(FAIL)


def after(whole: list[TestReport], without: TestReport, again: TestReport | None = None) -> RunsAfter:
    """If the tests that turned green were not run again on their own, they passed then too."""
    passed = TestReport("pass", "junit", dict.fromkeys((TARGET, SECOND), PASS))
    return RunsAfter(tuple(whole), again or passed, without)


@pytest.mark.parametrize(
    ("with_fix", "without_fix", "word", "said"),
    [
        pytest.param(
            [GREEN, GREEN],
            RED,
            "proven",
            "2 passed; 1 fixed: green every time, red again without",
            id="green, and red without it",
        ),
        pytest.param([GREEN, RED], RED, "still_red", "the words of", id="green once only"),
        pytest.param([GREEN, UNSEEN], RED, "unseen", "no report", id="the second run was not seen"),
        pytest.param([GREEN, GREEN], GREEN, "unproven", "UNPROVEN", id="green without the change too"),
        pytest.param([GREEN, GREEN], UNSEEN, "unseen", "no report", id="the run without the change was not seen"),
        pytest.param(
            [GREEN, GREEN],
            replace(RED, status="error", why="killed"),
            "unseen",
            "killed",
            id="a broken run without the change is no red",
        ),
        pytest.param([GREEN, GREEN], report(SKIP), "unseen", "did not run", id="skipped without the change"),
        pytest.param(
            [report(PASS, FAIL), GREEN],
            RED,
            "regressed",
            "1 test(s) are red that were not before",
            id="another test broke once",
        ),
        pytest.param([GREEN, report(PASS, None)], RED, "regressed", "no longer ran", id="another test is gone"),
        pytest.param([GREEN, report(PASS, SKIP)], RED, "regressed", "no longer ran", id="another is skipped now"),
        pytest.param([report(SKIP), GREEN], RED, "still_red", "no message", id="skipping the target is not green"),
    ],
)
def test_only_what_was_seen_is_proof(with_fix: list[TestReport], without_fix: TestReport, word: str, said: str) -> None:
    proof = prove((TARGET,), BASELINE, (), after(with_fix, without_fix))
    assert proof.word == word
    assert said in proof.sentence
    assert bool(proof.fixed) is (word == "proven")


@pytest.mark.parametrize(
    ("again", "word"),
    [
        pytest.param({TARGET: PASS}, "proven", id="green again"),
        pytest.param({TARGET: FAIL}, "still_red", id="green once, then red"),
        pytest.param({TARGET: SKIP}, "still_red", id="green once, then skipped"),
        pytest.param({}, "still_red", id="green once, then not there"),
    ],
)
def test_a_test_that_passed_by_luck_does_not_pass_again(again: dict[str, TestResult], word: str) -> None:
    alone = TestReport("pass", "junit", again)
    assert prove((TARGET,), BASELINE, (), after([GREEN], RED, alone)).word == word
    assert prove((TARGET,), BASELINE, (), after([GREEN], RED, UNSEEN)).word == "unseen"


def test_what_no_longer_runs_without_the_change_either_is_not_its_fault() -> None:
    gone = report(PASS, None)
    assert find_lost(BASELINE, (), [gone]) == [OTHER]
    proof = prove((TARGET,), BASELINE, (), after([gone], RED), flaky=(OTHER,))
    assert (proof.word, proof.flaky) == ("proven", (OTHER,))


def test_a_change_that_turns_two_tests_green_fixed_both() -> None:
    both = report(PASS, PASS, **{SECOND: PASS})
    assert prove((TARGET,), BASELINE, (), after([both, both], RED)).fixed == (TARGET, SECOND)


def test_a_test_that_was_fixed_before_is_not_fixed_again_but_must_still_pass() -> None:
    both = report(PASS, PASS, **{SECOND: PASS})
    assert prove((TARGET,), BASELINE, (SECOND,), after([both, both], RED)).fixed == (TARGET,)
    assert prove((TARGET,), BASELINE, (SECOND,), after([GREEN, GREEN], RED)).regressed == (SECOND,)


def test_a_file_that_could_not_be_loaded_and_was_fixed_before_stands_for_its_tests() -> None:
    loaded = report(PASS, PASS, **{f"{FILE}::test_new": PASS})
    broken = report(PASS, PASS, **{f"{FILE}::test_new": FAIL})
    assert prove((TARGET,), BASELINE, (FILE,), after([loaded, loaded], RED)).word == "proven"
    assert prove((TARGET,), BASELINE, (FILE,), after([loaded, broken], RED)).regressed == (f"{FILE}::test_new",)


def test_a_regression_is_told_in_the_words_of_the_broken_tests() -> None:
    many = tuple(f"t.py::test_{number}" for number in range(5))
    broken = report(PASS, PASS, **dict.fromkeys(many, FAIL))
    proof = prove((TARGET,), replace(BASELINE, passing=many), (), after([broken, broken], RED))
    assert proof.regressed == many
    assert proof.sentence.endswith("t.py::test_0, t.py::test_1, t.py::test_2 …")
    assert proof.output_tail.count("the words of t.py::test_4") == 1


def test_a_test_that_is_new_and_red_is_a_regression() -> None:
    added = report(PASS, PASS, **{"t.py::added": FAIL})
    assert prove((TARGET,), BASELINE, (), after([GREEN, added], RED)).regressed == ("t.py::added",)
    flaky = replace(BASELINE, flaky=("t.py::added",))
    assert prove((TARGET,), flaky, (), after([GREEN, added], RED)).word == "proven"


def test_what_turned_green_but_is_green_without_the_change_too_is_not_fixed() -> None:
    both = report(PASS, PASS, **{SECOND: PASS})
    without = report(FAIL, PASS, **{SECOND: PASS})
    proof = prove((TARGET,), BASELINE, (), after([both, both], without))
    assert (proof.fixed, proof.sentence) == (
        (TARGET,),
        "3 passed; 1 of 2 fixed: green every time, red again without the change",
    )


def test_a_lost_test_has_no_words_so_the_output_is_shown() -> None:
    assert prove((TARGET,), BASELINE, (), after([GREEN, report(PASS, None)], RED)).output_tail == "tail"


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        pytest.param(GREEN, None, id="green alone is worth the whole suite"),
        pytest.param(RED, "still_red", id="red alone needs no whole suite"),
        pytest.param(UNSEEN, "unseen", id="what was not seen is not green"),
    ],
)
def test_the_first_look_saves_a_whole_suite(seen: TestReport, word: str | None) -> None:
    looked = judge_targets((TARGET,), seen)
    assert (looked.word if looked else None) == word


def test_one_green_test_of_a_finding_is_worth_the_whole_suite() -> None:
    assert judge_targets((SECOND, TARGET), GREEN) is None
    looked = judge_targets((SECOND, TARGET), RED)
    assert looked is not None
    assert looked.still_red == (SECOND,)


def test_what_the_suite_said_is_kept_with_its_evidence() -> None:
    by_code = TestReport("error", "exit code", output_tail="it crashed")
    looked = judge_targets((TARGET,), by_code)
    assert looked is not None
    assert (looked.sentence, looked.evidence, looked.output_tail) == (
        "the tests gave no result: the test did not run",
        "exit code",
        "it crashed",
    )


def test_long_words_are_cut_in_a_sentence_and_in_the_output() -> None:
    long = replace(RED, messages={TARGET: "x" * 5000})
    looked = judge_targets((TARGET,), long)
    assert looked is not None
    assert (looked.sentence, looked.output_tail) == (f"{TARGET} is still red: {'x' * 160}", "x" * 5000)
    broken = replace(report(PASS, FAIL), messages={OTHER: "y" * 5000})
    assert prove((TARGET,), BASELINE, (), after([broken], RED)).output_tail == "y" * 4000
    silent = replace(RED, messages={})
    looked = judge_targets((TARGET,), silent)
    assert looked is not None
    assert (looked.sentence, looked.output_tail) == (f"{TARGET} is still red: no message", "tail")


def test_a_flaky_test_is_not_among_those_that_passed() -> None:
    proof = prove((TARGET,), BASELINE, (), after([GREEN], RED), flaky=(OTHER,))
    assert (proof.passed, proof.sentence) == (
        1,
        f"1 passed; 1 fixed: green every time, red again without the change; flaky, left out: {OTHER}",
    )


def test_a_lost_test_beside_a_flaky_one_is_blamed_alone() -> None:
    known = replace(BASELINE, passing=(OTHER, "t.py::third"))
    proof = prove((TARGET,), known, (), after([report(PASS, None)], RED), flaky=(OTHER,))
    assert (proof.word, proof.regressed, proof.flaky) == ("regressed", ("t.py::third",), (OTHER,))


def test_of_two_targets_the_one_that_passes_without_the_fix_is_named() -> None:
    both = report(PASS, PASS, **{SECOND: PASS})
    without = TestReport("pass", "junit", {SECOND: PASS})
    proof = prove((TARGET, SECOND), PAIR, (), after([both], without))
    assert (proof.word, proof.sentence) == ("unproven", f"UNPROVEN: {SECOND} passes without the fix too")


def test_a_test_that_is_still_red_says_its_first_line_and_keeps_its_words() -> None:
    looked = judge_targets((TARGET,), RED)
    assert looked is not None
    assert looked.sentence == f"{TARGET} is still red: the words of {TARGET}"
    assert looked.output_tail == f"the words of {TARGET}\nmore"
    assert looked.still_red == (TARGET,)


PAIR = replace(BASELINE, findings=(replace(FINDINGS[0], also=(SECOND,)),))


def test_of_two_tests_with_one_cause_the_one_that_stays_red_is_named() -> None:
    proof = prove((TARGET, SECOND), PAIR, (), after([GREEN, GREEN], RED))
    assert (proof.word, proof.fixed, proof.still_red) == ("proven", (TARGET,), (SECOND,))
    assert f"still red: {SECOND}" in proof.sentence
    both = report(PASS, PASS, **{SECOND: PASS})
    assert prove((TARGET, SECOND), PAIR, (), after([both, both], RED)).fixed == (TARGET, SECOND)


def test_two_tests_that_are_green_in_turn_are_not_green() -> None:
    other = report(FAIL, PASS, **{SECOND: PASS})
    assert prove((TARGET, SECOND), PAIR, (), after([GREEN, other], RED)).word == "still_red"


def test_a_flaky_test_is_left_out_and_named() -> None:
    shaky = report(PASS, FAIL)
    proof = prove((TARGET,), BASELINE, (), after([GREEN, shaky], RED), flaky=(OTHER,))
    assert (proof.word, proof.flaky, f"flaky, left out: {OTHER}" in proof.sentence) == ("proven", (OTHER,), True)
    assert find_suspects(BASELINE, (), [GREEN, shaky]) == [OTHER]
    assert find_suspects(BASELINE, (), [GREEN, report(PASS, PASS, **{"t.py::new": FAIL})]) == []


def test_a_broken_test_beside_a_flaky_one_is_blamed_alone() -> None:
    shaky = report(PASS, FAIL, **{"t.py::new": FAIL})
    proof = prove((TARGET,), BASELINE, (), after([shaky, shaky], RED), flaky=(OTHER,))
    assert (proof.word, proof.regressed, proof.flaky) == ("regressed", ("t.py::new",), (OTHER,))


def test_what_the_environment_broke_may_stay_red() -> None:
    left_out = replace(BASELINE, left_out=((("t.py::net",), "no network", "mock it"),))
    offline = report(PASS, PASS, **{"t.py::net": FAIL})
    assert prove((TARGET,), left_out, (), after([offline, offline], RED)).word == "proven"


NEW, MANY = "t.py::new", tuple(f"t.py::test_{number}" for number in range(MAX_SUSPECTS + 1))
REMEMBERED = replace(BASELINE, passing=(OTHER, *MANY), seen_in="r-1")
ALL_PASS = report(PASS, PASS, **dict.fromkeys(MANY, PASS))
MANY_RED = report(PASS, PASS, **dict.fromkeys(MANY, FAIL))


@pytest.mark.parametrize(
    ("baseline", "seen", "flaky", "asked"),
    [
        pytest.param(REMEMBERED, ALL_PASS, (), [], id="nothing is odd"),
        pytest.param(REMEMBERED, MANY_RED, (), sorted(MANY), id="more red than can be compared"),
        pytest.param(replace(REMEMBERED, seen_in=""), MANY_RED, (), [], id="and this run saw them green"),
        pytest.param(REMEMBERED, replace(ALL_PASS, results={**ALL_PASS.results, NEW: FAIL}), (), [NEW], id="not known"),
        pytest.param(BASELINE, report(PASS, PASS, **{NEW: FAIL}), (), [], id="a new test of the change is its own"),
        pytest.param(BASELINE, report(PASS, None), (), [OTHER], id="gone"),
        pytest.param(BASELINE, report(PASS, None), (OTHER,), [], id="known to be flaky"),
        pytest.param(replace(BASELINE, seen_in="r-1"), report(PASS, FAIL), (), [], id="compared, and to blame"),
        pytest.param(replace(BASELINE, seen_in="r-1"), report(PASS, FAIL), (OTHER,), [], id="compared, and flaky"),
    ],
)
def test_what_a_run_without_the_change_may_explain(
    baseline: Baseline, seen: TestReport, flaky: tuple[str, ...], asked: list[str]
) -> None:
    assert find_unexplained(baseline, (), [seen], flaky) == asked


@pytest.mark.parametrize(
    ("with_fix", "before", "is_explained"),
    [
        pytest.param(FAIL, FAIL, True, id="red without it too"),
        pytest.param(FAIL, PASS, False, id="green without it"),
        pytest.param(FAIL, None, False, id="red, and only there with it"),
        pytest.param(FAIL, SKIP, False, id="red, and skipped without it"),
        pytest.param(None, PASS, False, id="gone, but not without it"),
        pytest.param(None, None, True, id="gone on both sides"),
        pytest.param(SKIP, SKIP, True, id="skipped on both sides"),
        pytest.param(SKIP, FAIL, True, id="skipped, and red without it"),
    ],
)
def test_what_a_run_without_the_change_explains(
    with_fix: TestResult | None, before: TestResult | None, is_explained: bool
) -> None:
    assert find_explained([OTHER], [report(PASS, with_fix)], report(FAIL, before)) == [OTHER] * is_explained


NOW, LATER = "t.py::made[<X object at 0x7f0000000001>]", "t.py::made[<X object at 0x7f0000000002>]"


def test_a_test_with_another_id_in_each_run_is_not_lost_and_not_new() -> None:
    passing = replace(BASELINE, passing=(OTHER, NOW))
    assert find_lost(passing, (), [report(PASS, **{LATER: PASS})]) == []
    assert find_lost(passing, (), [report(PASS)]) == [NOW]
    assert find_lost(passing, (), [report(PASS, **{LATER: FAIL})]) == [NOW]
    red = replace(BASELINE, flaky=(NOW,))
    assert find_newly_red(red, (), [report(PASS, **{LATER: FAIL})]) == []
    assert find_newly_red(BASELINE, (), [report(PASS, **{LATER: FAIL})]) == [LATER]


@pytest.mark.parametrize(
    ("whole", "sentence"),
    [
        (GREEN, f"{TARGET} is green with the whole change, and red without its test files: the words of {TARGET}"),
        (RED, f"{TARGET} is still red: the words of {TARGET}"),
        (UNSEEN, f"{TARGET} is still red: the words of {TARGET}"),
    ],
)
def test_a_test_that_the_whole_change_turns_green_is_not_called_still_red(whole: TestReport, sentence: str) -> None:
    looked = judge_targets((TARGET,), RED)
    assert looked is not None
    assert explain_needed_test_files(looked, whole) == replace(looked, sentence=sentence)


def test_a_run_without_a_result_stays_one() -> None:
    looked = judge_targets((TARGET,), UNSEEN)
    assert looked is not None
    assert explain_needed_test_files(looked, GREEN) == looked
