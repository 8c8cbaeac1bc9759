"""What counts as proof that an attempt repaired something. Only reports of reknit's own test runs count."""

from collections.abc import Sequence

from reknit.core.fix_tests.baseline import Baseline, is_named
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport
from reknit.core.text.format import first_few


def first_look(target: str, report: TestReport) -> Proof | None:
    """The target test on its own; None if the whole suite is worth running."""
    if report.status == "error":
        return _unseen(report)
    if report.result_of(target) != "passed":
        return _still_red(target, report)
    return None


def prove(
    target: str,
    baseline: Baseline,
    already_fixed: Sequence[str],
    with_fix: Sequence[TestReport],
    without_fix: TestReport,
) -> Proof:
    """`with_fix`: the whole suite, twice, on base + change; `without_fix`: what turned green, on the old source."""
    for report in with_fix:
        if report.status == "error":
            return _unseen(report)
        if report.result_of(target) != "passed":
            return _still_red(target, report)
    may_be_red = {*_red_before(baseline), *baseline.flaky} - {*already_fixed}
    broken = sorted({test for report in with_fix for test in report.failed if not is_named(test, may_be_red)})
    if broken:
        return _regressed(broken, with_fix, f"{len(broken)} test(s) are red that were not before: {first_few(broken)}")
    must_pass = {*baseline.passing, *already_fixed}
    lost = sorted({test for report in with_fix for test in must_pass if report.result_of(test) != "passed"})
    if lost:
        return _regressed(lost, with_fix, f"{len(lost)} test(s) of base no longer ran: {first_few(lost)}")
    bare = without_fix.result_of(target)
    if without_fix.status == "error" or bare is None or bare == "skipped":
        return _unseen(without_fix)
    if bare == "passed":
        return Proof("unproven", f"UNPROVEN: {target} passes without the fix too", without_fix.evidence)
    turned = turned_green(baseline, already_fixed, with_fix)
    fixed = tuple(test for test in turned if without_fix.result_of(test) == "failed")
    passed = len(with_fix[-1].passed)
    return Proof(
        "proven",
        f"{passed} passed, twice; {len(fixed)} of {len(turned)} red again without the fix",
        with_fix[0].evidence,
        fixed=fixed,
        passed=passed,
    )


def turned_green(baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]) -> tuple[str, ...]:
    """Every requested test that was red and now passes in every run: the target, and any others fixed with it."""
    was_red = (finding.subject for finding in baseline.findings if finding.subject not in already_fixed)
    return tuple(test for test in was_red if all(report.result_of(test) == "passed" for report in with_fix))


def _red_before(baseline: Baseline) -> tuple[str, ...]:
    return (*(finding.subject for finding in baseline.findings), *baseline.red_elsewhere)


def _unseen(report: TestReport) -> Proof:
    why = report.why or "the test did not run"
    return Proof("unseen", f"the tests gave no result: {why}", report.evidence, output_tail=report.output_tail)


def _still_red(target: str, report: TestReport) -> Proof:
    words = report.messages.get(target, "").strip()
    line = words.splitlines()[0] if words else "no message"
    return Proof(
        "still_red",
        f"{target} is still red: {line[:160]}",
        report.evidence,
        still_red=(target,),
        output_tail=words or report.output_tail,
    )


def _regressed(tests: Sequence[str], reports: Sequence[TestReport], sentence: str) -> Proof:
    messages = [report.messages[test] for report in reports for test in tests if test in report.messages]
    tail = "\n\n".join(dict.fromkeys(messages))[-4000:] or reports[0].output_tail
    return Proof("regressed", sentence, reports[0].evidence, regressed=tuple(tests), output_tail=tail)
