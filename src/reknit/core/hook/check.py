"""What the gate and the test showed about the work of a window."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.causes.left_out import left_out_text
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.checks.tests import settle
from reknit.core.evidence.digest import excerpt
from reknit.core.gate.verdict import GateVerdict
from reknit.core.hook.mode import CheckResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.testing.report import TestReport, is_asked
from reknit.core.text.format import counted, first_few, one_line, seconds

OUTPUT_BYTES = 4_000
MOST_REFUSALS = 5
NOTHING_CHANGED = "nothing-changed"
UNCHANGED = (
    "Nothing that git sees was changed since the bug was armed: the test passed already, or passes because of files "
    "that git ignores."
)


def refused(verdict: GateVerdict) -> CheckResult | None:
    """None: the test may run. A window that changed nothing is shown what its test says, as at its first stop."""
    refusals = [refusal for refusal in verdict.refusals if refusal.rule != NOTHING_CHANGED]
    if not refusals:
        return None
    first = refusals[0]
    more = f" (and {counted(len(refusals) - 1, 'more refusal')})" if len(refusals) > 1 else ""
    lines = [f"{each.rule}: {one_line(each.sentence)}" for each in refusals[:MOST_REFUSALS]]
    return CheckResult("refused", f"refused [{first.rule}]: {one_line(first.sentence)}{more}", "\n".join(lines))


def with_note(result: CheckResult, verdict: GateVerdict) -> CheckResult:
    """`result`: of the test; `verdict`: on the change that it ran with."""
    is_unchanged = any(refusal.rule == NOTHING_CHANGED for refusal in verdict.refusals)
    return replace(result, output=UNCHANGED) if is_unchanged and result.verdict == "passed" else result


def seen_in(report: TestReport, named: Sequence[str], facts: TreeFacts) -> CheckResult:
    """`report`: one run of the named tests, and of those that cannot be separated from them."""
    seen = settle(report, None, facts)
    if report.status == "error":
        why = one_line(report.why) or "the test command gave no result"
        return _failed(why, report.output_tail) if seen.findings else _unseen(left_out_text(seen.left_out) or why)
    asked = {test: result for test, result in report.results.items() if is_asked(test, named)}
    # A file that cannot be loaded has no tests: its runner reports the load itself, under a name of its own.
    is_loaded = bool(asked or report.passed)
    red = [finding.subject for finding in seen.findings if finding.subject in asked or not is_loaded]
    if red:
        names = first_few([*map(one_line, red)])
        return _failed(f"{names} failed", report.messages.get(red[0]) or report.output_tail)
    if "failed" in asked.values():
        return _unseen(left_out_text(seen.left_out))
    if "passed" in asked.values():
        return CheckResult("passed", f"{counted(list(asked.values()).count('passed'), 'test')} passed")
    if asked:
        return _failed(f"{first_few([*map(one_line, asked)])} was skipped, not passed", report.output_tail)
    return _unseen(f"no test of {first_few([*map(one_line, named)])} ran")


def _failed(sentence: str, output: str) -> CheckResult:
    return CheckResult("failed", sentence, excerpt(output, OUTPUT_BYTES))


def _unseen(sentence: str) -> CheckResult:
    return CheckResult("unseen", sentence)


def ending_of(result: CheckResult) -> Ending:
    if result.output == UNCHANGED:
        return Ending("CLEAN", f"{result.sentence}, and nothing that git sees was changed")
    if result.verdict == "passed":
        return Ending("FIXED", result.sentence)
    return Ending("UNVERIFIED" if result.verdict == "unseen" else "DEFERRED", result.sentence)


def check_event(result: CheckResult, took_s: float) -> Event:
    passed = result.verdict == "passed"
    data: dict[str, object] = {"verdict": result.verdict, "seconds": round(took_s, 2)}
    return Event("check", "ok" if passed else "bad", "test", f"{result.sentence}  {seconds(took_s)}", data)
