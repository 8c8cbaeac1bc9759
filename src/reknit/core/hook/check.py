"""Makes the result of a check from the gate's verdict and the test's report."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.causes.cause import render_left_out
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.checks.tests import judge_commit_tests
from reknit.core.evidence.digest import excerpt
from reknit.core.gate.verdict import GateVerdict
from reknit.core.hook.mode import CheckResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.testing.report import TestReport, is_requested
from reknit.core.text.format import format_seconds, join_few, pluralize, to_one_line

OUTPUT_BYTES = 4_000
MAX_REFUSALS = 5
NOTHING_CHANGED = "nothing-changed"
UNCHANGED = (
    "Nothing that git sees was changed since the bug was armed: the test passed already, or passes because of files "
    "that git ignores."
)


def find_refusal(verdict: GateVerdict) -> CheckResult | None:
    """Return the refusal of the gate; None: the test may run.

    The test also runs if nothing was changed, which is usual when a window stops for the first time.
    """
    refusals = [refusal for refusal in verdict.refusals if refusal.rule != NOTHING_CHANGED]
    if not refusals:
        return None
    first = refusals[0]
    more = f" (and {pluralize(len(refusals) - 1, 'more refusal')})" if len(refusals) > 1 else ""
    lines = [f"{refusal.rule}: {to_one_line(refusal.sentence)}" for refusal in refusals[:MAX_REFUSALS]]
    return CheckResult("refused", f"refused [{first.rule}]: {to_one_line(first.sentence)}{more}", "\n".join(lines))


def add_note(result: CheckResult, verdict: GateVerdict) -> CheckResult:
    """Add a note to a passed test if nothing was changed. `verdict`: the gate's, about the tested change."""
    is_unchanged = any(refusal.rule == NOTHING_CHANGED for refusal in verdict.refusals)
    return replace(result, output=UNCHANGED) if is_unchanged and result.verdict == "passed" else result


def judge_report(report: TestReport, test_ids: Sequence[str], facts: TreeFacts) -> CheckResult:
    """Return the result of one run of the named tests; tests that cannot be separated from them may have run too."""
    result = judge_commit_tests(report, None, facts)
    if report.status == "error":
        why = to_one_line(report.why) or "the test command gave no result"
        return (
            _to_failed(why, report.output_tail)
            if result.findings
            else _to_unseen(render_left_out(result.left_out) or why)
        )
    results = {test: result for test, result in report.results.items() if is_requested(test, test_ids)}
    # For a file that cannot be loaded, the runner reports no tests, but one failure under another name.
    is_loaded = bool(results or report.passed)
    red = [finding.subject for finding in result.findings if finding.subject in results or not is_loaded]
    if red:
        names = join_few([*map(to_one_line, red)])
        return _to_failed(f"{names} failed", report.messages.get(red[0]) or report.output_tail)
    if "failed" in results.values():
        return _to_unseen(render_left_out(result.left_out))
    if "passed" in results.values():
        return CheckResult("passed", f"{pluralize(list(results.values()).count('passed'), 'test')} passed")
    if results:
        return _to_failed(f"{join_few([*map(to_one_line, results)])} was skipped, not passed", report.output_tail)
    return _to_unseen(f"no test of {join_few([*map(to_one_line, test_ids)])} ran")


def _to_failed(sentence: str, output: str) -> CheckResult:
    return CheckResult("failed", sentence, excerpt(output, OUTPUT_BYTES))


def _to_unseen(sentence: str) -> CheckResult:
    return CheckResult("unseen", sentence)


def to_ending(result: CheckResult, *, is_open: bool = False) -> Ending:
    """Return the ending of the run. `is_open`: the window goes on with the bug."""
    if result.output == UNCHANGED:
        return Ending("CLEAN", f"{result.sentence}, and nothing that git sees was changed")
    if result.verdict == "passed":
        return Ending("FIXED", result.sentence)
    if result.verdict == "unseen":
        return Ending("UNVERIFIED", result.sentence)
    return (
        Ending("PARTIAL", f"{result.sentence}; the window goes on") if is_open else Ending("DEFERRED", result.sentence)
    )


def to_event(result: CheckResult, took_s: float) -> Event:
    """Return the event of the run."""
    passed = result.verdict == "passed"
    data: dict[str, object] = {"verdict": result.verdict, "seconds": round(took_s, 2)}
    return Event("check", "ok" if passed else "bad", "test", f"{result.sentence}  {format_seconds(took_s)}", data)
