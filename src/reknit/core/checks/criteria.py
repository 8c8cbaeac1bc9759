"""What the acceptance criteria of a plan do to the ending of the run that it allowed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.capability import StoredRun
from reknit.core.planning.criterion_facts import CriterionState
from reknit.core.planning.targets import VariantTarget
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event, Mark
from reknit.core.text.format import first_and_more, one_line
from reknit.core.text.layout import field

SAVED = "criteria"
"""The document of a run that has them."""
_GOOD = ("FIXED", "CLEAN")
"""At the beginning of a line."""
_MARKS: Mapping[CriterionState, Mark] = {"passed": "ok", "failed": "bad", "unverified": "note"}


@dataclass(frozen=True)
class CheckedCriterion:
    text: str
    """As the plan has it."""
    state: CriterionState
    said: str
    """What was seen, or why nothing could be."""
    seconds: float = 0.0
    """How long it took."""

    @property
    def result(self) -> str:
        """As it stands under the criterion."""
        return f"{self.state}: {one_line(self.said)}"


def with_criteria(ending: Ending, checked: Sequence[CheckedCriterion], left_out: Sequence[str]) -> Ending:
    """A good ending becomes PARTIAL if a criterion failed or a task was passed over, and UNVERIFIED if no code could
    tell; one that is not good stays, with the count."""
    states = [each.state for each in checked]
    reason = f"{ending.reason}; {_counts(states)}"
    if left_out:
        reason += f"; passed over: {first_and_more(list(left_out), between='; ')}"
    ending = replace(ending, reason=reason)
    if ending.word not in _GOOD:
        return ending
    if "failed" in states or left_out:
        return replace(ending, word="PARTIAL")
    return ending if states and "unverified" not in states else replace(ending, word="UNVERIFIED")


def out_of_time(checked: Sequence[CheckedCriterion], limit_s: float) -> str:
    """Why no further command is run: one after the other they may take as long as the work, and no longer."""
    seconds = sum(each.seconds for each in checked)
    return (
        f"the criteria before it took {seconds:.0f} s, and {limit_s:.0f} s is the limit" if seconds >= limit_s else ""
    )


def _counts(states: Sequence[CriterionState]) -> str:
    text = f"{states.count('passed')} of {len(states)} criteria passed"
    for state in ("failed", "unverified"):
        text += f", {states.count(state)} {state}" if state in states else ""
    return text


def criteria_document(target: VariantTarget, checked: Sequence[CheckedCriterion]) -> dict[str, object]:
    return {
        "plan": target.plan,
        "plan_sha256": target.digest,
        "variant": target.name,
        "criteria": [{"text": each.text, "state": each.state, "said": each.said} for each in checked],
    }


def criteria_of(stored: StoredRun) -> dict[str, object]:
    """For the JSON of a run; nothing if no plan allowed it, or nothing was checked."""
    found = stored.documents.get(SAVED)
    return dict(found) if found else {}


def criteria_lines(stored: StoredRun, width: int) -> list[str]:
    found = stored.documents.get(SAVED)
    if not found:
        return []
    said = (
        f"{one_line(found['plan'])} as it was when it allowed {found['variant']}: SHA-256 {found['plan_sha256'][:12]}"
    )
    lines = field("plan", said, width)
    for each in found["criteria"]:
        lines += field(str(each["state"]), f"{one_line(each['text'])} ({one_line(each['said'])})", width)
    return lines


def criterion_event(number: int, checked: CheckedCriterion) -> Event:
    data: dict[str, object] = {
        "number": number, "criterion": checked.text, "state": checked.state, "said": checked.said,
    }  # fmt: skip
    text = f"{checked.state}: {one_line(checked.text)} ({one_line(checked.said)})"
    return Event("criterion", _MARKS[checked.state], "criterion", text, data)


def not_written(plan: str, why: str) -> Event:
    text = f"the results are not in {one_line(plan)}: {one_line(why)}"
    return Event("results_not_written", "bad", "plan", text, {"plan": plan, "why": why})
