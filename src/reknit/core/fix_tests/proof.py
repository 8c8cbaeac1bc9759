"""What counts as proof that an attempt repaired something. Only reports of reknit's own test runs count."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.flakiness import is_worth_comparing
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, is_named, unrepeated
from reknit.core.text.format import first_few


def first_look(targets: Sequence[str], report: TestReport) -> Proof | None:
    """The tests of the finding on their own; None if the whole suite is worth running."""
    if report.status == "error":
        return unseen(report)
    if not any(report.result_of(test) == "passed" for test in targets):
        return _still_red(targets[0], report)
    return None


@dataclass(frozen=True)
class RunsAfter:
    """What was run after an attempt, each run in a fresh tree."""

    whole: tuple[TestReport, ...]
    """The whole suite with the change. If it adds tests, first without these."""
    again: TestReport
    """What turned green, once more with the change: passing once may be luck."""
    without: TestReport
    """What turned green, on the old source."""


def prove(
    targets: Sequence[str],
    baseline: Baseline,
    already_fixed: Sequence[str],
    seen: RunsAfter,
    flaky: Sequence[str] = (),
) -> Proof:
    """One of the targets must turn green; those of the same finding that stay red are named, and remain."""
    with_fix = (*seen.whole, seen.again)
    if problem := not_green(targets, baseline, already_fixed, with_fix):
        return problem
    turned = turned_green(baseline, already_fixed, with_fix)
    if blamed := [test for test in newly_red(baseline, already_fixed, seen.whole) if test not in flaky]:
        said = f"{len(blamed)} test(s) are red that were not before: {first_few(blamed)}"
        return replace(_regressed(blamed, seen.whole, said), flaky=tuple(flaky))
    if gone := [test for test in lost(baseline, already_fixed, seen.whole) if test not in flaky]:
        said = f"{len(gone)} test(s) of base no longer ran: {first_few(gone)}"
        return replace(_regressed(gone, seen.whole, said), flaky=tuple(flaky))
    fixed = tuple(test for test in turned if seen.without.result_of(test) == "failed")
    if problem := _not_red_without(targets, turned, fixed, seen.without):
        return problem
    return _proven(targets, turned, fixed, seen.whole, flaky)


def not_green(
    targets: Sequence[str], baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]
) -> Proof | None:
    """Some target must pass in every run."""
    for report in with_fix:
        if problem := first_look(targets, report):
            return problem
    turned = turned_green(baseline, already_fixed, with_fix)
    return None if any(test in turned for test in targets) else _still_red(targets[0], with_fix[-1])


def _not_red_without(
    targets: Sequence[str], turned: Sequence[str], fixed: Sequence[str], without_fix: TestReport
) -> Proof | None:
    bare = {without_fix.result_of(test) for test in targets if test in turned}
    if without_fix.status == "error" or not bare & {"passed", "failed"}:
        return unseen(without_fix)
    if any(test in fixed for test in targets):
        return None
    passes = next(test for test in targets if test in turned and without_fix.result_of(test) == "passed")
    return Proof("unproven", f"UNPROVEN: {passes} passes without the fix too", without_fix.evidence)


def _proven(
    targets: Sequence[str],
    turned: Sequence[str],
    fixed: tuple[str, ...],
    with_fix: Sequence[TestReport],
    flaky: Sequence[str],
) -> Proof:
    passed = len(with_fix[-1].passed.difference(flaky))
    red = tuple(test for test in targets if test not in fixed)
    notes = [f"{passed} passed", f"{len(fixed)} of {len(turned)} green every time, red without the fix"]
    notes += [f"still red: {first_few(red)}"] if red else []
    notes += [f"flaky, left out: {first_few(flaky)}"] if flaky else []
    sentence, evidence = "; ".join(notes), with_fix[0].evidence
    return Proof("proven", sentence, evidence, fixed=fixed, still_red=red, passed=passed, flaky=tuple(flaky))


def newly_red(baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]) -> list[str]:
    may_be_red = {*_red_before(baseline), *baseline.flaky} - {*already_fixed}
    red = {test for report in with_fix for test in _broken(report, baseline, may_be_red)}
    return sorted(test for test in red if not is_named(test, may_be_red))


def _broken(report: TestReport, baseline: Baseline, may_be_red: Collection[str]) -> list[str]:
    return unrepeated(report.failed, may_be_red, ran=report.results, others_ran=_ran(baseline))


def _ran(baseline: Baseline) -> frozenset[str]:
    return frozenset([*baseline.passing, *_red_before(baseline), *baseline.flaky])


def suspected(baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]) -> list[str]:
    """Red with the change and green before: broken by it, or flaky. A new test is the change's own."""
    before = {*baseline.passing, *already_fixed}
    return [test for test in newly_red(baseline, already_fixed, with_fix) if test in before]


def lost(baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]) -> list[str]:
    """Passed before and does not now: skipped, not there, or red."""
    must_pass = {*baseline.passing, *already_fixed}
    absent = (
        (test, report)
        for report in with_fix
        for test in unrepeated(must_pass, report.passed, ran=_ran(baseline), others_ran=report.results)
    )
    return sorted({test for test, report in absent if report.result_of(test) != "passed"})


def unexplained(
    baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport], flaky: Sequence[str]
) -> list[str]:
    """What a run of the whole suite without the change may explain; empty if the change is to blame anyway.

    If the baseline is remembered, the environment may have changed since: more tests are red than can be compared, or
    one that was skipped then.
    """
    suspects = suspected(baseline, already_fixed, with_fix)
    compared = suspects if is_worth_comparing(suspects) else []
    red = [test for test in newly_red(baseline, already_fixed, with_fix) if test not in flaky]
    if red and (not baseline.seen_in or any(test in compared for test in red)):
        return []
    return sorted({*red, *lost(baseline, already_fixed, with_fix)}.difference(flaky))


def explained(tests: Sequence[str], with_fix: Sequence[TestReport], before: TestReport) -> list[str]:
    """Those that are red without the change too, or do not pass without it either. `before`: all that ran then."""
    red = {test for report in with_fix for test in report.failed}
    results = ((test, before.result_of(test)) for test in tests)
    return [test for test, then in results if then == "failed" or (test not in red and then != "passed")]


def turned_green(baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]) -> tuple[str, ...]:
    """Every requested test that was red and now passes in every run: the target, and any others fixed with it."""
    asked = (test for finding in baseline.findings for test in finding.tests)
    was_red = (test for test in asked if test not in already_fixed)
    return tuple(test for test in was_red if all(report.result_of(test) == "passed" for report in with_fix))


def _red_before(baseline: Baseline) -> tuple[str, ...]:
    """What the environment broke may stay red, or turn green by itself."""
    asked = (test for finding in baseline.findings for test in finding.tests)
    return (*asked, *baseline.red_elsewhere, *(test for tests, *_ in baseline.left_out for test in tests))


def explain_half(problem: Proof, whole: TestReport) -> Proof:
    """Say of a test that is red without the test files of a change, but green with `whole` of it, just this."""
    words = "is green with the whole change, and red without its test files"
    is_green = any(whole.result_of(test) == "passed" for test in problem.still_red)
    return replace(problem, sentence=problem.sentence.replace("is still red", words)) if is_green else problem


def unseen(report: TestReport) -> Proof:
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
