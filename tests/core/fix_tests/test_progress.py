"""What is kept of an attempt, and what it changes about a repair."""

import pytest

from reknit.core.agents.call import Aborted, Done, Outcome, Usage
from reknit.core.finding import Finding
from reknit.core.fix_tests.progress import Try, build_attempt
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.testing.proof import Proof, ProofWord
from reknit.core.testing.report import WHOLE_SUITE

ONE = Finding("T-1", "tests", "test-failed", "t::one")


def test_a_refused_attempt_fixes_nothing() -> None:
    gate = GateVerdict((Refusal("a", "x", "one"),), (), 1, 1, 1)
    attempt = build_attempt(Try(ONE, 1, "local", "claude"), Done(), Usage(), 2.0, gate, None)
    assert (attempt.proof, attempt.fixed, attempt.seconds) == (None, (), 2.0)


@pytest.mark.parametrize(
    ("word", "fixed"),
    [
        pytest.param("proven", ("t::one",), id="proven counts"),
        pytest.param("regressed", (), id="a regression fixes nothing, whatever it turned green"),
    ],
)
def test_only_a_proven_attempt_fixes(word: ProofWord, fixed: tuple[str, ...]) -> None:
    proof = Proof(word, "said", "junit", fixed=("t::one",), seconds=3.0)
    attempt = build_attempt(Try(ONE, 1, "local", "claude"), Done(), Usage(), 2.0, GateVerdict((), (), 1, 1, 1), proof)
    assert (attempt.fixed, attempt.seconds) == (fixed, 5.0)


@pytest.mark.parametrize(
    ("outcome", "files", "idle"),
    [
        pytest.param(Aborted("idle"), 0, True, id="silent and nothing done"),
        pytest.param(Aborted("idle"), 1, False, id="silent, but it changed something"),
        pytest.param(Aborted("crashed"), 0, False, id="a crash is an attempt"),
    ],
)
def test_which_attempts_are_counted_apart(outcome: Outcome, files: int, idle: bool) -> None:
    attempt = build_attempt(
        Try(ONE, 1, "local", "claude"), outcome, Usage(), 2.0, GateVerdict((), (), files, 0, 0), None
    )
    assert attempt.idle is idle


def test_a_fix_of_a_whole_command_is_by_exit_code() -> None:
    gate = GateVerdict((), (), 1, 1, 0)
    for test, expected in ((WHOLE_SUITE, True), ("t::one", False)):
        proof = Proof("proven", "", "exit code", fixed=(test,))
        attempt = build_attempt(Try(ONE, 1, "local", "claude"), Done(), Usage(), 2.0, gate, proof)
        assert attempt.by_exit_code is expected
