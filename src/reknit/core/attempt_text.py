"""How one attempt ended, for people: refused by the gate, or what the tests showed."""

from collections.abc import Mapping, Sequence

from reknit.core.runs.view import AttemptView
from reknit.core.text.format import one_line


def is_iteration(name: str) -> bool:
    """`i3`: the attempt covered everything that iteration 3 of a `fix pr` run found."""
    return name.startswith("i") and name[1:].isdigit()


def attempt_result(attempt: AttemptView) -> str:
    refusals = refusals_of(attempt)
    if refusals:
        return f"refused [{refusals[0]['rule']}]: {one_line(refusals[0]['sentence'])}"
    if attempt.proof and is_iteration(attempt.finding):
        landed = attempt.proof["word"] in ("proven", "held")
        return f"{'' if landed else 'not pushed: '}{one_line(str(attempt.proof['sentence']))}"
    if attempt.proof:
        return f"{attempt.proof['word']}: {one_line(str(attempt.proof['sentence']))}"
    return attempt.outcome or "not finished"


def refusals_of(attempt: AttemptView) -> Sequence[Mapping[str, str]]:
    found = (attempt.gate or {}).get("refusals")
    return found if isinstance(found, list) else ()
