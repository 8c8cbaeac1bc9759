"""Describes the results of the steps of a review run, and the outcome of a fix."""

from dataclasses import dataclass

from reknit.core.agents.call import Aborted, Outcome, RateLimited, Unusable, to_outcome_word
from reknit.core.gate.verdict import GateVerdict
from reknit.core.review.decision import FixFindings
from reknit.core.review.progress import FixAttempt, ReviewerAnswer
from reknit.core.runs.feedback import explain_failure
from reknit.core.testing.proof import Proof, ProofWord


@dataclass(frozen=True)
class ReviewerCall:
    """One call of a reviewer about the whole change."""

    answer: ReviewerAnswer
    limited: RateLimited | None
    """The limit that was hit; the reviewer is asked again later."""
    may_retry: bool
    """The call failed in a way that another one may not."""
    seconds: float
    spent_usd: float


@dataclass(frozen=True)
class Confirmation:
    """The answer of a reviewer on one fix of its findings.

    It can reject the fix, but never make up for a red test.
    """

    still_there: str
    """Why the problem remains; empty: the reviewer does not say so."""
    unheard: str = ""
    """Why it gave no answer."""
    limited: RateLimited | Unusable | None = None
    seconds: float = 0.0
    spent_usd: float = 0.0
    at: float = 0.0

    @property
    def may_retry(self) -> bool:
        """Return True if the call failed in a way that another one may not."""
        return bool(self.unheard) and self.limited is None


@dataclass(frozen=True)
class FixProof:
    """The change of one attempt, committed on top of the head, and the result of its tests."""

    commit: str
    why: str
    """Why the tests failed; empty: they passed."""
    passed: int = 0
    unseen: str = ""
    """Why the tests gave no result."""
    seconds: float = 0.0
    word: ProofWord = "regressed"
    """Kind of failure of the tests."""
    untouched: tuple[str, ...] = ()
    """Ids of the findings whose lines, and those beside them, are as before."""

    def to_proof(self, evidence: str, confirmation: Confirmation | None) -> Proof:
        if self.why:
            word: ProofWord = "unseen" if self.unseen else self.word
            return Proof(word, self.why.splitlines()[0], evidence, output_tail=self.why[-2000:])
        if confirmation and (problem := confirmation.still_there or confirmation.unheard):
            return Proof("unproven" if confirmation.still_there else "unseen", problem.splitlines()[0], evidence)
        return Proof("held", f"{self.passed} passed, no new failures", evidence)


def conclude_fix(
    move: FixFindings, outcome: Outcome, gate: GateVerdict, proof: FixProof | None, confirmation: Confirmation | None
) -> FixAttempt:
    """Return whether the fix succeeded, and else a reason for the next attempt.

    `proof`: None if the gate refused. `confirmation`: None if the reviewer was not asked, because the tests failed.
    """
    succeeded = (
        proof is not None and confirmation is not None and not confirmation.still_there and not confirmation.unheard
    )
    why = "" if succeeded else _explain_failure(proof, confirmation) or explain_failure(gate, None, outcome)
    if why and isinstance(outcome, Aborted):
        why = f"{move.agent} did not finish ({to_outcome_word(outcome)}); {why}"
    unseen = (proof.unseen if proof else "") or (confirmation.unheard if confirmation else "")
    return FixAttempt(move.number, move.batch.number, succeeded=succeeded, why=why, agent=move.agent, unseen=unseen)


def _explain_failure(proof: FixProof | None, confirmation: Confirmation | None) -> str:
    if confirmation and confirmation.still_there:
        return f"The reviewer says that the problem is still there: {confirmation.still_there}"
    if confirmation and confirmation.unheard:
        return confirmation.unheard
    return f"The change failed verification: {proof.why}" if proof and proof.why else ""
