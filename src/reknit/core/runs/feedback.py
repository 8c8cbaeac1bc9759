"""Tells the next attempt why the previous one failed."""

import re
from collections import Counter

from reknit.core.agents.call import Done, Outcome, to_outcome_word
from reknit.core.evidence.digest import excerpt
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import WHOLE_SUITE

FEEDBACK_BYTES = 1_500
"""Maximum number of characters of the printed output: more would be a transcript."""


_FAILURE = re.compile(r"error|fail|panick|assert|expected|exception", re.IGNORECASE)


def find_telling_line(finding: Finding) -> str:
    """Return the first line of a test's message; for a command's output, the last line that mentions a failure."""
    words = [line.strip()[:100] for line in finding.message.splitlines() if line.strip()]
    if not finding.subject.endswith(WHOLE_SUITE) or not words:
        return words[0] if words else ""
    return next((line for line in reversed(words) if _FAILURE.search(line)), words[-1])


def explain_failure(gate: GateVerdict | None, proof: Proof | None, outcome: Outcome) -> str:
    """Return the reasons that the next attempt learns, never a transcript."""
    end_sentence = f"The attempt ended as: {to_outcome_word(outcome)}"
    cut_short = [] if isinstance(outcome, Done) else [end_sentence]
    if gate and not gate.is_accepted:
        return "\n".join([*cut_short, "The change was refused by the gate:", *_list_reasons(gate)])
    if proof and proof.word != "proven":
        failed = f"The change failed verification: {proof.sentence}"
        return "\n".join([*cut_short, failed, excerpt(proof.output_tail, FEEDBACK_BYTES)]).strip()
    return end_sentence


def _list_reasons(gate: GateVerdict) -> list[str]:
    """Return the first refusal of each rule: ten files refused for one reason need one sentence."""
    first = {refusal.rule: refusal.sentence for refusal in reversed(gate.refusals)}
    often = Counter(refusal.rule for refusal in gate.refusals)
    return [
        f"- {first[rule]}" + (f" (and {count - 1} more of this kind)" if count > 1 else "")
        for rule, count in often.items()
    ]
