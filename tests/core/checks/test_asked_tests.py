"""What counts as proof for the tests that a fix was asked about, and how a receipt says it."""

from typing import get_args

import pytest

from reknit.core.check_answer import CheckAnswer
from reknit.core.checks.asked_tests import (
    NOT_ASKED,
    ProofText,
    proof_text,
    prove_asked,
    red_report,
    red_tests_named_in,
    turned_green,
    what_ran,
    why_refused,
    without_asked,
)
from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding
from reknit.core.gate.verdict import Refusal
from reknit.core.testing.proof import Proof, ProofWord
from reknit.core.testing.report import CheckStatus, TestReport, TestResult

ONE, TWO = "t.py::one", "t.py::two"
ADVICE = Refusal("test-awareness", "a.py", "a.py now looks for its tests")


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
    assert turned_green(before, after, (ONE, TWO, "u.py")) == (ONE, "u.py")
    assert turned_green(red(ONE, rule="test-command"), after, (ONE,)) == ()


@pytest.mark.parametrize(
    "text",
    [f"{ONE} fails", "since Monday, `one` fails", "one[2] fails", "t.py::one[1] is red"],
    ids=["id", "name", "[]", "case"],
)
def test_a_red_test_is_asked_about_if_a_text_names_it(text: str) -> None:
    before = red(ONE, "t.py::one[1]", TWO)
    assert ONE in red_tests_named_in(("other", text), before)
    assert TWO not in red_tests_named_in((text,), before)
    assert red_tests_named_in((text,), red(ONE, rule="test-command")) == ()
    assert red_tests_named_in(("tone, someone",), before) == ()


def test_the_run_before_the_change_is_evidence_too() -> None:
    report = red_report(red(ONE, TWO), (ONE,), "junit")
    assert (report.status, report.failed, report.messages, report.files) == (
        "fail",
        frozenset([ONE]),
        {ONE: "boom"},
        {ONE: "t.py"},
    )
    assert red_report(red(ONE, file=""), (ONE,), "junit").files == {}


ERROR = TestReport("error", "junit", why="no report", output_tail="it crashed")


@pytest.mark.parametrize(
    ("again", "without", "word", "fixed", "said"),
    [
        (
            seen(one="passed", two="passed"),
            seen(one="failed", two="failed"),
            "proven",
            (ONE, TWO),
            "2 of 2 green every",
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
    proof = prove_asked((ONE, TWO), 7, again, without)
    assert (proof.word, proof.fixed, said in proof.sentence) == (word, fixed, True), proof.sentence
    assert proof.passed == (7 if word == "proven" else 0)


def test_a_failure_alone_tells_its_message() -> None:
    alone = prove_asked((ONE,), 1, seen(one="failed"), seen(one="failed"))
    assert (alone.still_red, alone.output_tail) == ((ONE,), f"{ONE} is wrong")
    assert prove_asked((ONE,), 1, seen(), seen(one="failed")).output_tail == "the end"
    assert prove_asked((ONE,), 1, ERROR, seen(one="failed")).output_tail == "it crashed"


def test_without_an_asked_test_advice_refuses() -> None:
    held, refused = without_asked("junit", (), ()), without_asked("junit", (ADVICE,), ())
    assert (held.word, held.sentence) == ("held", NOT_ASKED)
    assert (refused.word, refused.evidence) == ("refused", "junit")
    assert without_asked("junit", (), (ONE,)).sentence == f"nothing is proven: {ONE} did not turn green"


@pytest.mark.parametrize("word", get_args(ProofWord))
def test_what_is_not_proven_does_not_land(word: ProofWord) -> None:
    lands = word in ("proven", "held")
    assert why_refused(Proof(word, "so it is", "junit", output_tail="x" * 2000)) == (
        "" if lands else "so it is\n" + "x" * 1500
    )


def test_an_exit_code_that_proves_nothing_does_not_land_either() -> None:
    assert why_refused(Proof("unproven", "UNPROVEN by exit code: deaf", "exit code")) == "UNPROVEN by exit code: deaf"


OTHERWISE = ProofText("lint", "7 passed", NOT_ASKED)
HELD = CheckAnswer("twins", "held", "red")


def test_a_receipt_names_what_was_red_and_what_the_checks_said() -> None:
    first = Proof("proven", "7 passed; 1 of 1", "junit", fixed=(ONE,), checks=(HELD,))
    text = proof_text((first,), "abcdefghij", OTHERWISE)
    assert text.red_before == f"{ONE} was red every time on abcdefg"
    assert (text.green_after, text.red_without) == ("7 passed; 1 of 1", "1 test(s) were red again without the fix")
    assert text.checks == ("twins held: red",)
    both = proof_text(
        (first, Proof("held", "no", "junit"), Proof("proven", "8", "junit", fixed=(TWO,))), "b", OTHERWISE
    )
    assert both.red_before == f"{ONE}, {TWO} were red every time on b"
    assert (both.green_after, both.red_without[:9]) == ("7 passed; 1 of 1; 8", "2 test(s)")


def test_a_receipt_without_proof_says_so() -> None:
    assert proof_text((), "b", OTHERWISE) == OTHERWISE
    unproven = proof_text((Proof("unproven", "UNPROVEN: passes", "junit", checks=(HELD,)),), "b", OTHERWISE)
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
    assert what_ran(label, alone=alone) == said
