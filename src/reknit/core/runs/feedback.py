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
"""Maximum size of the quoted output in bytes; agents get reasons, not transcripts."""
_FAILURE = re.compile(r"error|fail|panick|assert|expected|exception", re.IGNORECASE)


def find_telling_line(finding: Finding) -> str:
    """Return the first line of a test's message; for a command's output, the last line that mentions a failure."""
    lines = [line.strip()[:100] for line in finding.message.splitlines() if line.strip()]
    if not finding.subject.endswith(WHOLE_SUITE) or not lines:
        return lines[0] if lines else ""
    return next((line for line in reversed(lines) if _FAILURE.search(line)), lines[-1])


def explain_failure(gate: GateVerdict | None, proof: Proof | None, outcome: Outcome) -> str:
    """Return why an attempt failed, for the prompt of the next one."""
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
    sentences = {refusal.rule: refusal.sentence for refusal in reversed(gate.refusals)}
    counts = Counter(refusal.rule for refusal in gate.refusals)
    return [
        f"- {sentences[rule]}" + (f" (and {count - 1} more of this kind)" if count > 1 else "")
        for rule, count in counts.items()
    ]
