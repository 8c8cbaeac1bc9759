"""Acceptance criteria of a plan: their results, and their effect on the ending of the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.capability import StoredRun
from reknit.core.causes.cause import render_left_out
from reknit.core.checks.status import TestsResult
from reknit.core.planning.criteria import ProjectTests
from reknit.core.planning.criterion_facts import CriterionResult, CriterionState
from reknit.core.planning.targets import VariantTarget
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event, Mark
from reknit.core.testing.report import WHOLE_SUITE, is_requested
from reknit.core.text.format import join_and_count, pluralize, render_field, sanitize_line, to_one_line

CRITERIA_DOCUMENT = "criteria"
"""Name of the stored document with the results of a run's criteria."""
_GOOD = ("FIXED", "CLEAN")
"""Endings that criteria can lower."""
_MARKS: Mapping[CriterionState, Mark] = {"passed": "ok", "failed": "bad", "unverified": "note"}
"""Mark at the beginning of a criterion's line."""


@dataclass(frozen=True)
class CheckedCriterion:
    """One acceptance criterion, and the result of its check."""

    text: str
    """Text of the criterion in the plan."""
    state: CriterionState
    observation: str
    """Output that decided the state, or the reason why the check gave no result."""
    seconds: float = 0.0
    """Duration of the check in seconds."""

    @property
    def result(self) -> str:
        """Line that is printed below the criterion."""
        return f"{self.state}: {to_one_line(self.observation)}"


def apply_criteria(ending: Ending, criteria: Sequence[CheckedCriterion], left_out: Sequence[str]) -> Ending:
    """Lower a good ending to PARTIAL for a failed criterion or skipped task, to UNVERIFIED for an unclear one."""
    states = [criterion.state for criterion in criteria]
    reason = f"{ending.reason}; {_count_states(states)}"
    if left_out:
        reason += f"; passed over: {join_and_count(list(left_out), between='; ')}"
    ending = replace(ending, reason=reason)
    if ending.word not in _GOOD:
        return ending
    if "failed" in states or left_out:
        return replace(ending, word="PARTIAL")
    return ending if states and "unverified" not in states else replace(ending, word="UNVERIFIED")


def explain_timeout(criteria: Sequence[CheckedCriterion], limit_s: float) -> str:
    """Return why no further command runs; empty: one may. Together they may take as long as the work."""
    used_s = sum(criterion.seconds for criterion in criteria)
    return f"the criteria before it took {used_s:.0f} s, and {limit_s:.0f} s is the limit" if used_s >= limit_s else ""


def _count_states(states: Sequence[CriterionState]) -> str:
    text = f"{states.count('passed')} of {len(states)} criteria passed"
    for state in ("failed", "unverified"):
        text += f", {states.count(state)} {state}" if state in states else ""
    return text


def build_criteria_document(target: VariantTarget, criteria: Sequence[CheckedCriterion]) -> dict[str, object]:
    """Return the results of the criteria as a document of the run."""
    return {
        "plan": target.plan,
        "plan_sha256": target.digest,
        "variant": target.name,
        "criteria": [
            {"text": criterion.text, "state": criterion.state, "said": criterion.observation} for criterion in criteria
        ],
    }


def get_criteria_document(stored: StoredRun) -> dict[str, object]:
    """Return the criteria for the JSON of a run; empty if none was checked."""
    document = stored.documents.get(CRITERIA_DOCUMENT)
    return dict(document) if document else {}


def render_criteria(stored: StoredRun, width: int) -> list[str]:
    """Return lines with the plan and the result of each criterion; none if none was checked."""
    document = stored.documents.get(CRITERIA_DOCUMENT)
    if not document:
        return []
    plan, digest = to_one_line(document["plan"]), document["plan_sha256"][:12]
    plan_text = f"{plan} as it was when it allowed {document['variant']}: SHA-256 {digest}"
    lines = render_field("plan", plan_text, width)
    for criterion in document["criteria"]:
        lines += render_field(
            str(criterion["state"]), f"{to_one_line(criterion['text'])} ({to_one_line(criterion['said'])})", width
        )
    return lines


def add_criteria(text: str, stored: StoredRun, width: int) -> str:
    """Return the text of an ending, with the plan and the result of each criterion."""
    return "\n".join([text, *render_criteria(stored, width)])


def report_criterion(number: int, criterion: CheckedCriterion) -> Event:
    """Return the event for one checked criterion."""
    data: dict[str, object] = {
        "number": number, "criterion": criterion.text, "state": criterion.state, "said": criterion.observation,
    }  # fmt: skip
    text = f"{criterion.state}: {to_one_line(criterion.text)} ({to_one_line(criterion.observation)})"
    return Event("criterion", _MARKS[criterion.state], "criterion", text, data)


def report_unwritten_results(plan: str, why: str) -> Event:
    """Return the event for results that could not be written into the plan."""
    text = f"the results are not in {to_one_line(plan)}: {to_one_line(why)}"
    return Event("results_not_written", "bad", "plan", text, {"plan": plan, "why": why})


_SHOWN = 160


def judge_tests(check: ProjectTests, result: TestsResult) -> CriterionResult:
    """Judge a criterion by the project's tests. A failure of the environment leaves it unverified."""
    if result.status == "error":
        return CriterionResult("unverified", f"the tests gave no result: {sanitize_line(result.why, _SHOWN)}")
    red = [test for finding in result.findings for test in finding.tests]
    if check.test and WHOLE_SUITE in (*red, *result.passing):
        return CriterionResult("unverified", "the test command does not say which tests it ran")
    if failed := _select_tests(check, red):
        return CriterionResult(
            "failed", f"{pluralize(len(failed), 'test')} failed: {sanitize_line(', '.join(failed), _SHOWN)}"
        )
    if result.left_out:
        return CriterionResult(
            "unverified", f"not all tests could run here: {sanitize_line(render_left_out(result.left_out), _SHOWN)}"
        )
    if flaky := _select_tests(check, result.flaky):
        return CriterionResult("unverified", f"red only sometimes: {sanitize_line(', '.join(flaky), _SHOWN)}")
    passed = _select_tests(check, result.passing)
    if not passed:
        return CriterionResult("unverified", "no such test was run")
    return CriterionResult("passed", f"{pluralize(len(passed), 'test')} passed")


def _select_tests(check: ProjectTests, tests: tuple[str, ...] | list[str]) -> list[str]:
    path = check.test.rstrip("/")
    return [test for test in tests if not path or is_requested(test, (path,))]
