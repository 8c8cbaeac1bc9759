"""How the tests and the reviewer's word after a fix are recorded."""

import pytest

from reknit.core.review.step_results import Confirmation, FixProof
from reknit.core.testing.proof import Proof

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
    assert proof.as_proof("junit", said) == expected
