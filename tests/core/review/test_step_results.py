"""How a fix is recorded: it is kept if gate, tests and reviewer accept it; else the next attempt reads why."""

import pytest

from reknit.core.agents.call import Aborted, Done, Outcome, Unusable
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.review.decision import FixFindings
from reknit.core.review.step_results import Confirmation, FixProof, conclude_fix
from reknit.core.testing.proof import Proof
from tests.tools.review_samples import ONE

HELD = FixProof("c1", "", passed=7)
RED = "t::one is red\nassert 1 == 2"


@pytest.mark.parametrize(
    ("proof", "said", "expected"),
    [
        pytest.param(HELD, None, Proof("held", "7 passed, no new failures", "junit"), id="the tests held"),
        pytest.param(
            HELD, Confirmation(""), Proof("held", "7 passed, no new failures", "junit"), id="and no word against it"
        ),
        pytest.param(
            HELD, Confirmation("None still crashes\nsee line 6"), Proof("unproven", "None still crashes", "junit"),
            id="the reviewer says that it is still there",
        ),
        pytest.param(
            HELD, Confirmation("", "correctness did not answer"),
            Proof("unseen", "correctness did not answer", "junit"), id="the reviewer did not answer",
        ),
        pytest.param(
            FixProof("c1", RED), None, Proof("regressed", "t::one is red", "junit", output_tail=RED), id="a test is red"
        ),
        pytest.param(
            FixProof("c1", RED), Confirmation(""), Proof("regressed", "t::one is red", "junit", output_tail=RED),
            id="a reviewer's word makes up for no red test",
        ),
        pytest.param(
            FixProof("c1", "no pytest", unseen="no pytest"), None,
            Proof("unseen", "no pytest", "junit", output_tail="no pytest"), id="the tests gave no result",
        ),
        pytest.param(
            FixProof("c1", "refused: it hides a warning", word="refused"), None,
            Proof("refused", "refused: it hides a warning", "junit", output_tail="refused: it hides a warning"),
            id="its test is green by a trick",
        ),
    ],
)  # fmt: skip
def test_a_fix_is_recorded_as_a_proof(proof: FixProof, said: Confirmation | None, expected: Proof) -> None:
    assert proof.to_proof("junit", said) == expected


MOVE = FixFindings(4, "claude", ONE, 0, "local", "")
REFUSAL = Refusal("protected-test", "t.py", "it changes a test")
ACCEPTED, REFUSED = (GateVerdict(refusals, (), 1, 1, 0) for refusals in ((), (REFUSAL,)))
OK, BROKEN = FixProof("c1", "", 7), FixProof("c1", "t is red")
UNSEEN = FixProof("c1", "no result", unseen="no pytest")


@pytest.mark.parametrize(
    ("outcome", "gate", "proof", "said", "kept", "why", "unseen"),
    [
        pytest.param(Done(), ACCEPTED, OK, Confirmation(""), True, "", "", id="kept"),
        pytest.param(Aborted("timeout"), ACCEPTED, OK, Confirmation(""), True, "", "", id="kept, though cut short"),
        pytest.param(Done(), REFUSED, None, None, False, "it changes a test", "", id="the gate refuses"),
        pytest.param(Done(), ACCEPTED, BROKEN, None, False, "t is red", "", id="a test is red"),
        pytest.param(Done(), ACCEPTED, UNSEEN, None, False, "no result", "no pytest", id="no result"),
        pytest.param(Done(), ACCEPTED, OK, Confirmation("it crashes"), False, "it crashes", "", id="still there"),
        pytest.param(Done(), ACCEPTED, OK, Confirmation("", "silent"), False, "silent", "silent", id="not heard"),
        pytest.param(Aborted("timeout"), ACCEPTED, BROKEN, None, False, "did not finish", "", id="cut short and red"),
    ],
)
def test_what_an_attempt_came_to(
    outcome: Outcome, gate: GateVerdict, proof: FixProof | None, said: Confirmation | None,
    kept: bool, why: str, unseen: str,
) -> None:  # fmt: skip
    tried = conclude_fix(MOVE, outcome, gate, proof, said)
    assert (tried.succeeded, why in tried.why, bool(tried.why), tried.unseen) == (kept, True, not kept, unseen)
    assert (tried.number, tried.batch, tried.agent) == (4, ONE.number, "claude")


@pytest.mark.parametrize(
    ("confirmation", "may_retry"),
    [
        (Confirmation(""), False),
        (Confirmation("still there"), False),
        (Confirmation("", "crashed"), True),
        (Confirmation("", "no key", Unusable("login", "no key")), False),
    ],
)
def test_only_a_missing_answer_is_asked_for_again(confirmation: Confirmation, *, may_retry: bool) -> None:
    assert confirmation.may_retry == may_retry
