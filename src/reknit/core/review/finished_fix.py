"""What an attempt on findings came to: kept, refused with a reason for the next one, or not checked at all."""

from reknit.core.agents.call import Aborted, Outcome, outcome_word
from reknit.core.gate.verdict import GateVerdict
from reknit.core.review.decision import FixFindings
from reknit.core.review.progress import FixAttempt
from reknit.core.review.step_results import Confirmation, FixProof
from reknit.core.runs.feedback import feedback


def finished_fix(
    move: FixFindings, outcome: Outcome, gate: GateVerdict, proof: FixProof | None, said: Confirmation | None
) -> FixAttempt:
    """`proof`: None if the gate refused. `said`: None if the reviewer was not asked, because the tests did not hold."""
    kept = proof is not None and said is not None and not said.still_there and not said.unheard
    why = "" if kept else _why(proof, said) or feedback(gate, None, outcome)
    if why and isinstance(outcome, Aborted):
        why = f"{move.agent} did not finish ({outcome_word(outcome)}); {why}"
    unseen = (proof.unseen if proof else "") or (said.unheard if said else "")
    return FixAttempt(move.number, move.batch.number, kept=kept, why=why, agent=move.agent, unseen=unseen)


def _why(proof: FixProof | None, said: Confirmation | None) -> str:
    if said and said.still_there:
        return f"The reviewer says that the problem is still there: {said.still_there}"
    if said and said.unheard:
        return said.unheard
    return f"The change failed verification: {proof.why}" if proof and proof.why else ""
