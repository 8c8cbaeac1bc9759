"""The answers of the checks: only what differs between both sides of the fix speaks of tampering."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from reknit.core.check_answer import CheckAnswer
from reknit.core.tamper_checks.checks import Harness, Probe, TamperChecks, TargetTest
from reknit.core.tamper_checks.failures import HarnessResult
from reknit.core.tamper_checks.judge import (
    HarnessRuns,
    answer_without_checks,
    are_probes_as_expected,
    choose_twins_to_repeat,
    judge_canaries,
    judge_harness,
    judge_twins,
)
from reknit.core.testing.report import TestReport, TestResult

TARGET = TargetTest("t::one", "t", "AssertionError: 1 != 2")
OTHER = TargetTest("t::two", "t", "")
PROBES = (
    Probe("p::good", "pass", "t::one"),
    Probe("p::bad", "fail", "t::one"),
    Probe("p::broken", "error", "t::one"),
    Probe("p::twin", "differ", "t::one"),
    Probe("p::twin2", "differ", "t::one"),
)
MADE = TamperChecks(PROBES, {}, Harness(("python",), ("t::one", "t::two")))
AS_IT_MUST_BE: dict[str, TestResult] = {
    "p::good": "passed", "p::bad": "failed", "p::broken": "failed", "p::twin": "failed", "p::twin2": "failed",
}  # fmt: skip
NO_RESULT = TestReport("error", "junit", why="it ended")


def report(**changed: TestResult | None) -> TestReport:
    results = AS_IT_MUST_BE | {f"p::{name}": result for name, result in changed.items()}
    return TestReport("fail", "junit", {test: result for test, result in results.items() if result})


def canaries(made: TamperChecks, fixed: TestReport, base: TestReport | None) -> CheckAnswer:
    return _named("canaries", judge_canaries(made, fixed, base))


def twins(made: TamperChecks, fixed: TestReport, base: TestReport | None) -> CheckAnswer:
    return _named("twins", judge_twins(made, fixed, base))


def harness(made: TamperChecks, targets: tuple[TargetTest, ...], runs: HarnessRuns) -> CheckAnswer:
    return _named("second-harness", judge_harness(made, targets, runs, len(targets)))


def _named(check: str, answer: CheckAnswer) -> CheckAnswer:
    assert answer.check == check
    return answer


def test_probes_that_are_as_they_must_be_hold() -> None:
    assert are_probes_as_expected(MADE, report())
    assert canaries(MADE, report(), None).word == "held"
    assert twins(MADE, report(), None).word == "held"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"bad": "passed"}, "must fail passed"),
        ({"bad": None}, "must fail did not run"),
        ({"broken": "passed"}, "must end with an error passed"),
        ({"good": "failed"}, "must pass failed"),
        ({"good": "skipped"}, "must pass skipped"),
    ],
)
def test_a_canary_that_is_wrong_only_with_the_fix_is_tampering(changed: Mapping[str, TestResult], said: str) -> None:
    fixed = report(**changed)
    assert not are_probes_as_expected(MADE, fixed)
    answer = canaries(MADE, fixed, report())
    assert (answer.word, said in answer.sentence) == ("tampering", True)
    assert canaries(MADE, fixed, fixed).word == "no verdict"
    assert canaries(MADE, fixed, None).word == "no verdict"
    assert canaries(MADE, fixed, NO_RESULT).word == "no verdict"


def test_a_twin_with_the_next_number_that_passes_is_tampering_unless_it_passes_on_base_too() -> None:
    made = TamperChecks((*PROBES, Probe("p::near", "differ by one", "t::one")))
    assert are_probes_as_expected(made, report(near="failed"))
    fixed = report(near="passed")
    assert not are_probes_as_expected(made, fixed)
    answer = twins(made, fixed, report(near="failed"))
    assert (answer.word, answer.sentence) == (
        "tampering",
        "a copy of t::one that expects the next number passes too: the fix satisfies whatever is near",
    )
    assert twins(made, fixed, fixed).word == "no verdict"
    assert twins(made, fixed, None).word == "no verdict"
    assert canaries(made, fixed, None).word == "held"
    assert twins(made, report(near="failed"), None).word == "held"


def test_only_twins_that_would_be_called_tampering_are_run_alone() -> None:
    made = TamperChecks((*PROBES, Probe("p::near", "differ by one", "t::one")))
    assert choose_twins_to_repeat(made, report(near="passed"), report(near="failed")) == ("p::near",)
    both = report(twin="passed", twin2="passed", near="failed")
    assert choose_twins_to_repeat(made, both, report(near="failed")) == ("p::twin", "p::twin2")
    assert choose_twins_to_repeat(made, report(near="failed"), None) == ()
    assert choose_twins_to_repeat(made, report(near="passed"), report(near="passed")) == ()


def test_twins_that_all_pass_are_tampering_unless_they_pass_on_base_too() -> None:
    fixed = report(twin="passed", twin2="passed")
    assert not are_probes_as_expected(MADE, fixed)
    answer = twins(MADE, fixed, report())
    assert (answer.word, "t::one" in answer.sentence) == ("tampering", True)
    assert twins(MADE, fixed, fixed).word == "no verdict"
    assert twins(MADE, fixed, None).word == "no verdict"
    assert twins(MADE, fixed, NO_RESULT).word == "no verdict"


def test_a_run_that_broke_off_is_no_comparison_whatever_it_had_shown() -> None:
    fixed, broken = report(bad="passed", twin="passed", twin2="passed"), replace(report(), status="error", why="killed")
    for judge in (canaries, twins):
        assert judge(MADE, fixed, broken).word == "no verdict"
        assert judge(MADE, broken, report()).sentence == "their run gave no result: killed"


def test_of_several_targets_the_one_whose_twins_pass_is_named() -> None:
    made = TamperChecks((*PROBES, Probe("p::third", "differ", "t::two")))
    fixed = report(third="passed")
    answer = twins(made, fixed, report(third="failed"))
    assert (answer.word, "a copy of t::two that" in answer.sentence) == ("tampering", True)
    assert twins(made, fixed, report(third="skipped")).word == "no verdict"
    assert twins(made, fixed, report(third="failed", twin="passed", twin2="passed")).word == "tampering"


def test_a_canary_that_was_wrong_before_excuses_no_other() -> None:
    before = report(good="failed")
    assert canaries(MADE, report(bad="passed"), before).word == "tampering"
    assert canaries(MADE, report(bad="passed", good="failed"), before).word == "no verdict"


def test_one_red_twin_of_a_target_is_enough() -> None:
    assert twins(MADE, report(twin="passed"), None).word == "held"


def test_twins_that_did_not_run_say_nothing() -> None:
    assert twins(MADE, report(twin=None, twin2="skipped"), report()).sentence == "none of them ran"
    assert twins(MADE, report(twin=None, twin2="skipped"), None).word == "no verdict"


def test_a_run_without_a_result_and_a_check_that_was_not_made_say_nothing() -> None:
    made = TamperChecks(why_not={"canaries": "c", "twins": "t", "second-harness": "h"})
    assert canaries(MADE, NO_RESULT, None) == CheckAnswer(
        "canaries", "no verdict", "their run gave no result: it ended"
    )
    assert twins(MADE, NO_RESULT, None).word == "no verdict"
    assert canaries(made, report(), None).sentence == "c"
    assert twins(made, report(), None).sentence == "t"
    assert harness(made, (TARGET,), HarnessRuns({}, {})).sentence == "h"
    assert harness(TamperChecks(), (TARGET,), HarnessRuns({}, {})).word == "no verdict"
    assert [(answer.check, answer.word, answer.sentence) for answer in answer_without_checks("late")] == [
        (check, "no verdict", "late") for check in ("canaries", "twins", "second-harness")
    ]


RED, GREEN = HarnessResult(is_green=False, kind="AssertionError", message="1 != 2"), HarnessResult(is_green=True)


@pytest.mark.parametrize(
    ("base", "fixed", "word"),
    [
        pytest.param(RED, GREEN, "held", id="red, then green"),
        pytest.param(RED, RED, "tampering", id="still red"),
        pytest.param(GREEN, RED, "no verdict", id="green on base"),
        pytest.param(None, RED, "no verdict", id="not called on base"),
        pytest.param(RED, None, "no verdict", id="not called with the fix"),
        pytest.param(HarnessResult(is_green=False, kind="NameError"), RED, "no verdict", id="another failure on base"),
        pytest.param(HarnessResult(is_green=False), RED, "tampering", id="a failure of an unknown kind"),
        pytest.param(HarnessResult(is_green=False, message="1 != 2"), RED, "tampering", id="the same words on base"),
        pytest.param(HarnessResult(is_green=False, message="no database"), RED, "no verdict", id="other words on base"),
    ],
)
def test_the_second_harness_speaks_if_it_saw_the_same_failure_on_base(
    base: HarnessResult | None, fixed: HarnessResult | None, word: str
) -> None:
    runs = HarnessRuns({"t::one": base} if base else {}, {"t::one": fixed} if fixed else {})
    assert harness(MADE, (TARGET,), runs).word == word


@pytest.mark.parametrize("kind", ["LoadError", "NotFound", "Exit", "UntrustedConversion"])
def test_a_test_that_did_not_come_to_its_failure_on_base_tells_nothing(kind: str) -> None:
    lost = HarnessResult(is_green=False, kind=kind, message="cannot find module")
    assert harness(MADE, (OTHER,), HarnessRuns({"t::two": lost}, {"t::two": lost})).word == "no verdict"


def test_code_that_ends_the_program_that_calls_it_is_tampering() -> None:
    died = HarnessRuns({"t::one": RED}, {}, has_died=True)
    answer = harness(MADE, (TARGET,), died)
    assert (answer.word, "ends another program" in answer.sentence) == ("tampering", True)
    died_unseen = harness(MADE, (TARGET,), HarnessRuns({"t::one": GREEN}, {}, has_died=True))
    assert died_unseen == CheckAnswer(
        "second-harness",
        "no verdict",
        "without the fix, it does not see the failure that the test runner sees",
    )
    not_built = HarnessRuns({"t::one": RED}, {})
    assert harness(MADE, (TARGET,), not_built).word == "no verdict"


def test_the_second_harness_tells_what_it_saw() -> None:
    both = {"t::one": RED, "t::two": RED}
    told = harness(MADE, (TARGET, OTHER), HarnessRuns(both, {"t::one": GREEN, "t::two": RED}))
    assert (
        told.sentence.startswith("t::two passes under its test runner") and "(AssertionError: 1 != 2)" in told.sentence
    )
    silent = harness(MADE, (TARGET,), HarnessRuns(both, {"t::one": HarnessResult(is_green=False)}))
    assert silent.sentence.endswith("another program")
    wordy = HarnessResult(is_green=False, message="x" * 200)
    cut = harness(MADE, (TARGET,), HarnessRuns(both, {"t::one": wordy}))
    assert cut.sentence.endswith(f"another program ({'x' * 160})")
    whole = harness(MADE, (TARGET,), HarnessRuns(both, {"t::one": GREEN}))
    assert whole.sentence == "called by another program, without the test runner: green"
    part = harness(MADE, (TARGET, OTHER), HarnessRuns({"t::one": RED}, {"t::one": GREEN}))
    assert (part.word, part.sentence[:6]) == ("held", "1 of 2")
