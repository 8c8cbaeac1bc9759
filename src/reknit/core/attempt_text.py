"""Describes the end of one attempt for people: the refusal of the gate, or the result of the tests."""

from collections.abc import Mapping, Sequence

from reknit.core.runs.view import AttemptView
from reknit.core.text.format import to_one_line


def is_iteration(name: str) -> bool:
    """Return True if this name of a finding stands for a whole iteration of `fix pr`: `i3`."""
    return name.startswith("i") and name[1:].isdigit()


def describe_attempt(attempt: AttemptView) -> str:
    """Return one line: the first refusal, the proof, or how the agent ended."""
    refusals = list_refusals(attempt)
    if refusals:
        return f"refused [{refusals[0]['rule']}]: {to_one_line(refusals[0]['sentence'])}"
    if attempt.proof and is_iteration(attempt.finding):
        landed = attempt.proof["word"] in ("proven", "held")
        return f"{'' if landed else 'not pushed: '}{to_one_line(str(attempt.proof['sentence']))}"
    if attempt.proof:
        return f"{attempt.proof['word']}: {to_one_line(str(attempt.proof['sentence']))}"
    return attempt.outcome or "not finished"


def list_refusals(attempt: AttemptView) -> Sequence[Mapping[str, str]]:
    """Return the refusals that were stored with the attempt."""
    refusals = (attempt.gate or {}).get("refusals")
    return refusals if isinstance(refusals, list) else ()
