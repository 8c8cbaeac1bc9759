"""What the gate and the test showed about the work of a window."""

from collections.abc import Sequence

from reknit.core.causes.left_out import left_out_text
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.checks.tests import settle
from reknit.core.evidence.digest import excerpt
from reknit.core.gate.verdict import GateVerdict
from reknit.core.hook.mode import CheckResult
from reknit.core.testing.named import is_asked
from reknit.core.testing.report import TestReport
from reknit.core.text.format import counted, first_few, one_line

OUTPUT_BYTES = 4_000
MOST_REFUSALS = 5


def refused(verdict: GateVerdict) -> CheckResult:
    first = verdict.refusals[0]
    more = f" (and {counted(len(verdict.refusals) - 1, 'more refusal')})" if len(verdict.refusals) > 1 else ""
    lines = [f"{each.rule}: {one_line(each.sentence)}" for each in verdict.refusals[:MOST_REFUSALS]]
    return CheckResult("refused", f"refused [{first.rule}]: {one_line(first.sentence)}{more}", "\n".join(lines))


def seen_in(report: TestReport, named: Sequence[str], facts: TreeFacts) -> CheckResult:
    """`report`: one run of the named tests, and of those that cannot be separated from them."""
    seen = settle(report, None, facts)
    if report.status == "error":
        why = one_line(report.why) or "the test command gave no result"
        return _failed(why, report.output_tail) if seen.findings else _unseen(left_out_text(seen.left_out) or why)
    asked = {test: result for test, result in report.results.items() if is_asked(test, named)}
    red = [finding.subject for finding in seen.findings if finding.subject in asked]
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
