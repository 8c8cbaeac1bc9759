"""How the tests after a batch are recorded."""

import pytest

from reknit.core.fix_issues.step_results import BatchProof
from reknit.core.testing.proof import Proof


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        pytest.param(
            BatchProof("c1", "", 1.0, passed=7), Proof("held", "7 passed, no new failures", "junit"), id="they held"
        ),
        pytest.param(
            BatchProof("c1", "t::one is red\nassert 1 == 2", 1.0, word="regressed"),
            Proof("regressed", "t::one is red", "junit", output_tail="t::one is red\nassert 1 == 2"),
            id="they did not: the first line says why",
        ),
    ],
)
def test_a_batch_is_recorded_as_a_proof(held: BatchProof, expected: Proof) -> None:
    assert held.to_proof("junit") == expected
