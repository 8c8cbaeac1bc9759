"""A fix is kept if gate, tests and reviewer leave it; anything else tells the next attempt why."""

import pytest

from reknit.core.agents.call import Aborted, Done, Outcome
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.review.decision import FixFindings
from reknit.core.review.finished_fix import finished_fix
from reknit.core.review.step_results import Confirmation, FixProof
from tests.tools.review_samples import ONE

MOVE = FixFindings(4, "claude", ONE, 0, "local", "")
REFUSAL = Refusal("protected-test", "t.py", "it changes a test")
ACCEPTED, REFUSED = (GateVerdict(refusals, (), 1, 1, 0) for refusals in ((), (REFUSAL,)))
HELD, RED = FixProof("c1", "", 7), FixProof("c1", "t is red")
UNSEEN = FixProof("c1", "no result", unseen="no pytest")


@pytest.mark.parametrize(
    ("outcome", "gate", "proof", "said", "kept", "why", "unseen"),
    [
        pytest.param(Done(), ACCEPTED, HELD, Confirmation(""), True, "", "", id="kept"),
        pytest.param(Aborted("timeout"), ACCEPTED, HELD, Confirmation(""), True, "", "", id="kept, though cut short"),
        pytest.param(Done(), REFUSED, None, None, False, "it changes a test", "", id="the gate refuses"),
        pytest.param(Done(), ACCEPTED, RED, None, False, "t is red", "", id="a test is red"),
        pytest.param(Done(), ACCEPTED, UNSEEN, None, False, "no result", "no pytest", id="no result"),
        pytest.param(Done(), ACCEPTED, HELD, Confirmation("it crashes"), False, "it crashes", "", id="still there"),
        pytest.param(Done(), ACCEPTED, HELD, Confirmation("", "silent"), False, "silent", "silent", id="not heard"),
        pytest.param(Aborted("timeout"), ACCEPTED, RED, None, False, "did not finish", "", id="cut short and red"),
    ],
)
def test_what_an_attempt_came_to(
    outcome: Outcome, gate: GateVerdict, proof: FixProof | None, said: Confirmation | None,
    kept: bool, why: str, unseen: str,
) -> None:  # fmt: skip
    tried = finished_fix(MOVE, outcome, gate, proof, said)
    assert (tried.kept, why in tried.why, bool(tried.why), tried.unseen) == (kept, True, not kept, unseen)
    assert (tried.number, tried.batch, tried.agent) == (4, ONE.number, "claude")
