"""Whether a green fix may land."""

from dataclasses import replace

import pytest

from reknit.core.check_answer import CheckAnswer
from reknit.core.checks.honesty import judged, why_refused_by_checks, with_counting_advice
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.testing.proof import Proof

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
    proof = judged(PROOF, answers, advice)
    assert (proof.word, proof.checks) == (word, answers)
    assert proof.fixed == (PROOF.fixed if word == "proven" else ())
    assert proof.still_red == (PROOF.still_red if word == "proven" else ())


def test_a_refusal_says_what_was_seen() -> None:
    assert "check twins: a copy passes too" in judged(PROOF, (SEEN,), ()).sentence
    assert "[test-awareness]: a.py now looks for its tests;" in judged(PROOF, (SILENT,), (ADVICE,)).sentence
    assert "(and 1 more);" in judged(PROOF, (SILENT,), (ADVICE, ADVICE)).sentence


def test_advice_that_counted_is_what_refused() -> None:
    gate = GateVerdict((), ("test-awareness",), 1, 1, 0, advice=(ADVICE,))
    assert with_counting_advice(gate, judged(PROOF, (SILENT,), (ADVICE,))).refusals == (ADVICE,)
    both = replace(gate, rules=("suppression-added", "test-awareness"), advice=(OTHER, ADVICE))
    counted = with_counting_advice(both, judged(PROOF, (CANARY, TWINS), (OTHER, ADVICE)))
    assert (counted.refusals, counted.advice) == ((ADVICE,), (OTHER,))
    for proof in (None, PROOF, judged(PROOF, (SEEN,), (ADVICE,))):
        assert with_counting_advice(gate, proof) == gate


def test_an_ending_says_what_refused_a_green_change() -> None:
    said = "the last one turned its tests green, but was refused"
    by_a_check = why_refused_by_checks(judged(PROOF, (SEEN,), ()).sentence)
    assert by_a_check == f"{said} (`reknit explain twins`): tampering seen by the check twins: a copy passes too"
    by_advice = why_refused_by_checks(judged(PROOF, (SILENT,), (ADVICE,)).sentence)
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
    proof = judged(COMMAND, answers, ())
    assert (proof.word, proof.sentence) == (word, said)


def test_one_exit_code_among_results_by_name_is_enough_to_ask_for_a_canary() -> None:
    mixed = replace(COMMAND, fixed=("t::one", "the test command"))
    proof = judged(mixed, (HELD, TWINS), ())
    assert (proof.word, proof.fixed) == ("unproven", ())
    assert judged(mixed, (HELD, CANARY), ()).word == "proven"


def test_an_exit_code_does_not_show_that_a_suspicion_is_unfounded() -> None:
    assert judged(COMMAND, (CANARY,), (ADVICE,)).word == "refused"
