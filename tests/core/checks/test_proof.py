"""Whether a green fix may land."""

from dataclasses import replace
from typing import get_args

import pytest

from reknit.core.check_answer import CheckAnswer
from reknit.core.checks.proof import (
    NOT_ASKED,
    ProofText,
    describe_asked_run,
    explain_refusal,
    explain_refused_proof,
    find_named_red_tests,
    judge_proof,
    judge_without_asked_tests,
    make_red_report,
    prove_asked_tests,
    refuse_by_advice,
    render_proof,
    select_turned_green,
)
from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.testing.proof import Proof, ProofWord
from reknit.core.testing.report import CheckStatus, TestReport, TestResult

PROOF = Proof("proven", "3 passed", "junit", fixed=("t::one",), still_red=("t::two",))
HELD = CheckAnswer("second-harness", "held", "green")
SILENT = CheckAnswer("second-harness", "no verdict", "it cannot call these tests")
SEEN = CheckAnswer("twins", "tampering", "a copy passes too")
TWINS = CheckAnswer("twins", "held", "red")
ADVICE = Refusal("test-awareness", "a.py", "a.py now looks for its tests")
OTHER = Refusal("suppression-added", "a.py", "a.py now hides a warning")
CANARY = CheckAnswer("canaries", "held", "the command fails when its test files do")
IGNORES = CheckAnswer("canaries", "no verdict", "the command does not fail when its test files do")
NO_TWINS = CheckAnswer("twins", "no verdict", "no value is compared", applies=False)
BAD_TWINS = CheckAnswer("twins", "no verdict", "none of them ran")


@pytest.mark.parametrize(
    ("answers", "advice", "word"),
    [
        pytest.param((HELD,), (), "proven", id="held"),
        pytest.param((SILENT,), (), "proven", id="no verdict, nothing suspected"),
        pytest.param((), (), "proven", id="no check"),
        pytest.param((HELD,), (ADVICE,), "proven", id="suspected, but it works without its runner"),
        pytest.param((SILENT, TWINS), (ADVICE,), "refused", id="suspected, and nothing shows otherwise"),
        pytest.param((CANARY, TWINS, SILENT), (ADVICE,), "refused", id="canaries cannot see code that notices tests"),
        pytest.param((CANARY, TWINS, SILENT), (OTHER,), "proven", id="canaries and twins held"),
        pytest.param((CANARY, TWINS), (OTHER, ADVICE), "refused", id="one of two suspicions counts"),
        pytest.param((CANARY, NO_TWINS, SILENT), (OTHER,), "proven", id="canaries held, nothing to make twins of"),
        pytest.param((CANARY, BAD_TWINS, SILENT), (OTHER,), "refused", id="twins without a verdict"),
        pytest.param((CANARY,), (OTHER,), "refused", id="an exit code has no twins"),
        pytest.param((IGNORES, TWINS, SILENT), (OTHER,), "refused", id="canaries without a verdict"),
        pytest.param((), (OTHER,), "refused", id="nothing was checked"),
        pytest.param((HELD, SEEN), (), "refused", id="tampering"),
        pytest.param((SEEN,), (ADVICE,), "refused", id="tampering and suspected"),
    ],
)
def test_a_fix_lands_unless_tampering_was_seen_or_is_suspected_without_a_verdict(
    answers: tuple[CheckAnswer, ...], advice: tuple[Refusal, ...], word: str
) -> None:
    proof = judge_proof(PROOF, answers, advice)
    assert (proof.word, proof.checks) == (word, answers)
    assert proof.fixed == (PROOF.fixed if word == "proven" else ())
    assert proof.still_red == (PROOF.still_red if word == "proven" else ())


def test_a_refusal_says_what_was_seen() -> None:
    assert "check twins: a copy passes too" in judge_proof(PROOF, (SEEN,), ()).sentence
    assert "[test-awareness]: a.py now looks for its tests;" in judge_proof(PROOF, (SILENT,), (ADVICE,)).sentence
    assert "(and 1 more);" in judge_proof(PROOF, (SILENT,), (ADVICE, ADVICE)).sentence


def test_advice_that_counted_is_what_refused() -> None:
    gate = GateVerdict((), ("test-awareness",), 1, 1, 0, advice=(ADVICE,))
    assert refuse_by_advice(gate, judge_proof(PROOF, (SILENT,), (ADVICE,))).refusals == (ADVICE,)
    both = replace(gate, rules=("suppression-added", "test-awareness"), advice=(OTHER, ADVICE))
    counted = refuse_by_advice(both, judge_proof(PROOF, (CANARY, TWINS), (OTHER, ADVICE)))
    assert (counted.refusals, counted.advice) == ((ADVICE,), (OTHER,))
    for proof in (None, PROOF, judge_proof(PROOF, (SEEN,), (ADVICE,))):
        assert refuse_by_advice(gate, proof) == gate


def test_an_ending_says_what_refused_a_green_change() -> None:
    said = "the last one turned its tests green, but was refused"
    by_a_check = explain_refusal(judge_proof(PROOF, (SEEN,), ()).sentence)
    assert by_a_check == f"{said} (`reknit explain twins`): tampering seen by the check twins: a copy passes too"
    by_advice = explain_refusal(judge_proof(PROOF, (SILENT,), (ADVICE,)).sentence)
    assert by_advice.startswith(f"{said}: [test-awareness]: a.py now looks for its tests;")


COMMAND = Proof("proven", "1 passed", "exit code", fixed=("web/the test command",))


@pytest.mark.parametrize(
    ("answers", "word", "said"),
    [
        ((CANARY,), "proven", "1 passed"),
        ((TWINS, IGNORES), "unproven", "UNPROVEN by exit code: the command does not fail when its test files do"),
        ((IGNORES,), "unproven", "UNPROVEN by exit code: the command does not fail when its test files do"),
        ((), "unproven", "UNPROVEN by exit code: nothing shows a failure"),
    ],
)
def test_an_exit_code_counts_only_if_a_failure_was_seen(answers: tuple[CheckAnswer, ...], word: str, said: str) -> None:
    proof = judge_proof(COMMAND, answers, ())
    assert (proof.word, proof.sentence) == (word, said)


def test_one_exit_code_among_results_by_name_is_enough_to_ask_for_a_canary() -> None:
    mixed = replace(COMMAND, fixed=("t::one", "the test command"))
    proof = judge_proof(mixed, (HELD, TWINS), ())
    assert (proof.word, proof.fixed) == ("unproven", ())
    assert judge_proof(mixed, (HELD, CANARY), ()).word == "proven"


def test_an_exit_code_does_not_show_that_a_suspicion_is_unfounded() -> None:
    assert judge_proof(COMMAND, (CANARY,), (ADVICE,)).word == "refused"


ONE, TWO = "t.py::one", "t.py::two"


def red(*tests: str, rule: str = "test-failed", file: str = "t.py") -> TestsResult:
    findings = [Finding(f"T-{at}", "tests", rule, test, file, message="boom") for at, test in enumerate(tests)]
    return TestsResult("fail", tuple(findings))


def seen(**results: TestResult) -> TestReport:
    named = {f"t.py::{name}": result for name, result in results.items()}
    status: CheckStatus = "fail" if "failed" in results.values() else "pass"
    messages = {test: f"{test} is wrong" for test, result in named.items() if result == "failed"}
    return TestReport(status, "junit", results=named, messages=messages, output_tail="the end")


def test_what_turned_green_was_asked_about_red_before_and_passes() -> None:
    before = red(ONE, TWO, "u.py", "v.py::x")
    after = TestsResult("pass", passing=(ONE, "u.py::inside", "v.py::x"))
    assert select_turned_green(before, after, (ONE, TWO, "u.py")) == (ONE, "u.py")
    assert select_turned_green(red(ONE, rule="test-command"), after, (ONE,)) == ()


@pytest.mark.parametrize(
    "text",
    [f"{ONE} fails", "since Monday, `one` fails", "one[2] fails", "t.py::one[1] is red"],
    ids=["id", "name", "[]", "case"],
)
def test_a_red_test_is_asked_about_if_a_text_names_it(text: str) -> None:
    before = red(ONE, "t.py::one[1]", TWO)
    assert ONE in find_named_red_tests(("other", text), before)
    assert TWO not in find_named_red_tests((text,), before)
    assert find_named_red_tests((text,), red(ONE, rule="test-command")) == ()
    assert find_named_red_tests(("tone, someone",), before) == ()


def test_the_run_before_the_change_is_evidence_too() -> None:
    report = make_red_report(red(ONE, TWO), (ONE,), "junit")
    assert (report.status, report.failed, report.messages, report.files) == (
        "fail",
        frozenset([ONE]),
        {ONE: "boom"},
        {ONE: "t.py"},
    )
    assert make_red_report(red(ONE, file=""), (ONE,), "junit").files == {}


ERROR = TestReport("error", "junit", why="no report", output_tail="it crashed")


@pytest.mark.parametrize(
    ("again", "without", "word", "fixed", "said"),
    [
        (
            seen(one="passed", two="passed"),
            seen(one="failed", two="failed"),
            "proven",
            (ONE, TWO),
            "2 fixed: green every",
        ),
        (seen(one="passed", two="failed"), seen(one="failed", two="failed"), "proven", (ONE,), "7 passed; 1 of 2"),
        (seen(one="passed", two="passed"), seen(one="passed", two="failed"), "proven", (TWO,), "1 of 2"),
        (None, seen(one="failed"), "proven", (ONE,), "1 of 2"),
        (seen(one="failed", two="skipped"), seen(one="failed"), "still_red", (), "but not when it ran alone"),
        (seen(one="passed"), seen(one="passed"), "unproven", (), f"{ONE} is not red without the change"),
        (seen(one="passed"), seen(), "unproven", (), f"{ONE} is not red without the change"),
        (ERROR, seen(one="failed"), "unseen", (), "no result: no report"),
        (seen(one="passed"), TestReport("error", "junit"), "unseen", (), "no reason was given"),
    ],
)
def test_it_must_be_green_alone_and_red_without_the_change(
    again: TestReport | None, without: TestReport, word: str, fixed: tuple[str, ...], said: str
) -> None:
    proof = prove_asked_tests((ONE, TWO), 7, again, without)
    assert (proof.word, proof.fixed, said in proof.sentence) == (word, fixed, True), proof.sentence
    assert proof.passed == (7 if word == "proven" else 0)


def test_a_failure_alone_tells_its_message() -> None:
    alone = prove_asked_tests((ONE,), 1, seen(one="failed"), seen(one="failed"))
    assert (alone.still_red, alone.output_tail) == ((ONE,), f"{ONE} is wrong")
    assert prove_asked_tests((ONE,), 1, seen(), seen(one="failed")).output_tail == "the end"
    assert prove_asked_tests((ONE,), 1, ERROR, seen(one="failed")).output_tail == "it crashed"


def test_without_an_asked_test_advice_refuses() -> None:
    held, refused = judge_without_asked_tests("junit", (), ()), judge_without_asked_tests("junit", (ADVICE,), ())
    assert (held.word, held.sentence) == ("held", NOT_ASKED)
    assert (refused.word, refused.evidence) == ("refused", "junit")
    assert judge_without_asked_tests("junit", (), (ONE,)).sentence == f"nothing is proven: {ONE} did not turn green"


@pytest.mark.parametrize("word", get_args(ProofWord))
def test_what_is_not_proven_does_not_land(word: ProofWord) -> None:
    lands = word in ("proven", "held")
    assert explain_refused_proof(Proof(word, "so it is", "junit", output_tail="x" * 2000)) == (
        "" if lands else "so it is\n" + "x" * 1500
    )


def test_an_exit_code_that_proves_nothing_does_not_land_either() -> None:
    assert (
        explain_refused_proof(Proof("unproven", "UNPROVEN by exit code: deaf", "exit code"))
        == "UNPROVEN by exit code: deaf"
    )


OTHERWISE = ProofText("lint", "7 passed", NOT_ASKED)
TWINS_HELD = CheckAnswer("twins", "held", "red")


def test_a_receipt_names_what_was_red_and_what_the_checks_said() -> None:
    first = Proof("proven", "7 passed; 1 of 1", "junit", fixed=(ONE,), checks=(TWINS_HELD,))
    text = render_proof((first,), "abcdefghij", OTHERWISE)
    assert text.red_before == f"{ONE} was red every time on abcdefg"
    assert (text.green_after, text.red_without) == ("7 passed; 1 of 1", "1 test(s) were red again without the fix")
    assert text.checks == ("twins held: red",)
    both = render_proof(
        (first, Proof("held", "no", "junit"), Proof("proven", "8", "junit", fixed=(TWO,))), "b", OTHERWISE
    )
    assert both.red_before == f"{ONE}, {TWO} were red every time on b"
    assert (both.green_after, both.red_without[:9]) == ("7 passed; 1 of 1; 8", "2 test(s)")


def test_a_receipt_without_proof_says_so() -> None:
    assert render_proof((), "b", OTHERWISE) == OTHERWISE
    unproven = render_proof((Proof("unproven", "UNPROVEN: passes", "junit", checks=(TWINS_HELD,)),), "b", OTHERWISE)
    assert unproven == ProofText("lint", "7 passed", "UNPROVEN: passes", ("twins held: red",))


@pytest.mark.parametrize(
    ("label", "alone", "said"),
    [
        ("again", True, "what turned green, alone, with the change but not the tests it adds"),
        ("without", False, "the whole suite, without the change"),
        ("probes-0", True, "tests of reknit beside what turned green, with the change"),
    ],
)
def test_each_run_is_named(label: str, alone: bool, said: str) -> None:
    assert describe_asked_run(label, alone=alone) == said
